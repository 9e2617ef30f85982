"""Words and numbers: what distinguishes a drifted line from another line."""

from __future__ import annotations

import re

from holdfast.vocab.lazy_pattern import lazy_pattern

_WORD = lazy_pattern(r"[^\W\d]\w*")
_NUMBER = lazy_pattern(r"(?<!\w)\d[\w.]*")
_PROSE = lazy_pattern(r"[^(){}\[\]=<>;$@&|\\+*/^~\"`_]*")


def matched(pattern: str | re.Pattern[str], text: str) -> str:
    """Return what the pattern, or its last group, matches at the beginning of the text; "" for nothing."""
    if isinstance(pattern, str):
        pattern = re.compile(pattern)
    found = pattern.match(text)
    if found is None:
        return ""
    group = found.lastindex or 0
    return found[group]


def words_of(line: str) -> list[str]:
    """Return the identifiers and words of a line, in order."""
    return _WORD.findall(line)


def first_word(line: str) -> str:
    """Return the first identifier or word of a line, or ""."""
    return next(iter(words_of(line)), "")


def numbers_of(line: str) -> list[str]:
    """Return the numbers that are alone on a line, in order."""
    return _NUMBER.findall(line)


_ENOUGH_WORDS = 4


def is_prose(line: str) -> bool:
    """Return whether the line reads as running text: several words and no mark of code."""
    if len(words_of(line)) < _ENOUGH_WORDS:
        return False
    return _PROSE.fullmatch(line) is not None


def strength(line: str) -> int:
    """Return how many letters and digits a line has: `}` is no landmark, a call is."""
    return sum(map(str.isalnum, line))


WORD_JOINT = lazy_pattern(
    r"(?<=\w)(?=\w)"
    r"|(?<=\r)(?=\n)"
    # 1.5 and 0x1.8p3: a point between digits is part of the number.
    r"|(?<=\d\.)(?=\d)|(?<=\d)(?=\.\d)"
)
"""A place inside of a token, where a hyphen is an edge."""
TOKEN_JOINT = lazy_pattern(
    rf"{WORD_JOINT.pattern}"
    # `background-color` and `data-id`: with letters on both sides, a hyphen is part of a name.
    r"|(?<=[^\W\d_]{3}-)(?=[^\W\d_]{2})|(?<=[^\W\d_]{3})(?=-[^\W\d_]{2})"
)
"""A place inside of a token."""


def cuts_token(
    text: str, start: int, end: int, joint: re.Pattern[str] = TOKEN_JOINT
) -> tuple[bool, bool]:
    """Return whether `text[start:end]` cuts an identifier, a number or a line ending in two at its start, and at its end.

    >>> cuts_token("timeout = 100", 0, 12)
    (False, True)
    """
    at_start, at_end = joint.match(text, start), joint.match(text, end)
    return at_start is not None, at_end is not None


def knows_word(text: str, word: str) -> bool:
    """Return whether `word` is in the text as a whole word."""
    # The cheap question first.
    if word not in text:
        return False
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
