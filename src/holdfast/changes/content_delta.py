"""A text as its difference to another: which bytes of the other it repeats, and what is new.

Linear in both texts. It is made for storage, not for people: a copy may be from anywhere.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDED = -1


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """Steps from one text to another.

    Each step is `(start, length)`: bytes to copy from the old text. A `start` of -1 stands for the
    next `length` bytes of `added`.
    """

    steps: tuple[tuple[int, int], ...]
    added: bytes


def difference(old: bytes, new: bytes) -> ContentDelta:
    """Return the steps from `old` to `new`."""
    shorter = min(len(old), len(new))
    head = _shared_length(old[:shorter], new[:shorter])
    rest = shorter - head
    # Backwards, so that a file without line ends is not one line that differs.
    tail = _shared_length(old[len(old) - rest :][::-1], new[len(new) - rest :][::-1])
    steps: list[tuple[int, int]] = []
    added = bytearray()
    _append(steps, 0, head)
    for start, line in _matched_lines(old, new[head : len(new) - tail], head):
        if start == _ADDED:
            added += line
        _append(steps, start, len(line))

    _append(steps, len(old) - tail, tail)
    return ContentDelta(tuple(steps), bytes(added))


def patched(old: bytes, delta: ContentDelta) -> bytes:
    """Return the text that the steps lead to from `old`."""
    result = bytearray()
    at = 0
    for start, length in delta.steps:
        if start == _ADDED:
            result += delta.added[at : at + length]
            at += length
        else:
            result += old[start : start + length]

    return bytes(result)


def delta_to_bytes(delta: ContentDelta) -> bytes:
    """Return a delta as bytes: a line of JSON with the steps, then what was added."""
    return json.dumps(delta.steps).encode("ascii") + b"\n" + delta.added


def delta_from_bytes(data: bytes) -> ContentDelta:
    """Parse the result of `delta_to_bytes`; raise ValueError if that is not what it is."""
    steps, _, added = data.partition(b"\n")
    return ContentDelta(tuple((start, length) for start, length in json.loads(steps)), added)


def _shared_length(one: bytes, other: bytes) -> int:
    """Return how many bytes two texts of the same length have in common at their beginning."""
    low, high = 0, len(one)
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1

    return low


def _matched_lines(old: bytes, new: bytes, cursor: int) -> Iterator[tuple[int, bytes]]:
    """Yield each line of `new`, with its place in `old` or with `_ADDED`.

    The line at the cursor comes first: of a line that occurs often, such as a blank one, another
    occurrence would break the run.
    """
    lines = dict(_lines(old))
    places: dict[bytes, int] = {}
    for start, line in lines.items():
        places.setdefault(line, start)

    for _, line in _lines(new):
        start = places.get(line, _ADDED)
        if lines.get(cursor) == line:
            start = cursor
        yield start, line
        if start == _ADDED:
            # As if it had replaced the line at the cursor.
            cursor += len(lines.get(cursor, b""))
        else:
            cursor = start + len(line)


def _lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their ends, and where each one starts."""
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, line
        start += len(line)


def _append(steps: list[tuple[int, int]], start: int, length: int) -> None:
    """Append a step; extend the last step if the new one continues it."""
    if not length:
        return

    if steps:
        last, so_far = steps[-1]
        follows = last if last == _ADDED else last + so_far
        if start == follows:
            steps[-1] = (last, so_far + length)
            return

    steps.append((start, length))
