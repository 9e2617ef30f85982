"""The one judge of whether a request is applied already. It is asked last, when the place is known or known to be missing.

A request counts as applied if its new lines are in the file and its removed lines are not, where the request points.
Context alone proves nothing, so a deletion is never told by the lines around it.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from holdfast.landing.placement import AlreadyApplied, Doubtful, Elsewhere, Placement
from holdfast.landing.projection.projection import UnclearProjection
from holdfast.landing.text.line_keys import indent_width, key_of
from holdfast.landing.text.line_tokens import strength
from holdfast.landing.text.lines import Doc, is_blank

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.landing.projection.projection import LineSplice
    from holdfast.landing.text.edit_script import EditScript, ScriptEdit

AppliedVerdict: TypeAlias = AlreadyApplied | Doubtful | Elsewhere | UnclearProjection


def judge_missing(doc: Doc, script: EditScript) -> AlreadyApplied | None:
    """Return where the new lines are, for a request whose old lines are nowhere."""
    if not _fresh_lines(script) or any(map(doc.runs, _old_sides(script))):
        return None
    starts = doc.runs(_keys(script.new))
    return AlreadyApplied(doc.solid[starts[0]]) if starts else None


def judge_placed(
    doc: Doc, script: EditScript, place: Placement, splices: Sequence[LineSplice], near: int | None
) -> AppliedVerdict | None:
    """Return why the splices must not be written at this place, or None.

    `near` is the file line (0-based) that the request names, where it is not the line of the place.
    """
    if near is not None:
        named = _judge_named(doc, script, place, near)
        if named is not None:
            return named
    for splice in splices:
        line = _line_around(doc, place, splice)
        if line is not None:
            return AlreadyApplied(line)
    if place.rung != "exact":
        done = _line_elsewhere(doc, script, place)
        if done is not None:
            return Doubtful(place.first, done)
    if _restyles_other_lines(doc, script, place):
        return UnclearProjection(place.first, place.last + 1)
    return None


def find_around(text: str, at: int, old: str, new: str) -> int | None:
    """Return the offset at which the new text is around the old one at `at`: `g(f(a))` around `f(a)`."""
    inner = new.find(old)
    while inner >= 0:
        if at >= inner and text.startswith(new, at - inner):
            return at - inner
        inner = new.find(old, inner + 1)
    return None


def _keys(lines: Sequence[str]) -> list[str]:
    return [key for key in map(key_of, lines) if key]


def _fresh_lines(script: EditScript) -> list[int]:
    """Return the numbers of the new lines that say something and that the old text does not have."""
    known = frozenset(map(key_of, script.old))
    return [
        n
        for edit in script.edits
        for n in range(edit.n1, edit.n2)
        if strength(script.new[n]) and key_of(script.new[n]) not in known
    ]


def _old_sides(script: EditScript) -> Iterator[list[str]]:
    """Yield for each edit that removes lines the keys of these lines, with the line above and the line below."""
    for edit in script.edits:
        if _keys(script.old[edit.o1 : edit.o2]):
            yield _keys(script.old[max(0, edit.o1 - 1) : edit.o2 + 1])


def _judge_named(
    doc: Doc, script: EditScript, place: Placement, near: int
) -> AlreadyApplied | Elsewhere | None:
    """Return why the place is not meant, for a request that names another line."""
    if _fresh_lines(script):
        return AlreadyApplied(near) if _is_at_line(doc, script, near) else None
    # What is deleted leaves nothing to tell by: if the named line is free of it, it may be gone.
    kept = [key_of(line) for line in script.new]
    if any(kept) and near >= 0 and doc.keys[near : near + len(kept)] == kept:
        return Elsewhere(place.first, near)
    return None


def _is_at_line(doc: Doc, script: EditScript, near: int) -> bool:
    """Return whether the fresh lines are at the named line, and no removed line is among them."""
    fresh = _fresh_lines(script)
    if not fresh or near < 0 or near + fresh[-1] >= len(doc.lines):
        return False
    if any(doc.keys[near + n] != key_of(script.new[n]) for n in fresh):
        return False
    there = frozenset(doc.keys[near : near + len(script.new)])
    kept = frozenset(_keys(script.new))
    return there.isdisjoint(frozenset(_removed_keys(script)) - kept)


def _removed_keys(script: EditScript) -> Iterator[str]:
    for edit in script.edits:
        yield from _keys(script.old[edit.o1 : edit.o2])


def _line_around(doc: Doc, place: Placement, splice: LineSplice) -> int | None:
    """Return the first of the file lines that are the splice's lines already, or None.

    They contain the lines that the splice replaces, and more that the request does not know: an insertion beside its
    place, a wrapper around it. They are nested as the splice's lines are.
    """
    new = [line for line in splice.lines if not is_blank(line)]
    keys = [key_of(line) for line in new]
    first, stop = bisect_left(doc.solid, splice.first), bisect_left(doc.solid, splice.last)
    paired = frozenset(place.pairs)
    for start in range(max(0, stop - len(new)), first + 1):
        if len(new) == stop - first or doc.solid_keys[start : start + len(new)] != keys:
            continue
        lines = doc.solid[start : start + len(new)]
        extra = [i for i in lines if not splice.first <= i < splice.last]
        if any(i in paired for i in extra) or not any(strength(doc.lines[i]) for i in extra):
            continue
        if _steps([doc.lines[i] for i in lines]) == _steps(new):
            return lines[0]
    return None


def _steps(lines: Sequence[str]) -> list[int]:
    """Return for each line but the first whether it is deeper (1), as deep (0) or less deep (-1) than the one before."""
    widths = [indent_width(line) for line in lines]
    return [(two > one) - (two < one) for one, two in pairwise(widths)]


def _line_elsewhere(doc: Doc, script: EditScript, place: Placement) -> int | None:
    """Return where all new lines are outside the place, so that the place may be a twin of one that was edited.

    Without a fresh line among them only lines that are exactly the same count.
    """
    told_by_key = bool(_fresh_lines(script))
    new = [line for line in script.new if not is_blank(line)]
    for start in doc.runs(_keys(new)):
        lines = doc.solid[start : start + len(new)]
        if place.first <= lines[-1] and lines[0] <= place.last:
            continue
        if told_by_key or [doc.lines[i] for i in lines] == new:
            return lines[0]
    return None


def _restyles_other_lines(doc: Doc, script: EditScript, place: Placement) -> bool:
    """Return whether an edit changes only white space or typography, of lines that the file still spells differently.

    Lines are compared without exactly that, so the comparison cannot show that the edit is not applied already.
    """
    restyled = (edit for edit in script.edits if _only_restyles(script, edit))
    for edit in restyled:
        for line, i in zip(
            script.old[edit.o1 : edit.o2], place.pairs[edit.o1 : edit.o2], strict=True
        ):
            if i is not None and line.rstrip() != doc.lines[i].rstrip():
                return True
    return False


def _only_restyles(script: EditScript, edit: ScriptEdit) -> bool:
    old = _keys(script.old[edit.o1 : edit.o2])
    return bool(old) and old == _keys(script.new[edit.n1 : edit.n2])
