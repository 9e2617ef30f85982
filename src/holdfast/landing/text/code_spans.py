"""Which characters of a text are in a string or a comment, by the marks of its language."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.languages import FileLanguage

# What is not closed ends with the text: to look for its end again and again takes quadratic time.
_STRINGS = (
    r"\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)",
    r"'''(?:[^\\]|\\.)*?(?:'''|\Z)",
    r"`(?:[^`\\]|\\.)*(?:`|\Z)",
    r'"(?:[^"\\\n]|\\.)*"',
    r"'(?:[^'\\\n]|\\.)*'",
)
# A mark in the middle of a word begins no comment: `a#b`, `http://x`.
_COMMENTS = (
    ("/*", r"/\*.*?(?:\*/|\Z)"),
    ("<!--", r"<!--.*?(?:-->|\Z)"),
    ("{-", r"\{-.*?(?:-\}|\Z)"),
    ("#", r"(?<!\S)\#[^\n]*"),
    ("//", r"(?<!\S)//[^\n]*"),
    ("--", r"(?<!\S)--[^\n]*"),
    (";", r"(?<!\S);[^\n]*"),
    ("%", r"(?<!\S)%[^\n]*"),
)


@dataclass(frozen=True, slots=True)
class CodeSpans:
    """The strings and comments of a text, as pairs of offsets in order."""

    starts: Sequence[int]
    ends: Sequence[int]

    def covers(self, offset: int) -> bool:
        """Return whether a string or a comment begins before this offset and ends behind it."""
        at = bisect_right(self.starts, offset) - 1
        if at < 0:
            return False
        return offset < self.ends[at]


def code_spans(text: str, language: FileLanguage) -> CodeSpans:
    """Return the strings and comments of the text.

    No parser: a text that was mangled on its way does not parse.
    """
    starts, ends = [], []
    for found in _pattern(language).finditer(text):
        is_escape = found[0].startswith("\\")
        if not is_escape:
            starts.append(found.start())
            ends.append(found.end())

    return CodeSpans(starts, ends)


def without_spans(text: str, language: FileLanguage) -> str:
    """Return the text without its strings and comments."""
    return _pattern(language).sub(" ", text)


@lru_cache(maxsize=64)
def _pattern(language: FileLanguage) -> re.Pattern[str]:
    parts: list[str] = []
    for mark, pattern in _COMMENTS:
        if language.is_comment(f"{mark} x"):
            parts.append(pattern)

    # An escaped quote opens no string. Without this, each of many would be tried as one that is not closed.
    parts += (*_STRINGS, r"\\.")
    return re.compile("|".join(parts), re.DOTALL)
