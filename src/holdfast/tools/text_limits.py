"""Texts for a model: valid, of bounded length."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Half of a surrogate pair stands for a byte that is no UTF-8 and cannot be sent; a NUL cannot be stored everywhere.
_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n?")
_LONGEST_LINE = 400


def clean(text: str) -> str:
    r"""Give the text with plain line ends and without what is no character.

    >>> clean("a\x00b\udce9\r\nc")
    'a�b�\nc'
    """
    return sendable(_LINE_END.sub("\n", text))


def sendable(text: str) -> str:
    """Give the text without what is no character; line ends stay."""
    return _NO_CHARACTER.sub("\ufffd", text)


def has_half_pair(value: object) -> bool:
    r"""Whether half of a surrogate pair is in any text of some JSON: no file, program or server takes it.

    >>> has_half_pair({"a": ["x", "\ud800"]}), has_half_pair({"a": [1, "x"]})
    (True, False)
    """
    if isinstance(value, str):
        return _HALF_PAIR.search(value) is not None
    if isinstance(value, Mapping):
        return any(has_half_pair(key) or has_half_pair(each) for key, each in value.items())
    return isinstance(value, list | tuple) and any(map(has_half_pair, value))


def shorten_line(line: str, most: int = _LONGEST_LINE) -> str:
    """Give the line, cut if it is very long, and say so.

    >>> shorten_line("abcdefgh", 4)
    'abcd… (4 more characters)'
    """
    return line if len(line) <= most else f"{line[:most]}… ({len(line) - most} more characters)"


def shorten(text: str, most: int) -> str:
    """Give the text, without its middle if it is too long."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… ({len(text) - 2 * half} characters left out) …\n{text[-half:]}"


def count(number: int, noun: str, plural: str = "") -> str:
    """Give number and noun.

    >>> count(1, "file"), count(2, "file"), count(0, "match", "matches")
    ('1 file', '2 files', '0 matches')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def one_or_many(names: tuple[str, ...]) -> str:
    """Give names in a sentence.

    >>> one_or_many(("a", "b"))
    'a or b'
    """
    return " or ".join(names)
