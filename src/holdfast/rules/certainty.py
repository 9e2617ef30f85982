"""Whether a fix is certain, or a choice that somebody else may make otherwise.

Another program with the same error may need another value, another conversion or another promise,
though all of them compile, and no rule can read what is meant there. Such a rule is only a hint
until a person has approved it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from holdfast.syntax.tokens import is_literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.rules.sample import Sample
    from holdfast.syntax.tokens import Token


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OPERATORS: Final = _words("+ - / % ^ | < > <= >= == != === !== && || ! ? ?? ?.")
_PROMISES: Final = _words("static public private protected readonly")
"""What a declaration promises to others: the mistake may be the code that does not keep it."""
_CONVERSIONS: Final = _words(
    "str int float bool bytes repr len ord chr hex round String Number Boolean BigInt parseInt"
    " parseFloat toString valueOf parseDouble parseLong Integer Double Long Character i8 i16 i32"
    " i64 u8 u16 u32 u64 usize isize f32 f64 char short long double unsigned size_t byte to_string"
    " stoi stol stod atoi atof strtol static_cast std::size_t number string boolean"
)
"""Functions and types that make another representation of a value: which one is meant?"""
_CASES: Final = _words("Ok Err Some None clone cloned to_owned copy deepcopy")
"""Cases of a result, and copies: which case, and whether a copy will do, only the writer knows."""
_DECLARED: Final = (
    r"\b(?:def|fn|func|function|class|struct|[\w>\]&*]+)\s+[&*]?{}\s*\([^;]*?\)[^;()]*[{{:]"
)
"""How a program declares a function."""
_CHOICES: Final = _PROMISES | _CONVERSIONS | _CASES


def is_certain(sample: Sample) -> bool:
    """Return whether a fix writes and drops nothing that is a choice."""
    old = sample.source.tokens[sample.first : sample.last]
    gone, new = _difference(old, sample.added_tokens), _difference(sample.added_tokens, old)
    if _is_comparison(gone, new, sample):
        return True
    if any(map(_is_choice, (*gone, *new))):
        return False
    return not any(_is_own_name(token, sample) for token in new)


def _difference(tokens: Sequence[Token], others: Sequence[Token]) -> list[Token]:
    """Return the tokens that are not among the others."""
    left = Counter(token.text for token in others)
    found = []
    for token in tokens:
        if left[token.text]:
            left[token.text] -= 1
        else:
            found.append(token)
    return found


def _is_choice(token: Token) -> bool:
    return is_literal(token) or token.text in _CHOICES or token.text in _OPERATORS


def _is_own_name(token: Token, sample: Sample) -> bool:
    """Return whether the program itself declares a name that the message does not have.

    In another program that name means something else, or nothing.
    """
    if token.kind != "name" or token.text in sample.diagnostic.args:
        return False
    return re.search(_DECLARED.format(re.escape(token.text)), sample.source.text) is not None


def _is_comparison(gone: list[Token], new: list[Token], sample: Sample) -> bool:
    """Return whether `=` becomes `==` before a literal, which nothing can be assigned to."""
    if [token.text for token in (*gone, *new)] != ["=", "=="]:
        return False
    following = sample.source.tokens[sample.last : sample.last + 1]
    return any(map(is_literal, following))
