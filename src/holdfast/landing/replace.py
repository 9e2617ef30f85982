"""Land text for text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.ladder.exact import land_exactly
from holdfast.landing.ladder.ladder import LadderPlan, climb, climb_everywhere
from holdfast.landing.ladder.strict_match import Hint
from holdfast.landing.lost_lines import judge_lost_lines
from holdfast.landing.projection.splices import landed, overlap, splice_of
from holdfast.landing.text.edit_script import script_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import Doc, contents_of

if TYPE_CHECKING:
    from holdfast.vocab.outcomes import Outcome
    from holdfast.vocab.requests import Replace


def land_replace(text: str, request: Replace, path: str | None = None) -> Outcome:
    """Land on the exact rung where the old text is in the file as it is, else line by line."""
    if not key_of(request.old):
        return refusals.empty_old()
    if request.old == request.new:
        return refusals.no_change()
    old, new = contents_of(request.old), contents_of(request.new)
    lost = judge_lost_lines(old, new, language_of(path))
    if lost is not None:
        return lost
    return land_exactly(text, request) or _land_by_lines(text, request, path)


def _land_by_lines(text: str, request: Replace, path: str | None) -> Outcome:
    doc = Doc(text, language_of(path))
    script = script_of(contents_of(request.old), contents_of(request.new))
    if not script.edits:
        return refusals.no_change()
    if request.every:
        found = climb_everywhere(doc, script)
    else:
        near = request.near_line - 1 if request.near_line is not None else None
        found = climb(doc, script, Hint(near=near))
    if not isinstance(found, LadderPlan):
        return refusals.of(doc, script, found)
    splices = [splice_of(doc, splice) for splice in found.splices]
    if not splices:
        return refusals.already_applied(found.lines.start + 1)
    if overlap(splices):
        return refusals.overlap([splice.first + 1 for splice in found.splices])
    return landed(text, splices, found.rung, found.similarity)
