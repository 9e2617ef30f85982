"""Three-way projection: of a request's change only what it means to change reaches the file."""

from __future__ import annotations

import operator
from bisect import bisect_left
from functools import cached_property
from itertools import chain, pairwise, takewhile
from typing import TYPE_CHECKING

from holdfast.landing.projection.drift import Drift, drift_between, merge_line
from holdfast.landing.projection.indentation import Indents, map_indents, with_file_indents
from holdfast.landing.projection.levels import FileLevels
from holdfast.landing.text.languages import UNKNOWN, opens_block
from holdfast.landing.text.line_keys import indent_of, indent_width, key_of
from holdfast.landing.text.line_tokens import strength
from holdfast.landing.text.lines import Doc, is_blank, solid_lines, solid_numbers
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
    if _is_torn(doc, script, place):
        return UnclearProjection(place.first, place.last + 1)

    script = with_file_indents(doc, script, place)
    writer = _Writer(doc, script, place)
    splices: list[LineSplice] = []
    for edit in script.edits:
        lines = _range(doc, script, place, edit)
        if isinstance(lines, UnclearProjection):
            return lines
        first, last = lines
        new = writer.write(edit, first, last)
        if isinstance(new, UnclearProjection):
            return UnclearProjection(first, last)
        if list(new) != doc.lines[first:last]:
            splices.append(LineSplice(first, last, new))

    return splices


def _is_torn(doc: Doc, script: EditScript, place: Placement) -> bool:
    """Return whether of two neighbouring old lines only the upper one has the file's indentation, and the lower may be another."""
    for numbers in pairwise(solid_numbers(script.old)):
        known = place.known_of(numbers)
        if len(known) < 2:
            continue
        upper, lower = numbers
        above, below = known
        indent = indent_of(script.old[upper])
        if not indent:
            continue
        if indent != indent_of(doc.lines[above]):
            continue
        if indent_of(script.old[lower]) == indent_of(doc.lines[below]):
            continue
        if _may_be_another(script, numbers, known):
            return True

    return False


def _may_be_another(script: EditScript, numbers: tuple[int, int], known: Sequence[int]) -> bool:
    """Return whether the lower of two old lines may not be the line that it is paired with.

    The blank lines between them differ, or it is a bracket alone and new lines go below it: a bracket of another block.
    """
    upper, lower = numbers
    above, below = known
    is_beside = lower == upper + 1
    is_beside_in_file = below == above + 1
    if is_beside != is_beside_in_file:
        return True
    if strength(script.old[lower]):
        return False
    return any(edit.o1 == lower + 1 for edit in script.edits)


def _range(
    doc: Doc, script: EditScript, place: Placement, edit: ScriptEdit
) -> tuple[int, int] | UnclearProjection:
    """Return the file lines an edit replaces; an empty range for an insertion."""
    gone = place.known_of(range(edit.o1, edit.o2))
    if not gone:
        return _gap(doc, script, place, edit)

    first, last = min(gone), max(gone) + 1
    unknown = set(range(first, last)).difference(gone)
    if any(doc.keys[i] for i in unknown):
        return UnclearProjection(first, last)

    return first, last


def _gap(
    doc: Doc, script: EditScript, place: Placement, edit: ScriptEdit
) -> tuple[int, int] | UnclearProjection:
    """Return where an insertion goes: beside the nearest line it touches, on the right side of blank lines."""
    solid = solid_numbers(script.old)
    at = bisect_left(solid, edit.o1)
    above, below = solid[:at][-1:], solid[at:][:1]
    uppers, lowers = place.known_of(above), place.known_of(below)
    for upper, lower in zip(uppers, lowers, strict=False):
        if any(doc.keys[upper + 1 : lower]):
            return UnclearProjection(upper, lower + 1)

        if _goes_below_blanks(script, edit, [*above, *below]):
            return lower, lower

    is_beside_upper = above == [edit.o1 - 1]
    is_beside_known = (is_beside_upper and uppers) or (below == [edit.o2] and lowers)
    if not is_beside_known and _may_lack_line(doc, place, above + below, uppers, lowers):
        return UnclearProjection(place.first, place.last + 1)
    if uppers and (is_beside_upper or not lowers):
        at = _after(doc, uppers[0], edit.o1 - above[0] - 1)
        return at, at
    if lowers:
        at = _before(doc, place, edit, lowers[0], below[0] - edit.o2)
        return at, at
    return UnclearProjection(place.first, place.last + 1)


