"""What a request changes: old lines, new lines, and the blocks in which they differ."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from holdfast.landing.text.lines import is_blank
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        return frozenset(j for edit in self.edits for j in range(edit.o1, edit.o2))


# Beyond this many lines on both sides a changed middle is taken as one block: difflib is quadratic
# at worst.
_MIDDLE_LIMIT = 2_000


def script_of(old: list[str], new: list[str]) -> EditScript:
    """Return the script that turns `old` into `new`.

    Common ends are cut off first, which keeps it near linear.
    """
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not middle_old and not middle_new:
        return EditScript(tuple(old), tuple(new), ())
    if not middle_old or not middle_new or len(middle_old) + len(middle_new) > _MIDDLE_LIMIT:
        return EditScript(
            tuple(old), tuple(new), (ScriptEdit(head, len(old) - tail, head, len(new) - tail),)
        )
    matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
    edits = [
        ScriptEdit(head + o1, head + o2, head + n1, head + n2)
        for tag, o1, o2, n1, n2 in matcher.get_opcodes()
        if tag != "equal"
    ]
    return EditScript(tuple(old), tuple(new), tuple(_joined_over_blanks(edits, old)))


def _common(one: list[str], other: list[str]) -> int:
    size = min(len(one), len(other))
    for i in range(size):
        if one[i] != other[i]:
            return i
    return size


def _joined_over_blanks(edits: list[ScriptEdit], old: list[str]) -> list[ScriptEdit]:
    """Two edits with only blank lines between them are one.

    A blank line is no landmark to tell them apart.
    """
    joined: list[ScriptEdit] = []
    for edit in edits:
        last = joined[-1] if joined else None
        if last is not None and all(is_blank(line) for line in old[last.o2 : edit.o1]):
            joined[-1] = ScriptEdit(last.o1, edit.o2, last.n1, edit.n2)
        else:
            joined.append(edit)
    return joined


def kept_lines(script: EditScript) -> Iterator[tuple[int, int]]:
    """Yield (new line, old line) for every line that the script keeps."""
    o = n = 0
    for edit in script.edits:
        while o < edit.o1:
            yield n, o
            o, n = o + 1, n + 1
        o, n = edit.o2, edit.n2
    while o < len(script.old):
        yield n, o
        o, n = o + 1, n + 1
