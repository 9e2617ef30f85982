"""The body of a hunk: which lines belong to it, and what each of them is."""

from __future__ import annotations

import re
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from holdfast.landing.formats.diff_headers import HEADER_LETTERS, interrupts
from holdfast.landing.formats.hunks import HunkLine, Mark, mark_like
from holdfast.landing.formats.surrounding_text import DIRECTIVE, FENCE, is_prose, is_wrapper
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

END_OF_FILE = "*** End of File"

_MARKS: dict[str, Mark] = {" ": " ", "+": "+", "-": "-", "": " "}
"""What a line is by its first character; an empty line is context."""
_CHANGES = frozenset("+-")
_NO_NEWLINE = "\\ "
_MARKERS = (" ", "+", "-", _NO_NEWLINE)
_LISTED = re.compile(r"[-+] [A-Za-z`*\"'(]|---?\s*$")
_CHANGE = re.compile(rf"(?!{_LISTED.pattern})[-+]")
_ITEM = re.compile(rf"{_LISTED.pattern}| +[-*+] [A-Za-z`*\"'(]|\\ ")
"""A line with a marker that may as well be an item of a list, or a rule, in prose."""
# A fence without a marker may be content that lost it; but without counts it cannot be known, so it
# ends the diff.
_BODY_END = re.compile(rf"{FENCE.pattern}|{DIRECTIVE.pattern}|{re.escape(END_OF_FILE)}\s*$")
_SIGNATURE = re.compile(r"--\s*\n[0-9]+\.[0-9]")
"""The end that `git format-patch` writes: two dashes, and git's version below."""


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
    if _goes_on(lines, end, below):
        return None

    is_last = below == len(lines) or not lines[below].startswith("@@")
    if is_last and end > at and is_wrapper(lines[end - 1]):
        # The counts were one too high, and the closing fence made them look right.
        return None

    return end


def _count(lines: Sequence[str], at: int, counts: tuple[int, int]) -> int | None:
    """Return the index below as many old and new lines as the counts say, or None."""
    old, new = counts
    end = at
    while max(old, new) > 0 and _is_content(lines, end):
        if not lines[end].startswith(_NO_NEWLINE):
            line = HunkLine(*_parts(lines[end]))
            mark = mark_like(line) or line.mark
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
    mark, text = _parts(lines[at])
    if mark != "?":
        return True
    if text.startswith(END_OF_FILE):
        return False
    return not _is_header(lines, at)


def _goes_on(lines: Sequence[str], at: int, below: int) -> bool:
    """Return whether the hunk clearly goes on behind its counts: they were too low."""
    first = next(filter(str.strip, lines[at:below]), "")
    if first.startswith(" "):
        return True

    after_prose = False
    for i in range(at, below):
        line = lines[i]
        if line[:1] not in {"+", "-"}:
            after_prose = True
            continue
        listed = after_prose and not is_change(line)
        if not listed and not _SIGNATURE.match("\n".join(lines[i : i + 2])):
            return True

    return False


def is_change(line: str) -> bool:
    """Return whether a line that is in prose could be a change all the same.

    An item of a list or a rule is none.
    """
    return _CHANGE.match(line) is not None


# ------------------------------------------------------------------------- the counts are of no use


def _end_by_marks(lines: Sequence[str], at: int) -> int:
    """Return the end of all lines up to the next header, but for blank lines, wrappers and prose at the end."""
    below = _next_header(lines, at)
    stop = at
    while stop < below and not _BODY_END.match(lines[stop]):
        stop += 1

    stop = _prose_at_end(lines, at, stop)
    end = stop
    while end > at and not lines[end - 1].startswith(_MARKERS):
        end -= 1

    # Behind the last line with a marker there may be context without one.
    for i in range(end, stop):
        if is_wrapper(lines[i]):
            break
        if lines[i]:
            end = i + 1

    return end


def _prose_at_end(lines: Sequence[str], at: int, stop: int) -> int:
    """Return the index of the prose at the end, a sentence behind a blank line and all below it, or `stop`."""
    found = stop
    for i in range(at + 1, stop):
        line = lines[i]
        is_marked = line.startswith(_MARKERS)
        if is_marked and not _ITEM.match(line):
            found = stop
        if is_marked or found < stop:
            continue
        is_below_blank = not lines[i - 1]
        if is_below_blank and is_prose(line):
            found = i

    return found
