"""Three-way projection of whole texts: the edit of a text, applied to another version of it.

Stricter than the landing engine, because both versions are known byte for byte here: an edit fits
only where its lines and their neighbours are as they were, line endings included. Where two edits
touch, there is no result.
"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.landing.encoding import Encoding, decode, encode
from holdfast.landing.text.lines import split_lines
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_MIDDLE_LIMIT = 4_000


@dataclass(frozen=True, slots=True)
class _LineEdit:
    """Lines `first` up to `last` of the base become `lines`."""

    first: int
    last: int
    lines: tuple[str, ...]


def project_bytes(base: bytes, wanted: bytes, present: bytes) -> bytes | None:
    """Return `present` with the edit that turned `base` into `wanted`.

    Return None if the edits touch, or if one of the three is not text.
    """
    texts = _texts(base, wanted, present)
    if texts is None:
        return None

    projected = project_text(*texts)
    if projected is None:
        return None

    return encode(projected, decode(base).encoding)


def contains_edit(base: bytes, wanted: bytes, present: bytes) -> bool:
    r"""Return whether `present` is `wanted` with other edits beside those that `wanted` made.

    >>> contains_edit(b"a\nb\nc\n", b"A\nb\nc\n", b"A\nB\nc\n")
    True
    >>> contains_edit(b"a\nb\nc\n", b"A\nb\nc\n", b"X\nB\nc\n")
    False
    """
    texts = _texts(base, wanted, present)
    if texts is None:
        return False

    old, new, now = map(raw_lines, texts)
    wanted_edits = _line_edits(old, new)
    other_edits = _line_edits(new, now)
    for place in _places(wanted_edits):
        for edit in other_edits:
            if _overlaps(place, edit):
                return False

    # Equal lines cannot be told apart: so no removed line may occur more often than it should.
    surplus = Counter(now) - Counter(new)
    for edit in wanted_edits:
        removed = old[edit.first : edit.last]
        if not surplus.keys().isdisjoint(removed):
            return False

    return True


def project_text(base: str, wanted: str, present: str) -> str | None:
    r"""Return `present` with the edit that turned `base` into `wanted`; None if the edits touch.

    >>> project_text("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n")
    'A\nb\nc\nD\n'
    >>> project_text("a\nb\n", "A\nb\n", "a\nB\n") is None
    True
    """
    lines = raw_lines(base)
    edits = _line_edits(lines, raw_lines(wanted)) + _line_edits(lines, raw_lines(present))
    edits.sort(key=lambda edit: (edit.first, edit.last))
    # Two edits without a line between them touch: their order is unknown.
    for edit, following in pairwise(edits):
        if edit.last >= following.first:
            return None

    return "".join(_apply(lines, edits))


def merge_bytes(base: bytes, wanted: bytes, present: bytes) -> bytes | tuple[range, ...]:
    r"""Return `present` with the edits that turned `base` into `wanted`; a common edit counts once.

    Return the lines of `present`, from 1, that touch such an edit; none if one of the three is not
    text.

    >>> merge_bytes(b"a\nb\nc\n", b"A\nb\nC\n", b"A\nb\nc\n")
    b'A\nb\nC\n'
    >>> merge_bytes(b"a\nb\nc\n", b"A\nb\nc\n", b"X\nb\nc\n")
    (range(1, 2),)
    """
    texts = _texts(base, wanted, present)
    if texts is None:
        return ()

    lines, new, now = map(raw_lines, texts)
    other_edits = _line_edits(lines, now)
    own_edits = [edit for edit in _line_edits(lines, new) if edit not in other_edits]
    touched = []
    for edit, place in zip(other_edits, _places(other_edits), strict=True):
        if any(own.first <= edit.last and edit.first <= own.last for own in own_edits):
            touched.append(range(place.start + 1, max(place.stop, place.start + 1) + 1))

    if touched:
        return tuple(touched)

    edits = sorted([*own_edits, *other_edits], key=lambda edit: (edit.first, edit.last))
    return encode("".join(_apply(lines, edits)), decode(base).encoding)


def raw_lines(text: str) -> list[str]:
    r"""Return the lines with their endings.

    >>> raw_lines("a\r\nb")
    ['a\r\n', 'b']
    """
    lines, ends = split_lines(text)
    return [line + end for line, end in zip(lines, ends, strict=True)]


def _places(edits: Iterable[_LineEdit]) -> Iterator[range]:
    """Yield for each edit where its new lines are once all edits are applied."""
    shift = 0
    for edit in edits:
        start = edit.first + shift
        yield range(start, start + len(edit.lines))
        shift += len(edit.lines) - (edit.last - edit.first)


def _overlaps(place: range, edit: _LineEdit) -> bool:
    """Return whether the edit changes lines of the place; an empty place must not be adjacent."""
    if not place:
        return edit.first <= place.start <= edit.last
    return edit.first < place.stop and place.start < edit.last


def _texts(*contents: bytes) -> list[str] | None:
    """Return the contents as texts; None if one is binary or their encodings differ."""
    texts: list[str] = []
    encodings: set[Encoding] = set()
    for data in contents:
        decoded = decode(data)
        if decoded.binary:
            return None
        texts.append(decoded.text)
        encodings.add(decoded.encoding)

    if len(encodings) > 1:
        return None

    return texts


def _apply(lines: Sequence[str], edits: Sequence[_LineEdit]) -> list[str]:
    out: list[str] = []
    at = 0
    for edit in edits:
        out += lines[at : edit.first]
        out += edit.lines
        at = edit.last

    out += lines[at:]
    return out


def _line_edits(old: Sequence[str], new: Sequence[str]) -> list[_LineEdit]:
    """Return the edits that turn `old` into `new`."""
    head = _common_length(old, new)
    tail = _common_length(reversed(old[head:]), reversed(new[head:]))
    old_middle = old[head : len(old) - tail]
    new_middle = new[head : len(new) - tail]
    if not old_middle and not new_middle:
        return []
    # One edit for the whole middle: difflib is quadratic on long texts.
    if len(old_middle) + len(new_middle) > _MIDDLE_LIMIT:
        return [_LineEdit(head, len(old) - tail, tuple(new_middle))]

    edits: list[_LineEdit] = []
    matcher = SequenceMatcher(None, old_middle, new_middle, autojunk=False)
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        if tag == "equal":
            continue
        lines = tuple(new_middle[new_first:new_last])
        edits.append(_LineEdit(head + first, head + last, lines))

    return edits


def _common_length(old: Iterable[str], new: Iterable[str]) -> int:
    """Return how many lines at the beginning are equal."""
    length = 0
    for old_line, new_line in zip(old, new, strict=False):
        if old_line != new_line:
            break
        length += 1
    return length
