"""Land text for text."""

from __future__ import annotations

import itertools
import operator
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.ladder.exact import (
    ExactMatch,
    find_exactly,
    hits_on_line,
    indent_before,
    is_line_but_indent,
    joins_lines,
    window_around,
    with_endings,
)
from holdfast.landing.ladder.ladder import (
    LadderOutcome,
    LadderPlan,
    climb,
    climb_everywhere,
    plan_at,
)
from holdfast.landing.ladder.strict_match import hint_at
from holdfast.landing.ladder.unmangle import Unmangled, ends_in_numbered_blank, readings
from holdfast.landing.placement import Placement
from holdfast.landing.plans import land_plans, plan_or_refusal, splices_of
from holdfast.landing.projection.already_applied import find_around
from holdfast.landing.projection.splices import (
    Splice,
    landed,
    line_at,
    lines_at,
)
from holdfast.landing.text.edit_script import EditScript, script_of
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

    match = find_exactly(text, request)
    if match is not None:
        return _land_on_match(text, request, match, path)

    outcome = _land_by_lines(text, request, path)
    is_part = len(contents_of(request.old)) == 1
    if not is_part or outcome.landed or outcome.reason != "not_found":
        return outcome
    return _land_part_unmangled(text, request, path) or outcome


def _land_part_unmangled(text: str, request: Replace, path: str | None) -> Outcome | None:
    """Land on a part of a line in the first reading that undoes a mangling and has a place."""
    others = readings(Doc(text), request.old, request.new)
    for reading in itertools.chain([_without_foreign_blanks(text, request)], others):
        plain = replace(request, old=reading.old, new=reading.new)
        match = find_exactly(text, plain)
        if match is None:
            continue
        outcome = _land_on_match(text, plain, match, path)
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


def _land_on_match(text: str, request: Replace, match: ExactMatch, path: str | None) -> Outcome:
    """Land on all matches, on the only one, or on the one that the line number names."""
    if request.every and len(match.hits) > 1:
        return _land_on_all(text, request, match, path)

    at = _hit_named(text, request, match)
    if at is None:
        return refusals.ambiguous(Doc(text), lines_at(text, match.hits))
    return _land_on_hit(text, request, match, at, path)


def _land_on_hit(
    text: str, request: Replace, match: ExactMatch, at: int, path: str | None
) -> Outcome:
    """Land on the match at `at`, or line by line where whole lines are meant."""
    old, new = match.old, request.new
    if path is not None:
        if joins_lines(text, at, old, new):
            return refusals.joined_lines(line_at(text, at))
        if _parts_line(text, at, old, new):
            return _land_by_lines(text, request, path)

    if not is_line_but_indent(text, at, old, new):
        return _land_at(text, request, match, at)
    # With a part of an indentation, lines with another one may be meant as well.
    if indent_of(old):
        return _land_by_lines(text, request, path)
    return _land_whole_lines(text, request, match, at, path)


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


def _land_by_lines(text: str, request: Replace, path: str | None) -> Outcome:
    doc = Doc(text, language_of(path))
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
        return _land_plan(doc, script, climb_everywhere(doc, script))

    return _land_plan(doc, script, climb(doc, script, hint_at(request.near_line)))


def _shows_blank_end(request: Replace) -> bool:
    """Return whether the blank line at the end is a number alone in the old text, and a newline in the new one."""
    if request.old.endswith("\n"):
        return False
    if not request.new.endswith("\n"):
        return False
    return ends_in_numbered_blank(request.old)


def _land_whole_lines(
    text: str, request: Replace, match: ExactMatch, at: int, path: str | None
) -> Outcome:
    """Land on the lines of the match at `at`, of which the first lacks its indentation in the old text."""
    doc = Doc(text, language_of(path))
    new = contents_of(request.new)
    if request.new.endswith("\n") and not match.old.endswith(("\n", "\r")):
        # One newline more than the old text has: an empty line.
        new.append("")

    script = script_of(contents_of(match.old), new)
    first = line_at(text, at) - 1
    lines = range(first, first + len(script.old))
    place = Placement(dict(enumerate(lines)), "whitespace")
    return _land_plan(doc, script, plan_at(doc, script, place, hint_at(request.near_line)))


