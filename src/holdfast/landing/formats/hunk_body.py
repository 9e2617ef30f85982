"""The body of a hunk: which lines belong to it, and what each of them is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing.formats.diff_headers import HEADER_LETTERS, interrupts
from holdfast.landing.formats.hunks import HunkLine, Mark
from holdfast.landing.formats.surrounding_text import (
    WRAPPER_LETTERS,
    fence_of,
    is_directive,
    is_prose,
    is_wrapper,
)
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

END_OF_FILE = "*** End of File"

_MARKS: dict[str, Mark] = {" ": " ", "+": "+", "-": "-"}
_MARKERS = (" ", "+", "-", "\\ ")
_LISTED = re.compile(r"[-+] [A-Za-z`*\"'(]|---?\s*$")
_NESTED = re.compile(r" +[-*+] [A-Za-z`*\"'(]")
_VERSION = re.compile(r"[0-9]+\.[0-9]")


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
    def changes(self) -> bool:
        """Whether a line is added or removed."""
        return any(line.mark in "+-" for line in self.lines)


def read_body(lines: Sequence[str], at: int, counts: tuple[int, int] | None) -> Body:
    """Return the body that begins at `at`.

    The header's counts decide where it ends, unless they are wrong.
    """
    counted = None if counts is None else _by_counts(lines, at, counts)
    return counted or _by_marks(lines, at)


# ----------------------------------------------------------------------------- the counts are right


def _by_counts(lines: Sequence[str], at: int, counts: tuple[int, int]) -> Body | None:
    """Return the body that has exactly these counts, or None where the lines contradict them."""
    old, new = counts
    taken: list[HunkLine] = []
    i = at
    while old > 0 or new > 0:
        if i >= len(lines):
            return None
        line = lines[i]
        mark, text = _parts(line)
        # A line with a marker is content: while the counts ask for more, `--- x` above `+++ y` is a
        # change.
        if mark == "?" and _ends_counting(lines, i):
            return None
        i += 1
        if line.startswith("\\ "):
            _mark_last(taken)
            continue
        old -= mark != "+"
        new -= mark != "-"
        if old < 0 or new < 0:
            return None
        taken.append(HunkLine(mark, text))
    if i < len(lines) and lines[i].startswith("\\ "):
        _mark_last(taken)
        i += 1
    below = _next_header(lines, i)
    if _goes_on(lines, i, below):
        return None
    last_hunk = below == len(lines) or not lines[below].startswith("@@")
    if i > at and is_wrapper(lines[i - 1]) and last_hunk:
        # The counts were one too high, and the closing fence made them look right.
        return None
    return _with_end_of_file(lines, Body(tuple(taken), i, below))


def _ends_counting(lines: Sequence[str], at: int) -> bool:
    return lines[at].startswith(END_OF_FILE) or _is_header(lines, at)


def _goes_on(lines: Sequence[str], at: int, below: int) -> bool:
    """Return whether the hunk clearly goes on behind its counts: they were too low."""
    first = True
    loose = False
    for i in range(at, below):
        line = lines[i]
        if not line or line.isspace():
            loose = True
            continue
        if first and line[0] == " ":
            return True
        if line[0] in "+-" and not (loose and not is_change(line)) and not _is_signature(lines, i):
            return True
        first = False
        loose = loose or line[0] not in "+-"
    return False


def is_change(line: str) -> bool:
    """Return whether a line that is in prose could be a change all the same.

    An item of a list or a rule is none.
    """
    return line[:1] in {"+", "-"} and _LISTED.match(line) is None


def _is_signature(lines: Sequence[str], at: int) -> bool:
    """Return whether this is the end that `git format-patch` writes.

    Two dashes, and git's version below.
    """
    return (
        lines[at].rstrip() == "--"
        and at + 1 < len(lines)
        and _VERSION.match(lines[at + 1]) is not None
    )


# ------------------------------------------------------------------------- the counts are of no use


def _by_marks(lines: Sequence[str], at: int) -> Body:
    """Return all lines up to the next header, but for blank lines, wrappers and prose at the end."""
    below = _next_header(lines, at)
    stop = next(
        (i for i in range(at, below) if lines[i][:1] in WRAPPER_LETTERS and _ends_body(lines[i])),
        below,
    )
    stop = _prose_at_end(lines, at, stop)
    last = stop
    while last > at and not lines[last - 1].startswith(_MARKERS):
        last -= 1
    end = _end_of_tail(lines, last, stop)
    taken: list[HunkLine] = []
    for line in lines[at:end]:
        if line.startswith("\\ "):
            _mark_last(taken)
        else:
            taken.append(HunkLine(*_parts(line)))
    return _with_end_of_file(lines, Body(tuple(taken), end, below))


def _ends_body(line: str) -> bool:
    # A fence without a marker may be content that lost it; but without counts it cannot be known,
    # so it ends the diff.
    return bool(fence_of(line)) or (
        line.startswith("*** ") and (line.rstrip() == END_OF_FILE or is_directive(line))
    )


def _prose_at_end(lines: Sequence[str], at: int, stop: int) -> int:
    """Return the index of the prose at the end, a sentence behind a blank line and all below it, or `stop`."""
    found: int | None = None
    for i in range(at + 1, stop):
        line = lines[i]
        if not line:
            continue
        if line.startswith(_MARKERS):
            listed = not is_change(line) if line[0] != " " else _NESTED.match(line) is not None
            found = found if listed else None
        elif found is None and not lines[i - 1] and is_prose(line):
            found = i
    return stop if found is None else found


def _end_of_tail(lines: Sequence[str], at: int, stop: int) -> int:
    """Return the end of the context without markers that begins at `at`, behind the last line with one."""
    end = at
    for i in range(at, stop):
        line = lines[i]
        if not line:
            continue
        if line[0] in WRAPPER_LETTERS and is_wrapper(line):
            break
        end = i + 1
    return end


# --------------------------------------------------------------------------------------------- both


def _parts(line: str) -> tuple[Mark, str]:
    if not line:
        return " ", ""
    mark = _MARKS.get(line[0])
    return ("?", line) if mark is None else (mark, line[1:])


def _mark_last(taken: list[HunkLine]) -> None:
    if taken:
        taken[-1] = replace(taken[-1], no_newline=True)


def _is_header(lines: Sequence[str], at: int) -> bool:
    return lines[at].startswith("@@") or interrupts(lines, at)


def _next_header(lines: Sequence[str], at: int) -> int:
    for i in range(at, len(lines)):
        # By the first letter first: most lines are context or added, and there may be millions of
        # them.
        if lines[i][:1] in HEADER_LETTERS and _is_header(lines, i):
            return i
    return len(lines)


def _with_end_of_file(lines: Sequence[str], body: Body) -> Body:
    for i in range(body.end, body.below):
        if lines[i].rstrip() == END_OF_FILE:
            return replace(body, end=i + 1, at_end=True)
        if lines[i]:
            break
    return body
