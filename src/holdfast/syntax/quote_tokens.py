"""A text as marks and words: each quote and each comment sign stands alone, and what is in them is words like any.

A quote too many or too few changes what all that follows it is; the marks of a text stay what they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

from holdfast.syntax.tokens import KEYWORDS, Token, TokenKind, tokenize

_SPLIT = re.compile(
    # What a number begins with says its base, what follows its digits is a suffix.
    r"""(?P<number>0[xXoObB](?=\w)|0(?=\d)|\d(?:[\d_]|\.\d|\.(?![.\w]))*)
|(?P<name>[^\W\d]\w*)
|(?P<quote>['"`“”‘’«»])
|(?P<open>[(\[{])|(?P<close>[)\]}])
|(?P<operator>===|!==|==|!=|<=|>=|->|=>|::|:=|&&|\|\||\+\+|--|//|/\*|\*/|[+\-*/%&|^]=|[^\s\w])""",
    re.VERBOSE,
)
_PREFIX = re.compile(r"(?<!\w)[fFrRbBuU]{1,2}$")


@lru_cache(maxsize=32)
def marks_of(text: str, target: str) -> tuple[Token, ...]:
    """Give all marks and words. What a comment holds besides its sign is of the kind `comment`."""
    comments = _comments(text, target)
    marks: list[Token] = []
    for found in _SPLIT.finditer(text):
        kind: TokenKind = found.lastgroup  # type: ignore[assignment]
        if kind == "name" and found[0] in KEYWORDS:
            kind = "keyword"
        while comments and comments[-1][1] <= found.start():
            comments.pop()
        if comments and comments[-1][0] < found.start():
            kind = "comment"
        marks.append(Token(kind, found[0], found.start(), found.end()))
    return tuple(marks)


def _comments(text: str, target: str) -> list[tuple[int, int]]:
    """Give where the comments are, the last one first; a gap between tokens that is not blank holds some."""
    found: list[tuple[int, int]] = []
    done = 0
    for start, end in (
        *((token.start, token.end) for token in tokenize(text, target)),
        (len(text), len(text)),
    ):
        gap = text[done:start]
        found += [
            (done + each.start(), done + each.end())
            for each in re.finditer(r"\S[^\n]*", gap)
            if each[0] != "\\"
        ]
        done = end
    return found[::-1]


def is_quote(token: Token) -> bool:
    """Whether a token is a quote: one among marks, or one that no string begins with."""
    return token.kind == "quote" or (token.kind == "operator" and token.text in {"'", '"', "`"})


def is_wordy(character: str) -> bool:
    """Whether a word goes on over a character; none is none."""
    return re.fullmatch(r"\w", character) is not None


def is_apostrophe(text: str, at: int) -> bool:
    """Whether a quote stands within a word: letters on both sides, and not those that say what string begins.

    >>> [is_apostrophe(text, text.index("'")) for text in ("can't", "f'x", "('x", "x' ")]
    [True, False, False, False]
    """
    sides = text[at - 1 : at], text[at + 1 : at + 2]
    return all(map(is_wordy, sides)) and _PREFIX.search(text[max(0, at - 3) : at]) is None


def outer_quotes(text: str, quotes: list[Token]) -> tuple[Token, Token] | None:
    """Give the two quotes of a line around one with apostrophes in it; None if the line is not so."""
    outer = [quote for quote in quotes if not is_apostrophe(text, quote.start)]
    if len(outer) != 2 or len(quotes) == 2 or (quotes[0], quotes[-1]) != tuple(outer):
        return None
    return outer[0], outer[1]
