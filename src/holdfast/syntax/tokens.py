"""The tokens of a text in any language: names, numbers, strings, punctuation.

Comments and blanks are no tokens. These are not the leaves of the tree: where a text does not
parse, the leaves are guesses.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

TokenKind: TypeAlias = Literal[
    "name", "keyword", "number", "string", "open", "close", "operator", "edge"
]
"""An `edge` is no token of a text: it is what bounds the tokens."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token and the offsets where it begins and ends."""

    kind: TokenKind
    text: str
    start: int
    end: int


_STRINGS = (
    r"""[fFrRbBuUL]{0,2}(?:"""
    r"""\"\"\"(?:[^\\]|\\.)*?\"\"\"|"""
    r"""'''(?:[^\\]|\\.)*?'''|"""
    r""""(?:[^"\\\n]|\\.)*"|"""
    r"""'(?:[^'\\\n]|\\.)*')"""
)
_RUST_STRINGS = r"""[rb]{0,2}\#*"(?:[^"\\]|\\.)*"\#*|b?'(?:[^'\\\n]|\\.[^'\n]*)'"""
_REST = r"""(?P<number>\d(?:[\w]|\.\d|\.(?![.\w]))*)
|(?P<name>[^\W\d]\w*)
|(?P<open>[(\[{])|(?P<close>[)\]}])
|(?P<operator>===|!==|==|!=|<=|>=|->|=>|::|:=|&&|\|\||\+\+|--
  |[+\-*/%&|^]=|\#|['"`\\]|[^\s\w])"""
_SLASH = r"(?P<blank>\s+|//[^\n]*|/\*.*?\*/)"
_HASH = r"(?P<blank>\s+|\\\r?\n|\#[^\n]*)"

_PYTHON = lazy_pattern(f"{_HASH}|(?P<string>{_STRINGS})|{_REST}", re.VERBOSE | re.DOTALL)
_RUST = lazy_pattern(f"{_SLASH}|(?P<string>{_RUST_STRINGS})|{_REST}", re.VERBOSE | re.DOTALL)
_OTHER = lazy_pattern(
    f"{_SLASH}|(?P<string>{_STRINGS}|`(?:[^`\\\\]|\\\\.)*`)|{_REST}", re.VERBOSE | re.DOTALL
)
_CODE_IN = (
    (lazy_pattern("[rR]?[fF][rR]?[\"']"), lazy_pattern(r"(?<![{\\])\{([^{}\"'`:!\\]+)(?=[}:!])")),
    (lazy_pattern("`"), lazy_pattern(r"(?<=\$)\{([^{}\"'`\\]+)(?=\})")),
)
"""How a string begins that may have code in it, and that code, without strings and brackets."""
_PATTERNS = {"python": _PYTHON, "any": _PYTHON, "rust": _RUST}

_WORDS = """
and as assert async await break case catch char class const constexpr continue def default defer
del delete do double elif else enum except export extends extern false final finally float fn for
from func function global go goto if impl implements import in inline instanceof int interface is
lambda let long loop match mod module mut namespace new None nonlocal not null nullptr or package
pass private protected pub public raise return short signed sizeof static struct super switch
template this throw throws trait True False true try type typedef typeof union unsafe unsigned use
using var virtual void volatile where while with yield
"""
KEYWORDS = frozenset(_WORDS.split())
"""The keywords of all languages together."""
_TYPE_WORDS = """
str bytes list dict set tuple object float complex Any Optional Union List Dict Set Tuple Callable
Iterable String i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 usize isize f32 f64 Vec Option Result Box
HashMap Integer Long Double Float Boolean Character Object any unknown never undefined size_t Array
Promise Error bool boolean byte string number
"""
COMMON = KEYWORDS | frozenset(_TYPE_WORDS.split())
"""The keywords and the types that every program uses.

As the argument of a diagnostic, such a word belongs to the problem and not to the program.
"""
_CONTENT_WORDS = """
true false True False None null nullptr this super type self
void int char short long float double signed unsigned pass
"""
_CONTENT = frozenset(_CONTENT_WORDS.split())
VALUE_WORDS = frozenset({"true", "false", "True", "False", "None", "null", "nullptr"})


def line_starts(text: str) -> list[int]:
    r"""Return the offset where each line begins. Only a line feed ends a line.

    >>> line_starts("a\nb\r\n")
    [0, 2, 5]
    """
    # Not str.splitlines: no compiler ends a line at a form feed.
    line_breaks = re.finditer("\n", text)
    return [0, *(line_break.end() for line_break in line_breaks)]


@lru_cache(maxsize=32)
def tokenize(text: str, language: str) -> tuple[Token, ...]:
    """Return all tokens of a text; a character that fits no other kind is an operator."""
    pattern = _PATTERNS.get(language, _OTHER)
    tokens: list[Token] = []
    for found in pattern.finditer(text):
        kind = found.lastgroup
        if kind == "blank":
            continue
        if kind == "name" and found[0] in KEYWORDS:
            kind = "keyword"
        token = Token(cast("TokenKind", kind), found[0], found.start(), found.end())
        tokens += _parts_of(token, language)

    return tuple(tokens)


def _parts_of(token: Token, language: str) -> Iterator[Token]:
    """Yield a token; of a string with code in it, the texts around and the tokens of the code."""
    at = token.start
    for code in _code_in(token):
        start, end = (token.start + offset for offset in code.span(1))
        yield Token("string", token.text[at - token.start : code.start(1)], at, start)
        for part in tokenize(code[1], language):
            yield replace(part, start=part.start + start, end=part.end + start)

        at = end

    yield Token(token.kind, token.text[at - token.start :], at, token.end)


def _code_in(token: Token) -> Iterator[re.Match[str]]:
    for begin, code in _CODE_IN:
        if begin.match(token.text):
            yield from code.finditer(token.text)


def texts_of(tokens: Iterable[Token]) -> list[str]:
    """Return the text of each token."""
    return [token.text for token in tokens]


def is_content(token: Token) -> bool:
    """Return whether a token added by a fix is a name, a value or a type.

    Punctuation and words such as `mut` are not.
    """
    if token.text in _CONTENT:
        return True
    if token.kind not in {"name", "number", "string"}:
        return False
    return token.text != "_"


def is_literal(token: Token) -> bool:
    """Return whether a token is a value written out."""
    if token.kind in {"number", "string"}:
        return True
    return token.text in VALUE_WORDS


def first_at(tokens: tuple[Token, ...], offset: int) -> int:
    """Return the index of the first token that starts at the offset or after it."""
    return bisect_left(tokens, offset, key=lambda token: token.start)


def find_runs(tokens: Sequence[Token], words: Sequence[str]) -> list[Sequence[Token]]:
    """Return all runs of neighbouring tokens that have these texts; [] without a text."""
    if not words:
        return []

    wanted = list(words)
    texts = texts_of(tokens)
    runs = []
    for start in range(len(tokens) - len(wanted) + 1):
        end = start + len(wanted)
        if texts[start:end] == wanted:
            runs.append(tokens[start:end])

    return runs
