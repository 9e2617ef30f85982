"""Land text for text."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.ladder.exact import (
    ExactMatch,
    find_exactly,
    indent_before,
    is_line_but_indent,
    joins_lines,
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
from holdfast.landing.plans import land_everywhere, land_plans, plan_or_refusal
from holdfast.landing.projection.splices import Splice, line_at, lines_at
from holdfast.landing.text.edit_script import EditScript, script_of
from holdfast.landing.text.endings import with_endings
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import PLAIN, indent_of, key_of
from holdfast.landing.text.lines import Doc, contents_of
from holdfast.landing.text.shared_ends import shared_ends
from holdfast.vocab.outcomes import Landed, Refused

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
    match = find_exactly(text, request)
    if match is not None:
        return _land_on_match(doc, request, match, path)
    outcome = _land_by_lines(doc, request, path)
    is_part = len(contents_of(request.old)) == 1
    if not is_part or outcome.landed or outcome.reason != "not_found":
        return outcome
    return _land_part_unmangled(doc, request, path) or outcome


def _land_part_unmangled(doc: Doc, request: Replace, path: str | None) -> Outcome | None:
    """Land on a part of a line in the first reading that undoes a mangling and has a place."""
    others = readings(doc, request.old, request.new)
    for reading in itertools.chain([_without_foreign_blanks(doc.text, request)], others):
        plain = replace(request, old=reading.old, new=reading.new)
        match = find_exactly(doc.text, plain)
        if match is None:
            continue
        outcome = _land_on_match(doc, plain, match, path)
        if isinstance(outcome, Landed):
            return replace(outcome, rung="unmangled")
        return outcome
    return None


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


def _land_on_match(doc: Doc, request: Replace, match: ExactMatch, path: str | None) -> Outcome:
    """Land on all matches, on the only one, or on the one that the line number names."""
    hits = match.hits
    places = [Placement({0: line - 1}, "exact") for line in lines_at(doc.text, hits)]
    if not request.every:
        place = choose(places, hint_at(request.near_line, _MISCOUNT))
        if isinstance(place, SeveralPlaces):
            return refusals.of(doc, _script_of(request), place)
        hits = [hits[places.index(place)]]

    if path is not None:
        for at in hits:
            if joins_lines(doc.text, at, match.old, request.new):
                return refusals.joined_lines(line_at(doc.text, at))
    if len(hits) == 1:
        return _land_on_hit(doc, request, ExactMatch(match.old, hits), path)

    plans: list[LadderPlan] = []
    for at, place in zip(hits, places, strict=True):
        splice = Splice(at, at + len(match.old), request.new)
        plans.append(_plan(doc, request, splice, place, NO_HINT))
    return land_everywhere(doc, _script_of(request), plans)


def _land_on_hit(doc: Doc, request: Replace, match: ExactMatch, path: str | None) -> Outcome:
    """Land on the only match, or line by line where whole lines are meant."""
    at, old, new = match.hits[0], match.old, request.new
    if path is not None and _parts_line(doc.text, at, old, new):
        return _land_by_lines(doc, request, path)
    if not is_line_but_indent(doc.text, at, old, new):
        splice = Splice(at, at + len(old), _indented_as_line(doc.text, at, request))
        place = Placement({0: line_at(doc.text, at) - 1}, "exact")
        plan = _plan(doc, request, splice, place, hint_at(request.near_line, _MISCOUNT))
        return _land_plan(doc, _script_of(request), plan)
    # With a part of an indentation, lines with another one may be meant as well.
    if indent_of(old):
        return _land_by_lines(doc, request, path)
    return _land_whole_lines(doc, request, match)


def _script_of(request: Replace) -> EditScript:
    return script_of(contents_of(request.old), contents_of(request.new))


def _plan(doc: Doc, request: Replace, splice: Splice, place: Placement, hint: Hint) -> LadderPlan:
    """Return the plan for characters of the file, which are the old text."""
    old, new = doc.text[splice.start : splice.end], splice.new
    rung: Rung = "exact"
    if (old, new) != (request.old, request.new):
        rung = "whitespace"
    new = with_endings(doc, splice.start, old, new)
    return LadderPlan(
        (replace(splice, new=new),),
        rung,
        range(place.first, place.first + 1),
        Occurrence(doc, splice.start, old, new),
        named=hint.lines_but(place),
    )


_MISCOUNT = 2
"""Lines that a number may be off by."""


def _parts_line(text: str, at: int, old: str, new: str) -> bool:
    """Return whether new lines go below the last old line, of which the file has more: its end would come behind them."""
    if old.endswith(("\n", "\r")):
        return False

    stop = at + len(old)
    newline = text.find("\n", stop)
    if newline < 0:
        newline = len(text)
    if not text[stop:newline].strip():
        return False

    lines = contents_of(old)
    above = text[text.rfind("\n", 0, at) + 1 : at]
    if len(lines) <= 1 and above.strip():
        return False
    return lines[-1] in contents_of(new)[:-1]


def _land_by_lines(doc: Doc, request: Replace, path: str | None) -> Outcome:
    old, new = contents_of(request.old), contents_of(request.new)
    if _shows_blank_end(request):
        new.append("")

    outcome = _land_lines(doc, request, old, new)
    loses_newline = request.old.endswith("\n") and not request.new.endswith("\n")
    if not new or not loses_newline:
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

    return _land_plan(doc, script, climb(doc, script, hint_at(request.near_line)))


def _shows_blank_end(request: Replace) -> bool:
    """Return whether the blank line at the end is a number alone in the old text, and a newline in the new one."""
    if request.old.endswith("\n"):
        return False
    if not request.new.endswith("\n"):
        return False
    return ends_in_numbered_blank(request.old)


def _land_whole_lines(doc: Doc, request: Replace, match: ExactMatch) -> Outcome:
    """Land on the lines of the match, of which the first lacks its indentation in the old text."""
    new = contents_of(request.new)
    if request.new.endswith("\n") and not match.old.endswith(("\n", "\r")):
        # One newline more than the old text has: an empty line.
        new.append("")

    script = script_of(contents_of(match.old), new)
    first = line_at(doc.text, match.hits[0]) - 1
    lines = range(first, first + len(script.old))
    whole = Placement(dict(enumerate(lines)), "whitespace")
    return _land_plan(doc, script, plan_at(doc, script, whole, hint_at(request.near_line)))


def _land_plan(doc: Doc, script: EditScript, found: LadderOutcome) -> Outcome:
    """Return the outcome of the plan, or the refusal where there is none."""
    plan = plan_or_refusal(doc, script, found)
    if isinstance(plan, Refused):
        return plan
    return land_plans(doc, [plan])


def _indented_as_line(text: str, at: int, request: Replace) -> str:
    """Return the new text without the indentation that the line has already, where old begins at its first word."""
    if request.old[:1].isspace():
        return request.new
    if not key_of(request.new):
        return request.new
    if not indent_before(text, at):
        return request.new
    return request.new[len(indent_of(request.new)) :]
