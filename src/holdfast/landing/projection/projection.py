"""Three-way projection: of a request's change only what it means to change reaches the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.projection.drift import Drift, drift_between, merge_line
from holdfast.landing.projection.indentation import Indents, map_indents
from holdfast.landing.text.line_keys import indent_of, indent_width, key_of
from holdfast.landing.text.lines import Doc, is_blank
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.placement import Placement
    from holdfast.landing.text.edit_script import EditScript, ScriptEdit


@dataclass(frozen=True, slots=True)
class LineSplice:
    """File lines `first` up to (not including) `last` become `lines`."""

    first: int
    last: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnclearProjection:
    """The place is right, but the file has lines (from, to) there which the request does not know."""

    first: int
    last: int


def project(doc: Doc, script: EditScript, place: Placement) -> list[LineSplice] | UnclearProjection:
    """Return the script's edits on the file's own lines; all other lines keep their bytes."""
    writer = _Writer(doc, script, place)
    splices: list[LineSplice] = []
    for edit in script.edits:
        lines = _range(doc, script, place, edit)
        if isinstance(lines, UnclearProjection):
            return lines
        first, last = lines
        new = writer.write(edit, first, last)
        if isinstance(new, UnclearProjection):
            return new
        if list(new) != doc.lines[first:last]:
            splices.append(LineSplice(first, last, new))
    return splices


def _range(
    doc: Doc, script: EditScript, place: Placement, edit: ScriptEdit
) -> tuple[int, int] | UnclearProjection:
    """Return the file lines an edit replaces; an empty range for an insertion."""
    gone = [i for i in place.pairs[edit.o1 : edit.o2] if i is not None]
    if not gone:
        return _gap(doc, script, place, edit)
    first, last = min(gone), max(gone) + 1
    known = set(gone)
    if any(doc.keys[i] and i not in known for i in range(first, last)):
        return UnclearProjection(first, last)
    return first, last


def _gap(
    doc: Doc, script: EditScript, place: Placement, edit: ScriptEdit
) -> tuple[int, int] | UnclearProjection:
    """Return where an insertion goes.

    Beside the nearest line it touches, on the right side of blank lines.
    """
    above, blanks_above = _neighbour(script, place, range(edit.o1 - 1, -1, -1))
    below, blanks_below = _neighbour(script, place, range(edit.o2, len(script.old)))
    if above is not None and below is not None and any(doc.keys[above + 1 : below]):
        return UnclearProjection(above, below + 1)
    if above is not None and (blanks_above == 0 or below is None):
        at = above + 1
        while blanks_above and at < len(doc.lines) and not doc.keys[at]:
            at, blanks_above = at + 1, blanks_above - 1
        return at, at
    if below is not None:
        at = below
        if blanks_below and above is not None:
            at = min(below, above + 1 + blanks_above)
        while blanks_below and above is None and at > 0 and not doc.keys[at - 1]:
            at, blanks_below = at - 1, blanks_below - 1
        return at, at
    return UnclearProjection(place.first, place.last + 1)


def _neighbour(script: EditScript, place: Placement, order: range) -> tuple[int | None, int]:
    blanks = 0
    for j in order:
        if is_blank(script.old[j]):
            blanks += 1
            continue
        return place.pairs[j], blanks
    return None, 0


class _Writer:
    """Writes new lines the way the file writes lines."""

    def __init__(self, doc: Doc, script: EditScript, place: Placement) -> None:
        self.doc, self.script, self.place = doc, script, place
        self.pairs = [
            (script.old[j], doc.lines[i])
            for j, i in enumerate(place.pairs)
            if i is not None and not is_blank(script.old[j])
        ]
        self.drift: Drift = drift_between(self.pairs, doc.text)
        request = [*script.old, *script.new]
        rest = self.pairs[1:]
        self.lost_first = bool(rest) and _has_lost(self.pairs[0], rest)
        self.indents = map_indents(rest if self.lost_first else self.pairs, request, doc)

    def write(self, edit: ScriptEdit, first: int, last: int) -> tuple[str, ...] | UnclearProjection:
        indents = self.indents or self._local_indents(edit)
        if indents is None:
            return UnclearProjection(first, last)
        olds = self._partners(edit)
        # A blank line is a blank line: the file's own stay, with whatever blanks they contain.
        blanks = iter([line for line in self.doc.lines[first:last] if is_blank(line)])
        out: list[str] = []
        for n in range(edit.n1, edit.n2):
            kept = next(blanks, None) if is_blank(self.script.new[n]) else None
            out.append(self._line(n, olds.get(n), indents) if kept is None else kept)
        return tuple(out)

    def _line(self, n: int, old: int | None, indents: Indents) -> str:
        line = self.script.new[n]
        if is_blank(line):
            return self.drift.undo(line) if not indents.table else ""
        indent = indents.map(indent_of(line))
        if n == 0 and self.lost_first and indent_of(line) == indent_of(self.pairs[0][0]):
            indent = indent_of(self.pairs[0][1])
        real = self.place.pairs[old] if old is not None else None
        if old is None or real is None:
            return indent + self.drift.undo(line[len(indent_of(line)) :])
        return indent + merge_line(self.script.old[old], line, self.doc.lines[real], self.drift)

    def _partners(self, edit: ScriptEdit) -> dict[int, int]:
        """Return the drifted old line that each new line rewrites.

        Shared words keep the file's spelling.
        """
        drifted = {
            j
            for j in range(edit.o1, edit.o2)
            if (i := self.place.pairs[j]) is not None
            and self.script.old[j].strip() != self.doc.lines[i].strip()
        }
        if not drifted:
            return {}
        return dict(_most_alike(self.script, edit, drifted))

    def _local_indents(self, edit: ScriptEdit) -> Indents | None:
        """Return the map of the lines that the edit touches, if it is clear.

        Used where no map fits all lines.
        """
        near = [
            (self.script.old[j], self.doc.lines[i])
            for j in range(max(0, edit.o1 - 1), min(len(self.script.old), edit.o2 + 1))
            if (i := self.place.pairs[j]) is not None and not is_blank(self.script.old[j])
        ]
        return map_indents(near, [*self.script.old, *self.script.new], self.doc)


_ALIKE = 0.6


def _most_alike(
    script: EditScript, edit: ScriptEdit, drifted: set[int]
) -> Sequence[tuple[int, int]]:
    from rapidfuzz.fuzz import ratio  # noqa: PLC0415 - native, imported when needed

    found = []
    for j in sorted(drifted):
        scored = [
            (ratio(key_of(script.old[j]), key_of(script.new[n])) / 100, n)
            for n in range(edit.n1, edit.n2)
        ]
        best = max(scored, default=(0.0, 0))
        if best[0] >= _ALIKE:
            found.append((best[1], j))
    return found


def _has_lost(first: tuple[str, str], rest: Sequence[tuple[str, str]]) -> bool:
    """Return whether the first line alone is further to the left than all others are.

    A copy that began mid-line.
    """
    shifts = {_shift(pair) for pair in rest}
    own = indent_width(first[0])
    shallow = not own or own < min(indent_width(line) for line, _ in rest)
    return len(shifts) == 1 and shallow and _shift(first) > max(0, *shifts)


def _shift(pair: tuple[str, str]) -> int:
    """Return the columns that the file's line is further to the right."""
    return indent_width(pair[1]) - indent_width(pair[0])
