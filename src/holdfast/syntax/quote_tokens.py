"""A text split into marks and words: each quote and each comment sign is a token of its own.

The text inside strings and comments becomes words like any other. One quote too many or too few
changes the tokens of everything after it; the marks of a text stay the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

from holdfast.syntax.tokens import KEYWORDS, Token, TokenKind, tokenize

_SPLIT = re.compile(
    # The start of a number is its base; a suffix after its digits is a name.
    r"""(?P<number>0[xXoObB](?=\w)|0(?=\d)|\d(?:[\d_]|\.\d|\.(?![.\w]))*)
|(?P<name>[^\W\d]\w*)
|(?P<quote>['"`“”‘’«»])
|(?P<open>[(\[{])|(?P<close>[)\]}])
|(?P<operator>===|!==|==|!=|<=|>=|->|=>|::|:=|&&|\|\||\+\+|--|//|/\*|\*/|[+\-*/%&|^]=|[^\s\w])""",
    re.VERBOSE,
)
_NOT_BLANK = re.compile(r"\S[^\n]*")
_PREFIX = re.compile(r"(?<!\w)[fFrRbBuU]{1,2}$")


@lru_cache(maxsize=32)
def marks_of(text: str, language: str) -> tuple[Token, ...]:
    """Return all marks and words; the words of a comment after its sign are of kind `comment`."""
    comments = _comments(text, language)
    marks: list[Token] = []
    for found in _SPLIT.finditer(text):
        kind = cast("TokenKind", found.lastgroup)
        if kind == "name" and found[0] in KEYWORDS:
            kind = "keyword"
        start, end = comments[-1]
        while end <= found.start():
            comments.pop()
            start, end = comments[-1]
        if start < found.start():
            kind = "comment"
        marks.append(Token(kind, found[0], found.start(), found.end()))
    return tuple(marks)


def _comments(text: str, language: str) -> list[tuple[int, int]]:
    """Return the spans of the comments, the last one first; before it, a span after the text.

    They are what is not blank in the gaps between the tokens, except for a backslash.
    """
    found: list[tuple[int, int]] = []
    after_text = Token("edge", "", len(text), len(text) + 1)
    gap_start = 0
    for token in (*tokenize(text, language), after_text):
        parts = _NOT_BLANK.finditer(text, gap_start, token.start)
        found += [part.span() for part in parts if part[0] != "\\"]
        gap_start = token.end
    found.append((after_text.start, after_text.end))
    found.reverse()
    return found


def is_quote(token: Token) -> bool:
    """Return whether a token is a quote: a mark, or a quote that begins no string."""
    if token.kind == "quote":
        return True
    if token.kind != "operator":
        return False
    return token.text in {"'", '"', "`"}


def is_wordy(character: str) -> bool:
    """Return whether a character can be part of a word; False for the empty string."""
    return re.fullmatch(r"\w", character) is not None


def is_apostrophe(text: str, at: int) -> bool:
    """Return whether a quote is within a word: letters on both sides, and no string prefix.

    >>> [is_apostrophe(text, text.index("'")) for text in ("can't", "f'x", "('x", "x' ")]
    [True, False, False, False]
    """
    before = text[at - 1 : at]
    after = text[at + 1 : at + 2]
    if not is_wordy(before) or not is_wordy(after):
        return False
    start = max(0, at - 3)
    return _PREFIX.search(text[start:at]) is None


def outer_quotes(text: str, quotes: list[Token]) -> tuple[Token, Token] | None:
    """Return the first and last quote of a line if all between them are apostrophes, else None.

    None also for a line without an apostrophe.
    """
    outer = [quote for quote in quotes if not is_apostrophe(text, quote.start)]
    if len(outer) == len(quotes):
        return None
    if outer != [quotes[0], quotes[-1]]:
        return None
    first, last = outer
    return first, last
