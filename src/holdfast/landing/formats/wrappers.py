"""The one clean wrapper around a diff: a fence, a pair of tags, or prose."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from holdfast.landing.formats.detect import may_be_edit
from holdfast.landing.formats.diff_scanner import (
    DiffLines,
    FileSection,
    malformed,
    next_structure,
    read_bare,
    read_scan,
    tell_stray,
)
from holdfast.landing.formats.hunks import MalformedError
from holdfast.landing.formats.paths import shorten
from holdfast.landing.formats.surrounding_text import closes, fence_of, is_wrapper, tag_of
from holdfast.landing.text.line_tokens import matched

if TYPE_CHECKING:
    from collections.abc import Sequence

_OUTSIDE = '"{}" is outside the wrapper but looks like an edit; send one bare diff:'
_UNCLOSED = "the fence around the diff is not closed; send the bare diff:"


def read_wrapped(source: DiffLines) -> tuple[FileSection, ...] | None:
    """Return the diff without its one wrapper, or None where there is no such wrapper."""
    start = next_structure(source.lines, 0)
    if start is None:
        return None

    opened = _open_fence(source.lines, 0, start)
    if opened is not None:
        return _read_fenced(source, opened)

    tagged = _tags_around(source.lines, start)
    if tagged is not None:
        return _read_between(source, *tagged)

    return _read_in_prose(source)


def _open_fence(lines: Sequence[str], start: int, end: int) -> int | None:
    """Return the index of the fence that is opened between the two lines and not closed there."""
    opened: int | None = None
    for i in range(start, end):
        if opened is not None:
            if closes(lines[i], fence_of(lines[opened])):
                opened = None
        elif fence_of(lines[i]):
            opened = i

    return opened


def _find_closer(lines: Sequence[str], opened: int) -> int | None:
    """Return the index of the line that closes the fence at `opened`."""
    fence = fence_of(lines[opened])
    for i in range(opened + 1, len(lines)):
        if closes(lines[i], fence):
            return i
    return None


def _read_fenced(source: DiffLines, opened: int) -> tuple[FileSection, ...]:
    fence = fence_of(source.lines[opened])
    last = len(source.lines) - 1
    while last > opened and not closes(source.lines[last], fence):
        last -= 1
    if last == opened:
        raise malformed(_UNCLOSED, source.first + opened)

    # The last fence first: one inside a hunk that lost its marker is content, if the counts say so.
    try:
        return _read_between(source, opened, last)
    except MalformedError:
        if _find_closer(source.lines, opened) == last:
            raise
        return _read_fences(source, opened)


def _read_between(source: DiffLines, opened: int, closed: int) -> tuple[FileSection, ...]:
    _check_prose(source, 0, opened)
    _check_prose(source, closed + 1, len(source.lines))
    return read_bare(source.part(opened + 1, closed))


def _read_fences(source: DiffLines, opened: int) -> tuple[FileSection, ...]:
    """Read several fenced diffs with prose between them; each must be whole by itself."""
    lines = source.lines
    shares: list[FileSection] = []
    at = 0
    following: int | None = opened
    while following is not None:
        closed = _find_closer(lines, following)
        if closed is None:
            raise malformed(_UNCLOSED, source.first + following)
        _check_prose(source, at, following)
        shares += read_bare(source.part(following + 1, closed))
        at = closed + 1
        following = _open_fence(lines, at, next_structure(lines, at) or at)

    _check_prose(source, at, len(lines))
    return tuple(shares)


def _check_prose(source: DiffLines, start: int, end: int) -> None:
    """Raise a fault for a line outside the wrapper that could be an edit.

    To drop it would land half of the reply.
    """
    lines = source.lines
    for i in filter(partial(may_be_edit, lines), range(start, end)):
        raise malformed(_OUTSIDE.format(shorten(lines[i], 40)), source.first + i)


def _read_in_prose(source: DiffLines) -> tuple[FileSection, ...]:
    """Read a bare diff with prose before and behind it, but none inside."""
    scan = read_scan(source)
    lines = source.lines
    first, last = scan.extent()
    start, end = bisect_left(scan.strays, first), bisect_left(scan.strays, last)
    halves = _halves(lines, 0, first) + _halves(lines, last, len(lines))
    for stray in (*scan.strays[start:end], *halves):
        raise tell_stray(source, stray)

    _check_prose(source, 0, first)
    _check_prose(source, last, len(lines))
    return scan.shares(source)


def _halves(lines: Sequence[str], start: int, end: int) -> list[int]:
    """Return the indexes of the fences and wrapping tags in a stretch of prose that have no other half there."""
    opened: dict[str, list[int]] = {}
    alone: list[int] = []
    for i in range(start, end):
        name = matched(_HALF, lines[i])
        if not name or not is_wrapper(lines[i]):
            continue
        if not lines[i].startswith("</"):
            opened.setdefault(name, []).append(i)
        elif opened.get(name):
            opened[name].pop()
        else:
            alone.append(i)

    fence = _open_fence(lines, start, end)
    if fence is not None:
        alone.append(fence)
    return sorted(chain(alone, *opened.values()))


_HALF = re.compile(r"</?([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?(?<!/)>\s*$")
"""A line that is an opening or a closing tag."""


def _tags_around(lines: Sequence[str], start: int) -> tuple[int, int] | None:
    """Return the indexes of the innermost pair of tags around line `start`."""
    opened = start - 1
    while opened >= 0 and not _OPENING_TAG.match(lines[opened]):
        opened -= 1
    if opened < 0:
        return None

    closing = f"</{tag_of(lines[opened])}>"
    for i in range(len(lines) - 1, start, -1):
        if lines[i].rstrip() == closing:
            return opened, i
    return None


_OPENING_TAG = re.compile(rf"(?!</){_HALF.pattern}")
