"""Whether what a request would write is there already."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from holdfast.landing.placement import AlreadyApplied, Placement
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.line_tokens import strength
from holdfast.landing.text.lines import Doc, is_blank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.projection.projection import LineSplice
    from holdfast.landing.text.edit_script import EditScript, ScriptEdit

_TELLING = 4
"""Letters and digits below which inserted lines (`}`, `);`) may be there by chance."""


def stands_already(doc: Doc, script: EditScript, place: Placement) -> AlreadyApplied | None:
    """Return the inserted lines that are directly beside the place of the insertion.

    Only an insertion at the edge of the old lines can: between two of them, the file has nothing.
    """
    for edit in script.edits:
        inserted = [key_of(line) for line in script.new[edit.n1 : edit.n2] if not is_blank(line)]
        if not inserted or any(not is_blank(line) for line in script.old[edit.o1 : edit.o2]):
            continue
        if sum(map(strength, inserted)) < _TELLING and len(script.edits) > 1:
            continue
        at = _beside(doc, script, place, edit, inserted)
        if at is not None:
            return AlreadyApplied(doc.solid[at])
    return None


def _beside(
    doc: Doc, script: EditScript, place: Placement, edit: ScriptEdit, inserted: list[str]
) -> int | None:
    size = len(inserted)
    if all(is_blank(line) for line in script.old[edit.o2 :]):
        after = bisect_left(doc.solid, place.last) + 1
        if not doc.keys[place.last]:
            after -= 1
        if doc.solid_keys[after : after + size] == inserted:
            return after
    if all(is_blank(line) for line in script.old[: edit.o1]):
        before = bisect_left(doc.solid, place.first)
        if before >= size and doc.solid_keys[before - size : before] == inserted:
            return before - size
    return None


def stands_around(doc: Doc, script: EditScript, place: Placement) -> AlreadyApplied | None:
    """Return the new lines if all of them are around the place, with the old ones within.

    So a block that was wrapped (`if x:` above, indented below) is not wrapped again.
    """
    new = [key_of(line) for line in script.new if not is_blank(line)]
    first, last = bisect_left(doc.solid, place.first), bisect_left(doc.solid, place.last + 1)
    if len(new) <= last - first:
        return None
    for start in range(max(0, last - len(new)), first + 1):
        if doc.solid_keys[start : start + len(new)] == new:
            return AlreadyApplied(doc.solid[start])
    return None


def restyles_other_lines(doc: Doc, script: EditScript, place: Placement) -> bool:
    """Return whether an edit changes only white space or typography, of lines that the file still spells differently.

    Lines are compared without exactly that, so the comparison cannot show that the edit is not applied already.
    """
    for edit in script.edits:
        old = [j for j in range(edit.o1, edit.o2) if not is_blank(script.old[j])]
        new = [line for line in script.new[edit.n1 : edit.n2] if not is_blank(line)]
        if not old or [key_of(script.old[j]) for j in old] != [key_of(line) for line in new]:
            continue
        real = [(script.old[j], doc.lines[i]) for j in old if (i := place.pairs[j]) is not None]
        if any(line.rstrip() != there.rstrip() for line, there in real):
            return True
    return False


def stands_at_splice(doc: Doc, splices: Sequence[LineSplice]) -> AlreadyApplied | None:
    """Return the inserted lines that are directly above or below, for places found with some lines missing.

    On the strict rungs the lines around an insertion are known, and a repeated line (`}` above `}`) may be meant.
    """
    for splice in splices:
        inserted = [key_of(line) for line in splice.lines if not is_blank(line)]
        if not inserted or any(doc.keys[splice.first : splice.last]):
            continue
        at, size = bisect_left(doc.solid, splice.first), len(inserted)
        if doc.solid_keys[at : at + size] == inserted:
            return AlreadyApplied(doc.solid[at])
        if at >= size and doc.solid_keys[at - size : at] == inserted:
            return AlreadyApplied(doc.solid[at - size])
    return None


def stands_elsewhere(
    doc: Doc, script: EditScript, place: Placement | None = None
) -> AlreadyApplied | None:
    """Return the new lines if all of them are in the file outside `place`.

    Used where the old ones are not there exactly.
    """
    new = [key_of(line) for line in script.new if not is_blank(line)]
    fresh = [key_of(line) for edit in script.edits for line in script.new[edit.n1 : edit.n2]]
    context = [line for line in new if line not in fresh]
    telling = _TELLING if place is None else 1
    if sum(map(strength, fresh)) < telling and sum(map(strength, context)) < 2 * _TELLING:
        return None
    for start in doc.runs(new):
        first, last = doc.solid[start], doc.solid[start + len(new) - 1]
        if place is None or last < place.first or first > place.last:
            return AlreadyApplied(first)
    return None


def stands_at_line(doc: Doc, script: EditScript, near: int) -> AlreadyApplied | None:
    """Return the new lines (or all that are not context) at the very line the request names.

    What is found is a twin.
    """
    fresh = [
        n for edit in script.edits for n in range(edit.n1, edit.n2) if not is_blank(script.new[n])
    ]
    known = {key_of(line) for line in script.old}
    # A line that only moves is there anyway: then all new lines must be.
    if sum(strength(script.new[n]) for n in fresh if key_of(script.new[n]) not in known) < _TELLING:
        fresh = [n for n, line in enumerate(script.new) if not is_blank(line)]
    if not fresh or near < 0 or near + fresh[-1] >= len(doc.keys):
        return None
    if all(doc.keys[near + n] == key_of(script.new[n]) for n in fresh):
        return AlreadyApplied(near + fresh[0])
    return None