def _may_lack_line(
    doc: Doc,
    place: Placement,
    beside: Sequence[int],
    uppers: Sequence[int],
    lowers: Sequence[int],
) -> bool:
    """Return whether the old text may lack a line at an insertion: on which side of that the new lines go is not known.

    A line beside it is not the file's; or blank lines are below the last old line, and the file has a line there.
    """
    if len(beside) > len(uppers) + len(lowers):
        return place.rung != "elision"
    if lowers:
        return False
    return any(doc.keys[uppers[0] + 1 : uppers[0] + 2])


def _goes_below_blanks(script: EditScript, edit: ScriptEdit, between: Sequence[int]) -> bool:
    """Return whether an insertion ends in a blank line and begins with none, and old lines around it have none between them.

    The file has some there: they part the line above from the insertion. So do they where lines move up from below.
    """
    new = script.new[edit.n1 : edit.n2]
    if not new:
        return False
    if between != [edit.o1 - 1, edit.o1]:
        return False

    removed_below = script.removed.intersection(range(edit.o1, len(script.old)))
    keys = {key_of(script.old[j]) for j in removed_below}
    if keys.issuperset(map(key_of, new)):
        return True
    if is_blank(new[0]):
        return False
    return is_blank(new[-1])


def _after(doc: Doc, upper: int, blanks: int) -> int:
    """Return where an insertion below the file line `upper` goes, with so many blank lines left above it."""
    below = doc.keys[upper + 1 : upper + 1 + blanks]
    return upper + 1 + _count_blanks(below)


def _before(doc: Doc, place: Placement, edit: ScriptEdit, lower: int, blanks: int) -> int:
    """Return where an insertion above the file line `lower` goes, with so many blank lines left below it."""
    above = doc.keys[max(0, lower - blanks) : lower]
    at = lower - _count_blanks(reversed(above))
    return max(at, place.pairs.get(edit.o1 - 1, -1) + 1)


def _count_blanks(keys: Iterable[str]) -> int:
    """Return how many blank lines come first."""
    return len(list(takewhile(operator.not_, keys)))


class _Writer:
    """Writes new lines the way the file writes lines."""

    def __init__(self, doc: Doc, script: EditScript, place: Placement) -> None:
        self.doc, self.script, self.place = doc, script, place
        self.request = [*script.old, *script.new]
        self.pairs = self._solid_pairs(0, len(script.old))
        self.drift: Drift = drift_between(self.pairs)
        moved = (self._solid_pairs(edit.o1, edit.o2) for edit in script.edits)
        self.spellings = _spellings(chain.from_iterable(moved))
        self.lost_first = _has_lost(self.pairs[0], self.pairs[1:], solid_lines(script.new))
        self.indents = map_indents(self.pairs[self.lost_first :], self.request, doc)

    def _solid_pairs(self, first: int, last: int) -> list[tuple[str, str]]:
        """Return the old lines from `first` up to `last` that are not blank, each with the file's own line."""
        pairs = self.place.line_pairs(self.doc, self.script.old, first, last)
        return [(line, real) for line, real in pairs if not is_blank(line)]

    def write(self, edit: ScriptEdit, first: int, last: int) -> tuple[str, ...] | UnclearProjection:
        indents = self.indents
        if indents is None:
            # No map fits all lines. One may fit those that the edit touches.
            near = self._solid_pairs(max(0, edit.o1 - 1), edit.o2 + 1)
            indents = map_indents(near, self.request, self.doc)
        if indents is None:
            if solid_numbers(self.script.new[edit.n1 : edit.n2]):
                return UnclearProjection(first, last)
            indents = Indents({})

        rewritten = self._rewritten(edit)
        # A blank line is a blank line: the file's own stay, with whatever blanks they contain.
        blanks = list(filter(is_blank, reversed(self.doc.lines[first:last])))
        out: list[str] = []
        for n in range(edit.n1, edit.n2):
            line = self.script.new[n]
            # Not `is_blank`: characters that cannot be seen are content here.
            if line.strip():
                out.append(self._indent(n, indents) + self._body(n, rewritten))
            elif blanks:
                out.append(blanks.pop())
            else:
                out.append(self.drift.undo(line))

        spaced = self._with_blanks_of_file(edit, out, first, last)
        return self._in_file_levels(tuple(spaced), first)

    def _with_blanks_of_file(
        self, edit: ScriptEdit, new: list[str], first: int, last: int
    ) -> list[str]:
        """Return the new lines with the blank lines between the file's lines that they replace one by one, if the request knows of none."""
        old = self.script.old[edit.o1 : edit.o2]
        real = self.doc.lines[first:last]
        if any(map(is_blank, (*old, *new))):
            return new
        if len(solid_lines(real)) != len(new):
            return new

        following = iter(new)
        out = []
        for line in real:
            if is_blank(line):
                out.append(line)
            else:
                out.append(next(following))
        return out

    def _in_file_levels(
        self, lines: tuple[str, ...], first: int
    ) -> tuple[str, ...] | UnclearProjection:
        """Return new lines at `first`, if they are indented in steps of the file.

        Where the white space of the old lines is the file's own, that of the new lines is meant.
        """
        language = self.doc.language
        if language is UNKNOWN or language.underlined:
            return lines
        if not lines:
            return lines
        if not self.is_respaced:
            return lines

        lines_above = reversed(self.doc.lines[:first])
        above = next(filter(key_of, lines_above), "")
        if FileLevels(self.doc).fit(above, lines):
            return lines
        return UnclearProjection(first, first)

    @cached_property
    def is_respaced(self) -> bool:
        """Whether an old line is the file's but for its white space or typography."""
        for line, real in self.pairs:
            if line == real:
                continue
            if key_of(line) == key_of(real):
                return True
        return False

    def _indent(self, n: int, indents: Indents) -> str:
        """Return the file's indentation for a new line."""
        indent = indent_of(self.script.new[n])
        line, real = self.pairs[0]
        is_first = n == 0 and self.lost_first
        if is_first and indent == indent_of(line):
            return indent_of(real)
        return self.drift.undo_inside(indents.map(indent))

    def _body(self, n: int, rewritten: Mapping[int, tuple[str, str]]) -> str:
        """Return the rest of a new line: as in the file if it is an old one that moved, else in the words of the one it rewrites."""
        line = self.script.new[n]
        known = self.spellings.get(line.strip())
        if known is not None:
            return known
        if n in rewritten:
            return merge_line(line, *rewritten[n], self.drift)
        return self.drift.undo(line[len(indent_of(line)) :])

    def _rewritten(self, edit: ScriptEdit) -> dict[int, tuple[str, str]]:
        """Return for each new line that rewrites a drifted one the old line and the file's own."""
        found = {}
        for line, real in self.place.line_pairs(self.doc, self.script.old, edit.o1, edit.o2):
            if line.strip() == real.strip():
                continue
            n = _most_alike(self.script, edit, line)
            if n is not None:
                found[n] = line, real

        return found


