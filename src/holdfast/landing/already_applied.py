"""The one judge of whether a request is applied already. It is asked last, when the place is known or known to be missing.

A request counts as applied if its new text is in the file and its removed lines are not, where the request points.
Context alone proves nothing, so a deletion is never told by the lines around it.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, TypeAlias

from holdfast.landing.ladder.ladder import LadderPlan
from holdfast.landing.ladder.unmangle import readings
from holdfast.landing.placement import AlreadyApplied, Doubtful, Elsewhere, Nowhere
from holdfast.landing.projection.splices import line_at
from holdfast.landing.text.line_tokens import strength
from holdfast.landing.text.lines import Doc, contents_of, keys_in, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.landing.ladder.ladder import LadderOutcome
    from holdfast.landing.projection.splices import Splice
    from holdfast.landing.text.edit_script import EditScript

AppliedVerdict: TypeAlias = AlreadyApplied | Doubtful | Elsewhere


def judge_applied(doc: Doc, script: EditScript, found: LadderOutcome) -> AppliedVerdict | None:
    """Return why a plan must not be carried out, or where a request without a place is applied already; else None."""
    if isinstance(found, LadderPlan):
        return (
            _judge_named(doc, found)
            or judge_splices(doc, found.splices, found.known)
            or _judge_twin(doc, found)
        )
    if not isinstance(found, Nowhere):
        return None

    applied = _judge_missing(doc, script)
    if applied is not None:
        return applied
    for reading in readings(doc, text_of(script.old), text_of(script.new)):
        applied = _judge_missing(doc, reading.script)
        if applied is not None:
            return applied
    return None


def _judge_named(doc: Doc, plan: LadderPlan) -> AlreadyApplied | Elsewhere | None:
    """Return why the place is not meant, for a request that names another line, where its new text is."""
    for line in plan.named:
        # What begins on a blank line directly above the place begins at the place.
        below = doc.solid[bisect_left(doc.solid, line) :][:1]
        if below == [plan.lines.start]:
            continue
        if not plan.occurrence.has_new_at(line):
            continue
        if plan.occurrence.fresh_keys:
            return AlreadyApplied(line)
        # What is deleted leaves nothing to tell by: if the named line is free of it, it may be gone.
        return Elsewhere(plan.lines.start, line)
    return None


def judge_splices(
    doc: Doc, splices: Sequence[Splice], known: frozenset[int] = frozenset()
) -> AlreadyApplied | None:
    """Return where the lines of a splice are beside its place already, on lines that are not `known` to the request.

    The context of the request may have drifted, or only a part of the request is applied.
    """
    for splice in splices:
        line = _find_around(doc.text, splice)
        if line is None:
            line = _find_beside(doc, splice, known)
        if line is not None:
            return AlreadyApplied(line)
    return None


def _find_around(text: str, splice: Splice) -> int | None:
    """Return the file line at which the new text is around the old one already: `g(f(a))` around `f(a)`."""
    old, new = text[splice.start : splice.end], splice.new
    if old in {"", new}:
        return None
    inner = new.find(old)
    while inner >= 0:
        start = splice.start - inner
        if start >= 0 and text.startswith(new, start):
            return line_at(text, start) - 1
        inner = new.find(old, inner + 1)
    return None


def _find_beside(doc: Doc, splice: Splice, known: frozenset[int]) -> int | None:
    """Return the first of the file lines that are the lines of the splice already, and more than the known ones.

    Only the text around the splice is looked at.
    """
    text = doc.text
    size = len(splice.new) + _BESIDE
    begin = text.rfind("\n", 0, max(0, splice.start - size)) + 1
    start = text.rfind("\n", 0, splice.start) + 1
    above = len(contents_of(text[begin:start]))
    old = text[start : splice.end]
    rest = text[splice.end : splice.end + size]
    tail = rest.partition("\n")[0]
    if old[-1:] in _LINE_END and splice.new[-1:] in _LINE_END:
        tail = ""
    keys = keys_in(contents_of(text[start : splice.start] + splice.new + tail))
    last = above + len(contents_of(old + tail))
    window = Doc(text[begin : splice.end] + rest)
    first, stop = (bisect_left(window.solid, line) for line in (above, last))
    for at in range(max(0, stop - len(keys)), first + 1):
        if window.solid_keys[at : at + len(keys)] != keys:
            continue
        upper = line_at(text, begin) - 1
        lines = {upper + i for i in window.solid[at : at + len(keys)]}
        unknown = lines.difference(known, range(upper + above, upper + last))
        if any(strength(window.lines[i - upper]) for i in unknown):
            return min(lines)
    return None


_LINE_END = ("", "\n")
_BESIDE = 300
"""Characters beside a splice that are looked at in addition to as many as it writes."""


def _judge_twin(doc: Doc, plan: LadderPlan) -> AlreadyApplied | Doubtful | None:
    """Return why a place with the old lines in another spelling only is not meant: the new lines are in the file."""
    occurrence = plan.occurrence
    if plan.rung == "exact":
        return None
    if not occurrence.fresh_keys:
        return None
    new = keys_in(contents_of(occurrence.new))
    for start in doc.runs(new):
        lines = doc.solid[start : start + len(new)]
        is_here = lines[0] < plan.lines.stop and lines[-1] >= plan.lines.start
        if is_here:
            return AlreadyApplied(lines[0])
        # The place may be a twin of one that was edited.
        return Doubtful(plan.lines.start, lines[0])
    return None


def _judge_missing(doc: Doc, script: EditScript) -> AlreadyApplied | None:
    """Return where the new lines are, for a request whose old lines are nowhere."""
    new = keys_in(script.new)
    fresh = set(new).difference(keys_in(script.old))
    if strength("".join(fresh)) < _TELLING:
        return None
    if any(map(doc.runs, _old_sides(script))):
        return None

    starts = doc.runs(new)
    if not starts:
        return None
    return AlreadyApplied(doc.solid[starts[0]])


_TELLING = 4
"""Letters and digits below which a new line (`x`, `}`) may be in the file by chance."""


def _old_sides(script: EditScript) -> Iterator[list[str]]:
    """Yield for each edit that removes lines the keys of these lines, with the line above and the line below."""
    for edit in script.edits:
        if keys_in(script.old[edit.o1 : edit.o2]):
            above = max(0, edit.o1 - 1)
            yield keys_in(script.old[above : edit.o2 + 1])
