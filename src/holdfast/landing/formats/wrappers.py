"""The one clean wrapper around a diff: a fence, a pair of tags, or prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.formats.detect import opens_notation
from holdfast.landing.formats.diff_scanner import (
    DiffLines,
    FileSection,
    malformed,
    next_structure,
    read_bare,
    read_scan,
    tell_stray,
)
from holdfast.landing.formats.hunk_body import is_change
from holdfast.landing.formats.hunks import Malformed
from holdfast.landing.formats.paths import shorten
from holdfast.landing.formats.surrounding_text import closes, fence_of, is_wrapper, tag_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_OUTSIDE = '"{}" is outside the wrapper but looks like an edit; send one bare diff:'
_UNCLOSED = "the fence around the diff is not closed; send the bare diff:"


def read_wrapped(source: DiffLines) -> tuple[FileSection, ...] | Malformed | None:
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
        run = fence_of(lines[i])
        if run and opened is None:
            opened = i
        elif run and opened is not None and closes(lines[i], fence_of(lines[opened])):
            opened = None
    return opened


def _read_fenced(source: DiffLines, opened: int) -> tuple[FileSection, ...] | Malformed:
    fence = fence_of(source.lines[opened])
    closers = [i for i in range(opened + 1, len(source.lines)) if closes(source.lines[i], fence)]
    if not closers:
        return malformed(_UNCLOSED, source.first + opened)
    # The last fence first: one inside a hunk that lost its marker is content, if the counts say so.
    whole = _read_between(source, opened, closers[-1])
    return (
        whole
        if not isinstance(whole, Malformed) or len(closers) == 1
        else _read_fences(source, opened)
    )


def _read_between(
    source: DiffLines, opened: int, closed: int
) -> tuple[FileSection, ...] | Malformed:
    fault = _check_prose(source, 0, opened) or _check_prose(source, closed + 1, len(source.lines))
    return fault or read_bare(source.part(opened + 1, closed))


def _read_fences(source: DiffLines, opened: int) -> tuple[FileSection, ...] | Malformed:
    """Read several fenced diffs with prose between them; each must be whole by itself."""
    lines = source.lines
    shares: list[FileSection] = []
    at = 0
    while True:
        closed = next(
            (i for i in range(opened + 1, len(lines)) if closes(lines[i], fence_of(lines[opened]))),
            None,
        )
        if closed is None:
            return malformed(_UNCLOSED, source.first + opened)
        read = _check_prose(source, at, opened) or read_bare(source.part(opened + 1, closed))
        if isinstance(read, Malformed):
            return read
        shares += read
        at = closed + 1
        start = next_structure(lines, at)
        following = None if start is None else _open_fence(lines, at, start)
        if following is None:
            return _check_prose(source, at, len(lines)) or tuple(shares)
        opened = following


def _check_prose(source: DiffLines, start: int, end: int) -> Malformed | None:
    """Return which line outside the wrapper could be an edit.

    To drop it would land half of the reply.
    """
    lines = source.lines
    for i in range(start, end):
        if is_change(lines[i]) or opens_notation(lines, i):
            return malformed(_OUTSIDE.format(shorten(lines[i], 40)), source.first + i)
    return None


def _read_in_prose(source: DiffLines) -> tuple[FileSection, ...] | Malformed:
    """Read a bare diff with prose before and behind it, but none inside."""
    scan = read_scan(source)
    if isinstance(scan, Malformed):
        return scan
    lines = source.lines
    first, last = scan.extent()
    inside = [i for i in scan.strays if first <= i < last]
    halves = _halves(lines, 0, first) + _halves(lines, last, len(lines))
    if inside or halves:
        return tell_stray(source, (inside or halves)[0])
    fault = _check_prose(source, 0, first) or _check_prose(source, last, len(lines))
    return fault or scan.shares(source)


def _halves(lines: Sequence[str], start: int, end: int) -> list[int]:
    """Return the indexes of the fences and wrapping tags in a stretch of prose that have no other half there."""
    fence = _open_fence(lines, start, end)
    opened: dict[str, list[int]] = {}
    alone = [] if fence is None else [fence]
    for i in range(start, end):
        name = tag_of(lines[i]) if is_wrapper(lines[i]) else ""
        if not name or name == "|" or lines[i].rstrip().endswith("/>"):
            continue
        if not lines[i].startswith("</"):
            opened.setdefault(name, []).append(i)
        elif opened.get(name):
            opened[name].pop()
        else:
            alone.append(i)
    return sorted(alone + [i for waiting in opened.values() for i in waiting])


def _tags_around(lines: Sequence[str], start: int) -> tuple[int, int] | None:
    """Return the indexes of the innermost pair of tags around line `start`."""
    for i in range(start - 1, -1, -1):
        name = tag_of(lines[i])
        if name and name != "|" and not lines[i].startswith("</"):
            closing = f"</{name}>"
            closed = next(
                (j for j in range(len(lines) - 1, start, -1) if lines[j].rstrip() == closing), None
            )
            return None if closed is None else (i, closed)
    return None
