"""Three-way projection of whole texts: what one edit did to a text, done to what another has made of it meanwhile.

Stricter than the landing engine, for here both versions are known byte for byte: an edit goes only where its lines and
their neighbours are as they were, line endings included. Where two edits touch, there is no answer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.landing.encoding import decode, encode
from holdfast.landing.text.lines import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_MIDDLE_LIMIT = 4_000


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines `first` up to `last` of the base become `lines`."""

    first: int
    last: int
    lines: tuple[str, ...]


def project_bytes(base: bytes, wanted: bytes, present: bytes) -> bytes | None:
    """Give `present` with what turned `base` into `wanted`; None if the edits touch, or one of the three is no text."""
    texts = _texts(base, wanted, present)
    projected = project_text(*texts) if texts else None
    return None if projected is None else encode(projected, decode(base).encoding)


def holds_already(base: bytes, wanted: bytes, present: bytes) -> bool:
    r"""Whether somebody has edited `base` into `wanted` already, and more besides.

    >>> holds_already(b"a\nb\nc\n", b"A\nb\nc\n", b"A\nB\nc\n")
    True
    >>> holds_already(b"a\nb\nc\n", b"A\nb\nc\n", b"X\nB\nc\n")
    False
    """
    texts = _texts(base, wanted, present)
    if texts is None:
        return False
    old, new, now = (raw_lines(text) for text in texts)
    mine, theirs = _pieces(old, new), _pieces(new, now)
    if any(_overlaps(place, piece) for place in _places(mine) for piece in theirs):
        return False
    # Where lines have twins, which of them is which is chance: so none that had to go may be left over.
    there, meant = Counter(now), Counter(new)
    return all(
        there[line] <= meant[line] for piece in mine for line in old[piece.first : piece.last]
    )


def project_text(base: str, wanted: str, present: str) -> str | None:
    r"""Give `present` with what turned `base` into `wanted`; None if the two edits touch.

    >>> project_text("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n")
    'A\nb\nc\nD\n'
    >>> project_text("a\nb\n", "A\nb\n", "a\nB\n") is None
    True
    """
    lines = raw_lines(base)
    pieces = [*_pieces(lines, raw_lines(wanted)), *_pieces(lines, raw_lines(present))]
    pieces.sort(key=lambda piece: (piece.first, piece.last))
    # Two that meet without a line between them touch: which of them comes first is not known.
    if any(one.last >= other.first for one, other in pairwise(pieces)):
        return None
    return "".join(_replaced(lines, pieces))


def raw_lines(text: str) -> list[str]:
    r"""Give the lines with their endings.

    >>> raw_lines("a\r\nb")
    ['a\r\n', 'b']
    """
    lines, ends = split_lines(text)
    return [line + end for line, end in zip(lines, ends, strict=True)]


def _places(pieces: Iterable[_Piece]) -> Iterator[range]:
    """Say where the lines of each piece stand once all are done."""
    shift = 0
    for piece in pieces:
        start = piece.first + shift
        yield range(start, start + len(piece.lines))
        shift += len(piece.lines) - (piece.last - piece.first)


def _overlaps(place: range, piece: _Piece) -> bool:
    """Whether the piece changes lines of the place; an empty place is touched by what comes right beside it, too."""
    if not place:
        return piece.first <= place.start <= piece.last
    return piece.first < place.stop and place.start < piece.last


def _texts(*contents: bytes) -> list[str] | None:
    """Read the contents as texts of one encoding; None if they are not."""
    texts = [decode(data) for data in contents]
    if any(text.binary for text in texts) or len({text.encoding for text in texts}) > 1:
        return None
    return [text.text for text in texts]


def _replaced(lines: Sequence[str], pieces: Sequence[_Piece]) -> list[str]:
    out: list[str] = []
    at = 0
    for piece in pieces:
        out += [*lines[at : piece.first], *piece.lines]
        at = piece.last
    return [*out, *lines[at:]]


def _pieces(old: Sequence[str], new: Sequence[str]) -> list[_Piece]:
    size = min(len(old), len(new))
    head = next((i for i in range(size) if old[i] != new[i]), size)
    tail = next((i for i in range(size - head) if old[-1 - i] != new[-1 - i]), size - head)
    middle, other = old[head : len(old) - tail], new[head : len(new) - tail]
    if not middle and not other:
        return []
    # One piece for all of it: difflib is quadratic on long texts.
    if len(middle) + len(other) > _MIDDLE_LIMIT:
        return [_Piece(head, len(old) - tail, tuple(other))]
    codes = SequenceMatcher(None, middle, other, autojunk=False).get_opcodes()
    return [
        _Piece(head + i1, head + i2, tuple(other[j1:j2]))
        for tag, i1, i2, j1, j2 in codes
        if tag != "equal"
    ]