def _spellings(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the file's own text, without its indentation, of each old line that is one line of the file and no other."""
    found: dict[str, set[str]] = {}
    for line, real in pairs:
        # What was copied as it is needs no other spelling.
        if line == real:
            continue
        # A bracket does not move.
        if strength(line) <= _SHORT:
            continue
        spellings = found.setdefault(line.strip(), set())
        spellings.add(real[len(indent_of(real)) :])

    return {line: own.pop() for line, own in found.items() if len(own) == 1}


_SHORT = 3
_ALIKE = 60.0


def _most_alike(script: EditScript, edit: ScriptEdit, old: str) -> int | None:
    """Return the new line of the edit that is most like the old line, if one is like it at all."""
    from rapidfuzz.fuzz import ratio  # noqa: PLC0415 - native, imported when needed

    scored = [(ratio(key_of(old), key_of(script.new[n])), n) for n in range(edit.n1, edit.n2)]
    best, n = max(scored, default=(0.0, 0))
    if best < _ALIKE:
        return None
    return n


def _has_lost(first: tuple[str, str], rest: Sequence[tuple[str, str]], new: Sequence[str]) -> bool:
    """Return whether the first old line alone is further to the left than the others are: a copy that began mid-line.

    Where it is the only old line, the new lines below it show that. `new` are the new lines that are not blank.
    """
    shift = _shift(first)
    if shift <= 0:
        return False
    if not rest:
        return _are_placed(new, indent_width(first[1]))

    shifts = set(map(_shift, rest))
    if len(shifts) != 1:
        return False
    if shift <= max(shifts):
        return False

    own = indent_width(first[0])
    if not own:
        return True
    return own < min(indent_width(line) for line, _ in rest)


def _are_placed(new: Sequence[str], depth: int) -> bool:
    """Return whether the lines below the first have the indentation of the file, where the first one has `depth`.

    Below a line that opens a block, lines that are only as deep as it may be one level of the request.
    """
    if len(new) < 2:
        return False
    first, *below = new
    depths = list(map(indent_width, below))
    if opens_block(key_of(first)) and depths[0] <= depth:
        return False
    return min(depths) >= depth


def _shift(pair: tuple[str, str]) -> int:
    """Return the columns that the file's line is further to the right."""
    return indent_width(pair[1]) - indent_width(pair[0])
