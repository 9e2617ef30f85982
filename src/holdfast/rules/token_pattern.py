"""Match a pattern of neighbouring tokens, for a text that does not parse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.rules.rule import END_OF_LINE, HOLE, TokenRewrite
from holdfast.syntax.tokens import tokenize
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.syntax.source import ParsedSource
    from holdfast.syntax.tokens import Token

_CLOSING: Final = {")": "(", "]": "[", "}": "{"}
_REACH: Final = 400
"""How many tokens back an open bracket is looked for."""


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """A run of tokens that fits a pattern: the numbers of the first one and of the one after it."""

    low: int
    high: int
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PatternToken:
    """One element of a pattern: a constant text, or a hole with a name."""

    text: str
    hole: str = ""


def parse_token_pattern(pattern: str, language: str) -> list[PatternToken]:
    """Return the elements of a pattern."""
    elements: list[PatternToken] = []
    done = 0
    for found in HOLE.finditer(pattern):
        elements += _constants(pattern[done : found.start()], language)
        elements.append(PatternToken(found[0], found[1]))
        done = found.end()
    elements += _constants(pattern[done:], language)
    return elements


def _constants(text: str, language: str) -> list[PatternToken]:
    return [PatternToken(token.text) for token in tokenize(text, language)]


def find_token_matches(
    rewrite: TokenRewrite, source: ParsedSource, args: tuple[str, ...]
) -> list[TokenMatch]:
    """Return the runs of tokens that fit a pattern and are inside of one of its constructs."""
    elements = parse_token_pattern(rewrite.pattern, source.language)
    found: list[TokenMatch] = []
    for low in range(len(source.tokens)):
        match = _match_at(elements, rewrite, source, args, low)
        if match is None:
            continue
        if not rewrite.inside or construct_at(source, match.low) in rewrite.inside:
            found.append(match)
    return found


def _match_at(
    elements: Sequence[PatternToken],
    rewrite: TokenRewrite,
    source: ParsedSource,
    args: tuple[str, ...],
    low: int,
) -> TokenMatch | None:
    texts: dict[str, str] = {}
    at = low
    for element in elements:
        if element.hole == END_OF_LINE:
            if not is_last_of_line(source, at - 1):
                return None
            continue
        if at >= len(source.tokens):
            return None
        if not _fits(element, source.tokens[at], rewrite, args, texts):
            return None
        at += 1
    return TokenMatch(low, at, texts)


def _fits(
    element: PatternToken,
    token: Token,
    rewrite: TokenRewrite,
    args: tuple[str, ...],
    texts: dict[str, str],
) -> bool:
    if not element.hole:
        return token.text == element.text
    kinds = rewrite.kinds.get(element.hole)
    if kinds and token.kind not in kinds:
        return False
    number = element.hole.removeprefix("ARG")
    if number.isdigit() and (int(number) >= len(args) or args[int(number)] != token.text):
        return False
    return texts.setdefault(element.hole, token.text) == token.text


def is_last_of_line(source: ParsedSource, number: int) -> bool:
    """Return whether no token follows on the line of a token."""
    if number + 1 >= len(source.tokens):
        return True
    end, start = source.tokens[number].end, source.tokens[number + 1].start
    return "\n" in source.text[end:start]


def construct_at(source: ParsedSource, number: int) -> str:
    """Return the construct around a token: an open bracket with what is before it, or a keyword.

    `call (` is a bracket after a name, `if (` one after a keyword, `= {` one after a sign. Without
    an open bracket, it is the first word of the line if that is a keyword, else `line`.
    """
    tokens = source.tokens
    opened = _open_bracket(tokens, number)
    if opened is not None:
        return f"{_word(tokens, opened - 1)} {tokens[opened].text}"
    first = number
    while first > 0 and not is_last_of_line(source, first - 1):
        first -= 1
    if tokens[first].kind == "keyword":
        return tokens[first].text
    return "line"


def _open_bracket(tokens: Sequence[Token], number: int) -> int | None:
    """Return the number of the innermost bracket that is open before a token."""
    closed: list[str] = []
    for at in range(number, max(-1, number - _REACH), -1):
        text = tokens[at].text
        if text in _CLOSING:
            closed.append(_CLOSING[text])
        elif closed and text == closed[-1]:
            closed.pop()
        elif text in {"(", "["} and not closed:
            return at
        elif text == "{" and not closed:
            return _object_bracket(tokens, at)
    return None


def _object_bracket(tokens: Sequence[Token], at: int) -> int | None:
    """Return a curly bracket of a value; None for that of a block, which is no construct."""
    if at == 0 or tokens[at - 1].text in {"=", "(", ",", ":", "["}:
        return at
    if tokens[at - 1].text == "return":
        return at
    return None


def _word(tokens: Sequence[Token], number: int) -> str:
    if number < 0:
        return "start"
    token = tokens[number]
    if token.kind == "name":
        return "call"
    return token.text
