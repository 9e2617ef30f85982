"""Land text for text."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.ladder.exact import (
    find_exactly,
    indent_before,
    is_line_but_indent,
    joins_lines,
    parts_line,
)
from holdfast.landing.ladder.ladder import (
    LadderOutcome,
    LadderPlan,
    climb,
    plan_at,
    plans_everywhere,
)
from holdfast.landing.ladder.listing import ends_in_numbered_blank
from holdfast.landing.ladder.reading import Unmangled
from holdfast.landing.ladder.strict_match import NO_HINT, Hint, choose, hint_at
from holdfast.landing.ladder.unmangle import readings
from holdfast.landing.occurrence import Occurrence
from holdfast.landing.placement import Placement, SeveralPlaces
from holdfast.landing.plans import land_everywhere
from holdfast.landing.projection.splices import Splice, lines_at
from holdfast.landing.text.edit_script import script_of
from holdfast.landing.text.endings import with_endings
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import PLAIN, indent_of, key_of
from holdfast.landing.text.lines import Doc, contents_of
from holdfast.landing.text.shared_ends import shared_ends
from holdfast.vocab.outcomes import Landed

if TYPE_CHECKING:
    from holdfast.vocab.outcomes import Outcome, Rung
    from holdfast.vocab.requests import Replace


def land_replace(text: str, request: Replace, path: str | None = None) -> Outcome:
    """Land on the exact rung where the old text is in the file as it is, else line by line."""
    if not key_of(request.old):
        return refusals.empty_old()
    if request.old == request.new:
        return refusals.no_change()

    doc = Doc(text, language_of(path))
    outcome = _land_on_match(doc, request, path)
    if outcome is not None:
        return outcome
    outcome = _land_by_lines(doc, request, path)
    if outcome.landed or outcome.reason != "not_found":
        return outcome
    # Only the text of one line may be a part of a line.
    if len(contents_of(request.old)) != 1:
        return outcome
    return _land_part_unmangled(doc, request, path) or outcome


def _land_part_unmangled(doc: Doc, request: Replace, path: str | None) -> Outcome | None:
    """Land on a part of a line in the first reading that undoes a mangling and has a place."""
    others = readings(doc, request.old, request.new)
    for reading in itertools.chain([_without_foreign_blanks(doc.text, request)], others):
        plain = replace(request, old=reading.old, new=reading.new)
        if _leaves_beginning(doc.text, request.old, reading.old):
            continue
        outcome = _land_on_match(doc, plain, path)
        if isinstance(outcome, Landed):
            return replace(outcome, rung="unmangled")
        if outcome is not None:
            return outcome
    return None


def _leaves_beginning(text: str, old: str, read: str) -> bool:
    """Return whether a reading dropped the beginning of the old text, which the file has there: `3. ` in a list."""
    whole = old.strip()
    dropped = whole.removesuffix(read.strip())
    if dropped == whole:
        return False
    if not dropped.strip():
        return False
    return whole in text


def _without_foreign_blanks(text: str, request: Replace) -> Unmangled:
    """Return both texts in the characters of the file, without blanks that are around both."""
    special = PLAIN.keys() & set(request.old)
    foreign = itertools.filterfalse(text.__contains__, special)
    odd = {ord(char): PLAIN[char] for char in foreign}
    old, new = request.old.translate(odd), request.new.translate(odd)
    head, tail = shared_ends(old, new)
    first = min(len(indent_of(old)), head)
    last = min(len(old) - len(old.rstrip()), tail)
    return Unmangled(old[first : len(old) - last], new[first : len(new) - last])


def _land_on_match(doc: Doc, request: Replace, path: str | None) -> Outcome | None:
    """Land on all exact matches, on the only one, or on the one that the line number names; None where there is none."""
    match = find_exactly(doc.text, request)
    if match is None:
        return None
    hits = match.hits
    places = [Placement({0: line - 1}, "exact") for line in lines_at(doc.text, hits)]
    script = script_of(contents_of(request.old), contents_of(request.new))
    hint = NO_HINT
    if not request.every:
        hint = hint_at(request.near_line, _MISCOUNT)
        place = choose(places, hint)
        if isinstance(place, SeveralPlaces):
            return refusals.of(doc, script, place)
        hits, places = [hits[places.index(place)]], [place]

    plans: list[LadderOutcome] = []
    for at, place in zip(hits, places, strict=True):
        hit = Occurrence(doc, at, match.old, request.new)
        if path is not None:
            if joins_lines(hit):
                return refusals.joined_lines(place.first + 1)
            if parts_line(hit):
                return _land_by_lines(doc, request, path)
        if not is_line_but_indent(hit):
            plans.append(_plan_characters(hit, request, place, hint))
            continue
        # With a part of an indentation, lines with another one may be meant as well.
        if indent_of(match.old):
            return _land_by_lines(doc, _with_empty_line(request), path)
        plans.append(_plan_whole_lines(hit, place, hint))
    return land_everywhere(doc, script, plans)


def _with_empty_line(request: Replace) -> Replace:
    """Return the request with the empty line that one newline more than the old text has stands for."""
    if request.old.endswith(("\n", "\r")) or not request.new.endswith(("\n", "\r")):
        return request
    return replace(request, new=f"{request.new}\n")


def _plan_characters(hit: Occurrence, request: Replace, place: Placement, hint: Hint) -> LadderPlan:
    """Return the plan for characters of the file, which are the old text."""
    doc, at = hit.doc, hit.at
    old = doc.text[at : at + len(hit.old)]
    new = _indented_as_line(hit)
    rung: Rung = "exact"
    if (old, new) != (request.old, request.new):
        rung = "whitespace"
    new = with_endings(doc, at, old, new)
    return LadderPlan(
        (Splice(at, at + len(old), new),),
        rung,
        range(place.first, place.first + 1),
        Occurrence(doc, at, old, new),
        named=hint.lines_but(place),
    )


def _plan_whole_lines(hit: Occurrence, place: Placement, hint: Hint) -> LadderOutcome:
    """Return the plan for the lines of the match, of which the first lacks its indentation in the old text."""
    new = contents_of(hit.new)
    if hit.new.endswith("\n") and not hit.old.endswith(("\n", "\r")):
        # One newline more than the old text has: an empty line.
        new.append("")

    script = script_of(contents_of(hit.old), new)
    lines = range(place.first, place.first + len(script.old))
    whole = Placement(dict(enumerate(lines)), "whitespace")
    return plan_at(hit.doc, script, whole, hint)


_MISCOUNT = 2
"""Lines that a number may be off by."""


def _land_by_lines(doc: Doc, request: Replace, path: str | None) -> Outcome:
    old, new = contents_of(request.old), contents_of(request.new)
    if _shows_blank_end(request):
        new.append("")

    outcome = _land_lines(doc, request, old, new)
    if not request.old.endswith("\n") or request.new.endswith("\n"):
        return outcome
    if not new:
        return outcome

    # The last new line may take the place of what follows the old text, if that is a blank line.
    joined = _land_lines(doc, request, [*old, ""], new)
    if path is None or not isinstance(joined, Landed):
        return joined
    if isinstance(outcome, Landed) and outcome.text == joined.text:
        return outcome
    return refusals.joined_lines(joined.spans[-1].line)


def _land_lines(doc: Doc, request: Replace, old: list[str], new: list[str]) -> Outcome:
    script = script_of(old, new)
    if not script.edits:
        return refusals.no_change()
    if request.every:
        return land_everywhere(doc, script, plans_everywhere(doc, script))

    return land_everywhere(doc, script, [climb(doc, script, hint_at(request.near_line))])


def _shows_blank_end(request: Replace) -> bool:
    """Return whether the blank line at the end is a number alone in the old text, and a newline in the new one."""
    if request.old.endswith("\n"):
        return False
    if not request.new.endswith("\n"):
        return False
    return ends_in_numbered_blank(request.old)


def _indented_as_line(hit: Occurrence) -> str:
    """Return the new text without the indentation that the line has already, where old begins at its first word."""
    if hit.old[:1].isspace():
        return hit.new
    if not key_of(hit.new):
        return hit.new
    if not indent_before(hit.doc.text, hit.at):
        return hit.new
    return hit.new[len(indent_of(hit.new)) :]
