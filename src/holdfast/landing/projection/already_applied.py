"""The one judge of whether a request is applied already. It is asked last, when the place is known or known to be missing.

A request counts as applied if its new lines are in the file and its removed lines are not, where the request points.
Context alone proves nothing, so a deletion is never told by the lines around it.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, TypeAlias

from holdfast.landing.placement import AlreadyApplied, Doubtful, Elsewhere, Placement
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.line_tokens import strength
from holdfast.landing.text.lines import Doc, solid_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.landing.projection.projection import LineSplice
    from holdfast.landing.text.edit_script import EditScript

AppliedVerdict: TypeAlias = AlreadyApplied | Doubtful | Elsewhere


def judge_missing(doc: Doc, script: EditScript) -> AlreadyApplied | None:
    """Return where the new lines are, for a request whose old lines are nowhere."""
    told_by = sum(strength(script.new[n]) for n in _fresh_lines(script))
    if told_by < _TELLING:
        return None
    if any(map(doc.runs, _old_sides(script))):
        return None

    starts = doc.runs(_keys(script.new))
    if not starts:
        return None
    return AlreadyApplied(doc.solid[starts[0]])


_TELLING = 4
"""Letters and digits below which a new line (`x`, `}`) may be in the file by chance."""


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
        for line in _lines_around(doc, place, splice):
            return AlreadyApplied(line)

    if place.rung == "exact":
        return None
    return _judge_loose(doc, script, place)


def _judge_loose(doc: Doc, script: EditScript, place: Placement) -> AppliedVerdict | None:
    """Return why a place where the old lines are only in another spelling must not be edited, or None."""
    told_by_key = bool(_fresh_lines(script))
    new = solid_lines(script.new)
    for start in doc.runs(_keys(new)):
        lines = doc.solid[start : start + len(new)]
        is_here = lines[0] <= place.last and lines[-1] >= place.first
        if is_here:
            if told_by_key:
                return AlreadyApplied(lines[0])
            continue
        # Outside, so that the place may be a twin of one that was edited. Without a fresh line among them only lines
        # count that are exactly the same.
        is_same = [doc.lines[i] for i in lines] == new
        if told_by_key or is_same:
            return Doubtful(place.first, lines[0])

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
    return list(filter(None, map(key_of, lines)))


def _fresh_lines(script: EditScript) -> list[int]:
    """Return the numbers of the new lines that say something and that the old text does not have."""
    known = frozenset(map(key_of, script.old))
    found = []
    for n in script.added:
        line = script.new[n]
        if strength(line) and key_of(line) not in known:
            found.append(n)

    return found


def _old_sides(script: EditScript) -> Iterator[list[str]]:
    """Yield for each edit that removes lines the keys of these lines, with the line above and the line below."""
    for edit in script.edits:
        if not _keys(script.old[edit.o1 : edit.o2]):
            continue
        above = max(0, edit.o1 - 1)
        yield _keys(script.old[above : edit.o2 + 1])


def _judge_named(
    doc: Doc, script: EditScript, place: Placement, near: int
) -> AlreadyApplied | Elsewhere | None:
    """Return why the place is not meant, for a request that names another line."""
    if near < 0:
        return None
    if _fresh_lines(script):
        if _is_at_line(doc, script, near):
            return AlreadyApplied(near)
        return None

    # What is deleted leaves nothing to tell by: if the named line is free of it, it may be gone.
    kept = list(map(key_of, script.new))
    there = doc.keys[near : near + len(kept)]
    if any(kept) and there == kept:
        return Elsewhere(place.first, near)

    return None


def _is_at_line(doc: Doc, script: EditScript, near: int) -> bool:
    """Return whether the fresh lines are at the named line, and no removed line is among them."""
    there = doc.keys[near : near + len(script.new)]
    for n in _fresh_lines(script):
        if there[n : n + 1] != [key_of(script.new[n])]:
            return False

    removed = _keys([script.old[j] for j in script.removed])
    gone = frozenset(removed).difference(_keys(script.new))
    return gone.isdisjoint(there)


def _lines_around(doc: Doc, place: Placement, splice: LineSplice) -> Iterator[int]:
    """Yield the first of the file lines that are the splice's lines already.

    They contain the lines that the splice replaces, and more that the request does not know: an insertion beside its
    place, a wrapper around it.
    """
    keys = _keys(splice.lines)
    first = bisect_left(doc.solid, splice.first)
    stop = bisect_left(doc.solid, splice.last)
    known = {*range(splice.first, splice.last), *place.pairs.values()}
    for start in range(max(0, stop - len(keys)), first + 1):
        if doc.solid_keys[start : start + len(keys)] != keys:
            continue
        lines = doc.solid[start : start + len(keys)]
        unknown = set(lines).difference(known)
        if any(strength(doc.lines[i]) for i in unknown):
            yield lines[0]
