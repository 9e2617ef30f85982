"""Texts for a model or a person: valid characters, bounded length."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

# Half of a surrogate pair is a byte that is not UTF-8, and cannot be sent. Not every database
# can store a NUL.
_NO_CHARACTER = lazy_pattern("[\x00\ud800-\udfff]")
_HALF_PAIR = lazy_pattern("[\ud800-\udfff]")
_LINE_END = lazy_pattern("\r\n?")
_LONGEST_LINE = 400


def clean(text: str) -> str:
    r"""Return the text with plain line ends and without invalid characters.

    >>> clean("a\x00b\udce9\r\nc")
    'a�b�\nc'
    """
    return sendable(_LINE_END.sub("\n", text))


def sendable(text: str) -> str:
    """Return the text without invalid characters; line ends stay."""
    return _NO_CHARACTER.sub("\ufffd", text)


def has_half_pair(value: object) -> bool:
    r"""Return whether any text of a JSON value has half of a surrogate pair.

    No file, program or server accepts such a text.

    >>> has_half_pair({"a": ["x", "\ud800"]}), has_half_pair({"a": [1, "x"]})
    (True, False)
    """
    text = json.dumps(value, ensure_ascii=False, default=dict)
    return _HALF_PAIR.search(text) is not None


def shorten_line(line: str, most: int = _LONGEST_LINE) -> str:
    """Return the line; cut a very long line, with a note.

    >>> shorten_line("abcdefgh", 4)
    'abcd… (4 more characters)'
    """
    if len(line) <= most:
        return line
    return f"{line[:most]}… ({len(line) - most} more characters)"


def shorten(text: str, most: int) -> str:
    """Return the text, without its middle if it is too long."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… ({len(text) - 2 * half} characters left out) …\n{text[-half:]}"


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> count(1, "file"), count(2, "file"), count(0, "match", "matches")
    ('1 file', '2 files', '0 matches')
    """
    if number == 1:
        return f"1 {noun}"
    if not plural:
        plural = f"{noun}s"
    return f"{number} {plural}"


def name_first(names: Sequence[str], most: int, noun: str = "") -> str:
    """Return the first names, and how many more there are.

    >>> name_first(["a", "b", "c", "d"], 2), name_first(["a", "b"], 2)
    ('a, b and 2 more', 'a, b')
    >>> name_first(["a", "b", "c"], 2, "file"), name_first(["a", "b", "c"], 1, "file")
    ('a, b and 1 more file', 'a and 2 more files')
    """
    shown = ", ".join(names[:most])
    more = len(names) - most
    if more <= 0:
        return shown
    if not noun:
        return f"{shown} and {more} more"
    return f"{shown} and {count(more, f'more {noun}')}"
