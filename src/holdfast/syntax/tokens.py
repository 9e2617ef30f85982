"""The tokens of a text in any of the languages: names, numbers, strings, punctuation; no comments, no blanks.

Not the tree's leaves: where a text does not parse, those are guesses.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

TokenKind: TypeAlias = Literal[
    "name", "keyword", "number", "string", "open", "close", "operator", "edge", "quote", "comment"
]
"""The last two are of marks only (`marks.py`)."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token and where it stands."""

    kind: TokenKind
    text: str
    start: int
    end: int


_STRINGS = r"""[fFrRbBuUL]{0,2}(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
_RUST_STRINGS = r"""[rb]{0,2}\#*"(?:[^"\\]|\\.)*"\#*|b?'(?:[^'\\\n]|\\.[^'\n]*)'"""
_REST = r"""(?P<number>\d(?:[\w]|\.\d|\.(?![.\w]))*)
|(?P<name>[^\W\d]\w*)
|(?P<open>[(\[{])|(?P<close>[)\]}])
|(?P<operator>===|!==|==|!=|<=|>=|->|=>|::|:=|&&|\|\||\+\+|--|[+\-*/%&|^]=|\#|['"`\\]|[^\s\w])"""
_SLASH = r"(?P<blank>\s+|//[^\n]*|/\*.*?\*/)"
_HASH = r"(?P<blank>\s+|\\\r?\n|\#[^\n]*)"

_PYTHON = re.compile(f"{_HASH}|(?P<string>{_STRINGS})|{_REST}", re.VERBOSE | re.DOTALL)
_RUST = re.compile(f"{_SLASH}|(?P<string>{_RUST_STRINGS})|{_REST}", re.VERBOSE | re.DOTALL)
_OTHER = re.compile(
    f"{_SLASH}|(?P<string>{_STRINGS}|`(?:[^`\\\\]|\\\\.)*`)|{_REST}", re.VERBOSE | re.DOTALL
)

_WORDS = """
and as assert async await break case catch char class const constexpr continue def default defer del delete do double
elif else enum except export extends extern false final finally float fn for from func function global go goto if impl
implements import in inline instanceof int interface is lambda let long loop match mod module mut namespace new None
nonlocal not null nullptr or package pass private protected pub public raise return short signed sizeof static struct
super switch template this throw throws trait True False true try type typedef typeof union unsafe unsigned use using
var virtual void volatile where while with yield
"""
KEYWORDS = frozenset(_WORDS.split())
"""Words of one of the languages."""
_VALUE_WORDS = """
true false True False None null nullptr this super type self
void int char short long float double signed unsigned pass
"""
_VALUES = frozenset(_VALUE_WORDS.split())
_TYPE_WORDS = """
str bytes list dict set tuple object float complex Any Optional Union List Dict Set Tuple Callable Iterable
String i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 usize isize f32 f64 Vec Option Result Box HashMap
Integer Long Double Float Boolean Character Object any unknown never undefined size_t Array Promise Error
bool boolean byte string number
"""
COMMON = KEYWORDS | frozenset(_TYPE_WORDS.split())
"""Those, and the types that every program has: an argument of this name says what the complaint is, not whose."""


_NOTHING = frozenset({"None", "null", "undefined", "nullptr", "nil", "NULL"})


@lru_cache(maxsize=32)
def tokenize(text: str, target: str) -> tuple[Token, ...]:
    """Give all tokens. No text is refused: what is none of the others is an operator."""
    pattern = _PYTHON if target in {"python", "any"} else _RUST if target == "rust" else _OTHER
    tokens = []
    for found in pattern.finditer(text):
        kind = found.lastgroup
        if kind is None or kind == "blank":
            continue
        word: TokenKind = "keyword" if kind == "name" and found[0] in KEYWORDS else kind  # type: ignore[assignment]
        tokens.append(Token(word, found[0], found.start(), found.end()))
    return tuple(tokens)


def is_invented(token: Token) -> bool:
    """Whether a token that a fix brings says something: a name, a value, a type. Punctuation and `mut` do not."""
    return (
        token.kind in {"name", "number", "string"} and token.text != "_"
    ) or token.text in _VALUES


_MADE_UP = frozenset(_TYPE_WORDS.split()) | frozenset(
    ["True", "true", "void", "int", "char", "short", "long", "float", "double"]
)


_NEUTRAL = frozenset({"0", "0.0", '""', "''", "false", "False"})


_WRITTEN = frozenset({"true", "false", "True", "False", "None", "null", "nullptr"})


def is_value(token: Token) -> bool:
    """Whether a token is a value that is written out."""
    return token.kind in {"number", "string"} or token.text in _WRITTEN


def is_neutral(token: Token) -> bool:
    """Whether a token is a value that one begins with: zero, no, the empty string. A compiler knows where it fits."""
    return token.text in _NEUTRAL


def is_made_up(token: Token) -> bool:
    """Whether a token that a fix brings is a value or a type out of nowhere: another place may want another one."""
    return (token.kind in {"number", "string"} and not is_neutral(token)) or token.text in _MADE_UP


def first_at(tokens: tuple[Token, ...], offset: int) -> int:
    """Number of the first token that starts at the offset or after it."""
    return bisect_left(tokens, offset, key=lambda token: token.start)


def count_before(tokens: tuple[Token, ...], offset: int) -> int:
    """How many tokens end at the offset or before it."""
    return bisect_right(tokens, offset, key=lambda token: token.end)


def shape_of(text: str) -> str:
    """Say what an argument looks like: a name, a number, punctuation, or something else.

    What stands for nothing is like no name: a type gets `| None`, and no other, for what is not there.

    >>> [shape_of(text) for text in ("total", "12", "::", "std::cout", "list[int]", "None")]
    ['name', 'number', 'operator', 'path', 'other', 'nothing']
    """
    if text in _NOTHING:
        return "nothing"
    if re.fullmatch(r"[^\W\d]\w*", text):
        return "name"
    if re.fullmatch(r"\d+", text):
        return "number"
    if re.fullmatch(r"[^\w\s]+", text):
        return "operator"
    return "path" if re.fullmatch(r"[^\W\d]\w*(?:(?:::|\.)[^\W\d]\w*)+", text) else "other"