def _land_plan(doc: Doc, script: EditScript, found: LadderOutcome) -> Outcome:
    """Return the outcome of the plan, or the refusal where there is none."""
    plan = plan_or_refusal(doc, script, found)
    if isinstance(plan, Refused):
        return plan
    return land_plans(doc, [plan], splices_of(doc, [plan]))


def _land_at(text: str, request: Replace, match: ExactMatch, at: int) -> Outcome:
    """Land on the match at `at`."""
    old = match.old
    new = _indented_as_line(text, at, request)
    rung: Rung = "exact"
    if (old, new) != (request.old, request.new):
        rung = "whitespace"

    new = with_endings(text, at, old, new)
    if new == old:
        return refusals.no_change()

    refusal = _judge_elsewhere(text, request, at, new) or _judge_window(text, at, old, new)
    return refusal or landed(text, [Splice(at, at + len(old), new)], rung)


_MISCOUNT = 2
"""Lines that a number may be off by."""
_CLEARLY = 4
"""How many times as far as the nearest place all others are, where the number is off."""


def _hit_named(text: str, request: Replace, match: ExactMatch) -> int | None:
    """Return the only match, the only one on the line that is named, or the one that is clearly the nearest to it."""
    if len(match.hits) == 1:
        return match.hits[0]
    if request.near_line is None:
        return None

    named = hits_on_line(text, match.old, request.near_line)
    if len(named) == 1:
        return named[0]
    if named:
        return None

    distances = [abs(at - request.near_line) for at in lines_at(text, match.hits)]
    nearest, second = sorted(distances)[:2]
    if nearest > _MISCOUNT or second < _CLEARLY * nearest:
        return None
    return match.hits[distances.index(nearest)]


def _land_on_all(text: str, request: Replace, match: ExactMatch, path: str | None) -> Outcome:
    hits, old = match.hits, match.old
    distances = map(operator.sub, hits[1:], hits)
    if min(distances) < len(old):
        return refusals.overlap(lines_at(text, hits))

    splices = []
    for at in hits:
        if path is not None and joins_lines(text, at, old, request.new):
            return refusals.joined_lines(line_at(text, at))
        new = with_endings(text, at, old, request.new)
        if find_around(text, at, old, new) is None:
            splices.append(Splice(at, at + len(old), new))

    if not splices:
        return refusals.already_applied(line_at(text, hits[0]))
    if all(splice.new == old for splice in splices):
        return refusals.no_change()

    rung: Rung = "exact"
    if old != request.old:
        rung = "whitespace"
    return landed(text, splices, rung)


def _indented_as_line(text: str, at: int, request: Replace) -> str:
    """Return the new text without the indentation that the line has already, where old begins at its first word."""
    if request.old[:1].isspace():
        return request.new
    if not key_of(request.new):
        return request.new
    if not indent_before(text, at):
        return request.new
    return request.new[len(indent_of(request.new)) :]


def _judge_elsewhere(text: str, request: Replace, at: int, new: str) -> Refused | None:
    """Return the refusal of the only match, where another line was named and may have been edited already."""
    line, named = line_at(text, at), request.near_line
    if named is None or named == line:
        return None
    if not key_of(new):
        # What is deleted leaves nothing to tell by.
        return refusals.elsewhere(line, named)

    for near in range(named - _MISCOUNT, named + _MISCOUNT + 1):
        if hits_on_line(text, new, near):
            return refusals.already_applied(near)
    return None


def _judge_window(text: str, at: int, old: str, new: str) -> Refused | None:
    """Return the refusal of a match whose new text is around it already, or None."""
    around = find_around(text, at, old, new)
    if around is not None:
        return refusals.already_applied(line_at(text, around))

    window = window_around(text, at, old, new, whole=False)
    if isinstance(plan_at(window.doc, window.script, window.place), LadderPlan):
        return None

    window = window_around(text, at, old, new, whole=True)
    found = plan_at(window.doc, window.script, window.place)
    if isinstance(found, LadderPlan):
        return None
    return refusals.of(window.doc, window.script, found)
