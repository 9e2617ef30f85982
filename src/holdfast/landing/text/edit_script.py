"""What a request changes: old lines, new lines, and the blocks in which they differ."""

from __future__ import annotations

import operator
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


# Beyond this many lines on both sides a changed middle is taken as one block: difflib is quadratic
# at worst.
_MIDDLE_LIMIT = 2_000


def script_of(old: list[str], new: list[str]) -> EditScript:
    """Return the script that turns `old` into `new`.

    Common ends are cut off first, which keeps it near linear.
    """
    head, tail = common_ends(old, new)
    middle = ScriptEdit(head, len(old) - tail, head, len(new) - tail)
    edits = [middle]
    if middle.o2 - head + middle.n2 - head <= _MIDDLE_LIMIT:
        edits = list(_diff(old, new, middle))

    return EditScript(tuple(old), tuple(new), tuple(_joined_over_blanks(edits, old)))


def _diff(old: list[str], new: list[str], middle: ScriptEdit) -> Iterator[ScriptEdit]:
    """Yield the blocks of the middle in which the lines differ."""
    head = middle.o1
    matcher = SequenceMatcher(None, old[head : middle.o2], new[head : middle.n2], autojunk=False)
    for tag, o1, o2, n1, n2 in matcher.get_opcodes():
        if tag != "equal":
            yield ScriptEdit(head + o1, head + o2, head + n1, head + n2)


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
