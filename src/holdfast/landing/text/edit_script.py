"""What a request changes: old lines, new lines, and the blocks in which they differ."""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from itertools import chain, compress
from typing import TYPE_CHECKING

from holdfast.landing.text.lines import solid_lines
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class ScriptEdit:
    """`old[o1:o2]` becomes `new[n1:n2]`."""

    o1: int
    o2: int
    n1: int
    n2: int


@dataclass(frozen=True, slots=True)
class EditScript:
    """Old and new lines (without endings) and the edits between them.

    All other lines are context.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    edits: tuple[ScriptEdit, ...]

    @property
    def removed(self) -> frozenset[int]:
        """The old lines that do not survive, by number."""
        ranges = (range(edit.o1, edit.o2) for edit in self.edits)
        return frozenset(chain.from_iterable(ranges))

    @property
    def added(self) -> list[int]:
        """The new lines that the old text does not have there, by number."""
        ranges = (range(edit.n1, edit.n2) for edit in self.edits)
        return list(chain.from_iterable(ranges))


# difflib is quadratic at worst: a longer middle is cut at lines that both sides have once.
_MIDDLE_LIMIT = 2_000


def script_of(old: list[str], new: list[str]) -> EditScript:
    """Return the script that turns `old` into `new`.

    Common ends are cut off first, which keeps it near linear.
    """
    head, tail = common_ends(old, new)
    middle = ScriptEdit(head, len(old) - tail, head, len(new) - tail)
    pieces = [middle]
    if _size(middle) > _MIDDLE_LIMIT:
        pieces = _cut_at_anchors(old, new, middle)

    edits = list(chain.from_iterable(_diff(old, new, piece) for piece in pieces))
    return EditScript(tuple(old), tuple(new), tuple(_joined_over_blanks(edits, old)))


def _size(piece: ScriptEdit) -> int:
    """Return how many lines of both sides are in the piece."""
    return piece.o2 - piece.o1 + piece.n2 - piece.n1


def _diff(old: list[str], new: list[str], piece: ScriptEdit) -> Iterator[ScriptEdit]:
    """Yield the blocks of the piece in which the lines differ; one block for a piece that is too long."""
    if _size(piece) > _MIDDLE_LIMIT:
        yield piece
        return
    matcher = SequenceMatcher(
        None, old[piece.o1 : piece.o2], new[piece.n1 : piece.n2], autojunk=False
    )
    for tag, o1, o2, n1, n2 in matcher.get_opcodes():
        if tag != "equal":
            yield ScriptEdit(piece.o1 + o1, piece.o1 + o2, piece.n1 + n1, piece.n1 + n2)


def _cut_at_anchors(old: list[str], new: list[str], middle: ScriptEdit) -> list[ScriptEdit]:
    """Return the pieces of the middle between lines that both sides have once, in the same order."""
    old_places = _places_of_single_lines(old, middle.o1, middle.o2)
    new_places = _places_of_single_lines(new, middle.n1, middle.n2)
    anchors = [(o, new_places[line]) for line, o in old_places.items() if line in new_places]
    pieces: list[ScriptEdit] = []
    o, n = middle.o1, middle.n1
    for o_stop, n_stop in (*_longest_rising(anchors), (middle.o2, middle.n2)):
        if o < o_stop or n < n_stop:
            pieces.append(ScriptEdit(o, o_stop, n, n_stop))
        o, n = o_stop + 1, n_stop + 1
    return pieces


def _places_of_single_lines(lines: list[str], start: int, stop: int) -> dict[str, int]:
    """Return the number of each line that is only once between `start` and `stop`."""
    part = lines[start:stop]
    counts = Counter(part)
    return {line: n for n, line in enumerate(part, start) if counts[line] == 1}


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest run of pairs, already in the order of their first numbers, whose second numbers rise too."""
    ends: list[int] = []
    # For each length of a run the last pair of the best one; -1 for none.
    chosen = [-1]
    before: list[int] = []
    for at, (_, second) in enumerate(pairs):
        size = bisect_left(ends, second)
        before.append(chosen[size])
        ends[size : size + 1] = [second]
        chosen[size + 1 : size + 2] = [at]

    run: list[tuple[int, int]] = []
    at = chosen[-1]
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many lines both begin with, and how many of the others both end with."""
    head = _common(one, other)
    return head, _common(one[head:][::-1], other[head:][::-1])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    size = min(len(one), len(other))
    differs = map(operator.ne, one, other)
    return next(compress(range(size), differs), size)


def _joined_over_blanks(edits: list[ScriptEdit], old: list[str]) -> list[ScriptEdit]:
    """Two edits with only blank lines between them are one.

    A blank line is no landmark to tell them apart.
    """
    joined = edits[:1]
    for edit in edits[1:]:
        last = joined[-1]
        if solid_lines(old[last.o2 : edit.o1]):
            joined.append(edit)
        else:
            joined[-1] = ScriptEdit(last.o1, edit.o2, last.n1, edit.n2)

    return joined


def kept_lines(script: EditScript) -> Iterator[tuple[int, int]]:
    """Yield (new line, old line) for every line that the script keeps."""
    o = n = 0
    end = ScriptEdit(len(script.old), 0, len(script.new), 0)
    for edit in (*script.edits, end):
        yield from zip(range(n, edit.n1), range(o, edit.o1), strict=True)
        o, n = edit.o2, edit.n2
