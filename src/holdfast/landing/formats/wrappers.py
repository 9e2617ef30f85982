"""What is around a diff where a caller allows it: fences, tags and prose."""

from __future__ import annotations

from bisect import bisect
from typing import TYPE_CHECKING

from holdfast.landing.formats.detect import may_be_edit
from holdfast.landing.formats.diff_scanner import (
    DiffLines,
    FileSection,
    malformed,
    read_scan,
    tell_stray,
)
from holdfast.landing.formats.paths import shorten
from holdfast.landing.formats.surrounding_text import FENCE, closes, fence_of, is_wrapper
from holdfast.landing.text.line_tokens import matched
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

_OUTSIDE = '"{}" is outside the diff but looks like an edit; send one bare diff:'
_ANOTHER = "one diff is in a fence or a tag, and another is not; send one bare diff:"
_TAG = lazy_pattern(r"<(/?[A-Za-z_][\w:.-]*)(?:\s[^<>]*)?(?<!/)>\s*$")
_HALF = lazy_pattern(rf"{FENCE.pattern}|{_TAG.pattern}")


def read_wrapped(source: DiffLines) -> tuple[FileSection, ...]:
    """Return the diff without the lines that are outside of its files.

    To drop an edit would land half of the reply, so no such line may be one. Each fence and each tag among them has its
    other half: else a line that lost its marker would end a hunk, or the reply was cut off.
    """
    scan = read_scan(source)
    starts = [file.start for file in scan.files]
    wrapped = 0
    opened: list[int] = []
    for at in scan.strays:
        line = source.lines[at]
        if opened and _closes(line, source.lines[opened[-1]]):
            opener = opened.pop()
            if not opened:
                wrapped += bisect(starts, at) - bisect(starts, opener)
        elif _is_half(line):
            opened.append(at)
        elif _may_be_edit(source.lines, at, in_fence=bool(opened)):
            raise malformed(_OUTSIDE.format(shorten(line, 40)), at + 1)

    if opened:
        raise tell_stray(source, opened[0])
    if wrapped not in {0, len(starts)}:
        raise malformed(_ANOTHER)
    return scan.shares(source)


def _may_be_edit(lines: Sequence[str], at: int, *, in_fence: bool) -> bool:
    """Return whether a line may be part of an edit; in a fence or a tag an item of a list may be one too."""
    if in_fence and lines[at].startswith(("+", "-")):
        return True
    return may_be_edit(lines, at)


def _is_half(line: str) -> bool:
    """Return whether a line is one of two that are around a text."""
    if not is_wrapper(line):
        return False
    return _HALF.match(line) is not None


def _closes(line: str, opener: str) -> bool:
    """Return whether a line is the other half of `opener`."""
    fence = fence_of(opener)
    if fence:
        return closes(line, fence)
    return line.rstrip() == f"</{matched(_TAG, opener)}>"
