"""The body of a hunk: which lines belong to it, and what each of them is."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from holdfast.landing.formats.diff_headers import HEADER_LETTERS, interrupts
from holdfast.landing.formats.hunks import HunkLine, Mark, mark_like
from holdfast.landing.formats.surrounding_text import is_prose, is_wrapper
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

END_OF_FILE = "*** End of File"

_MARKS: dict[str, Mark] = {" ": " ", "+": "+", "-": "-", "": " "}
"""What a line is by its first character; an empty line is context."""
_CHANGES = frozenset("+-")
_NO_NEWLINE = "\\ "
_MARKERS = (" ", "+", "-", _NO_NEWLINE)
_CHANGE = lazy_pattern(r"(?!- [A-Za-z`*\"'(]|---?\s*$)[-+]")
"""A line that may be a change where prose is: no item of a list and no rule. Few lists have items with a plus."""


@dataclass(frozen=True, slots=True)
class Body:
    """The lines of one hunk, and where it ends."""

    lines: tuple[HunkLine, ...]
    end: int
    """The index below the last line of the body."""
    below: int
    """The index of the next header, or of the end.

    Non-blank lines from `end` to here are outside.
    """
    at_end: bool = False

    @property
    def marks(self) -> str:
        """The marks of the lines."""
        return "".join(map(attrgetter("mark"), self.lines))

    @property
    def changes(self) -> bool:
        """Whether a line is added or removed, or may be."""
        if not _CHANGES.isdisjoint(self.marks):
            return True
        return any(map(mark_like, self.lines))


def read_body(lines: Sequence[str], at: int, counts: tuple[int, int] | None) -> Body:
    """Return the body that begins at `at`.

    The header's counts decide where it ends, unless they are wrong.
    """
    end = None
    if counts is not None:
        end = _end_by_counts(lines, at, counts)
    if end is None:
        end = _end_by_marks(lines, at)

    below = _next_header(lines, end)
    body = Body(_hunk_lines(lines[at:end]), end, below)
    for i in range(end, below):
        if lines[i].rstrip() == END_OF_FILE:
            return replace(body, end=i + 1, at_end=True)
        if lines[i]:
            break

    return body


def _next_header(lines: Sequence[str], at: int) -> int:
    for i in range(at, len(lines)):
        # By the first letter first: most lines are context or added, and there may be millions of
        # them.
        if lines[i][:1] not in HEADER_LETTERS:
            continue
        if _is_header(lines, i):
            return i

    return len(lines)


def _is_header(lines: Sequence[str], at: int) -> bool:
    if lines[at].startswith("@@"):
        return True
    return interrupts(lines, at)


def _hunk_lines(lines: Sequence[str]) -> tuple[HunkLine, ...]:
    taken: list[HunkLine] = []
    for line in lines:
        if not line.startswith(_NO_NEWLINE):
            taken.append(HunkLine(*_parts(line)))
        elif taken:
            taken[-1] = replace(taken[-1], no_newline=True)

    return tuple(taken)


def _parts(line: str) -> tuple[Mark, str]:
    """Return the marker of a line and the rest; `?` says that there is no marker."""
    mark = _MARKS.get(line[:1])
    if mark is None:
        return "?", line
    return mark, line[1:]


# ----------------------------------------------------------------------------- the counts are right


def _end_by_counts(lines: Sequence[str], at: int, counts: tuple[int, int]) -> int | None:
    """Return the end of the body that has exactly these counts, or None where the lines contradict them."""
    end = _count(lines, at, counts)
    if end is None:
        return None
    below = _next_header(lines, end)
    if _goes_on(lines[end:below]):
        return None
    return end


def _count(lines: Sequence[str], at: int, counts: tuple[int, int]) -> int | None:
    """Return the index below as many old and new lines as the counts say, or None."""
    old, new = counts
    end = at
    while max(old, new) > 0 and _is_content(lines, end):
        if not lines[end].startswith(_NO_NEWLINE):
            mark, _ = _parts(lines[end])
            old -= mark != "+"
            new -= mark != "-"
        end += 1

    if (old, new) != (0, 0):
        return None
    return end + "".join(lines[end : end + 1]).startswith(_NO_NEWLINE)


def _is_content(lines: Sequence[str], at: int) -> bool:
    """Return whether there is a line `at` which belongs to a hunk whose counts ask for more.

    A line with a marker does: `--- x` above `+++ y` is a change then.
    """
    if at == len(lines):
        return False
    if lines[at].startswith(_MARKERS):
        return True
    if _is_around(lines[at]):
        return False
    return not _is_header(lines, at)


def _is_around(line: str) -> bool:
    """Return whether a line is around a diff.

    A fence without a marker may be content that lost it; but this cannot be known, so it ends the hunk.
    """
    if line.rstrip() == END_OF_FILE:
        return True
    return is_wrapper(line)


def _goes_on(below: Sequence[str]) -> bool:
    """Return whether the hunk clearly goes on in the lines behind its counts: they were too low."""
    attached = "".join(below[:1])
    if attached.startswith(("+", "-")):
        return True
    first = next(filter(str.strip, below), "")
    if first.startswith(" "):
        return True
    return any(map(is_change, below))


def is_change(line: str) -> bool:
    """Return whether a line that is in prose could be a change all the same.

    An item of a list or a rule is none.
    """
    return _CHANGE.match(line) is not None


# ------------------------------------------------------------------------- the counts are of no use


def _end_by_marks(lines: Sequence[str], at: int) -> int:
    """Return the end of all lines up to the next header, wrapper or prose, but for blank lines at the end."""
    below = _next_header(lines, at)
    end = at
    while end < below and not _ends_body(lines, end):
        end += 1
    while end > at and not lines[end - 1]:
        end -= 1
    return end


def _ends_body(lines: Sequence[str], at: int) -> bool:
    """Return whether a line without a marker is around the diff, or is a sentence below a blank line."""
    line = lines[at]
    if line.startswith(_MARKERS):
        return False
    if _is_around(line):
        return True
    is_below_blank = lines[at - 1 : at] == [""]
    if not is_below_blank:
        return False
    return is_prose(line)
