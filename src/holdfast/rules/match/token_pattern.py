"""Match a pattern of neighbouring tokens, for a text that does not parse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.rules.match.node_classes import class_of_literal, class_of_name
from holdfast.rules.rule import END_OF_LINE, HOLE, TokenRewrite
from holdfast.syntax.tokens import texts_of, tokenize
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.syntax.source import ParsedSource
    from holdfast.syntax.tokens import Token

_CLOSING: Final = {")": "(", "]": "[", "}": "{"}
_BEFORE_VALUE: Final = frozenset({"=", "(", ",", ":", "[", "{", "return", "=>", "+", "in"})
_CONTROL: Final = frozenset(
    {"if", "while", "for", "switch", "catch", "elif", "with", "match", "and", "or", "not", "except"}
)
_VALUES: Final = {"{": "object", "[": "list", "(": "group"}
"""What a bracket is that begins a value."""
_DEFINING: Final = frozenset({"def", "function", "fn", "func"})
_PARTS: Final = {"(": "called", "[": "indexed", ".": "member", "->": "member", "::": "member"}
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
    inside = set(rewrite.inside)
    found: list[TokenMatch] = []
    for low in range(len(source.tokens)):
        match = _match_at(elements, rewrite, source, args, low)
        if match is None:
            continue

        if not inside or inside.intersection(constructs_at(source, low)):
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

        if not _fits(element, source.tokens, at, rewrite):
            return None

        text = source.tokens[at].text
        if not _agrees(element.hole, text, args, texts):
            return None

        at += 1

    return TokenMatch(low, at, texts)


def _fits(
    element: PatternToken, tokens: Sequence[Token], number: int, rewrite: TokenRewrite
) -> bool:
    """Return whether a token has the text of an element, or a kind that its hole may have."""
    token = tokens[number]
    if not element.hole:
        return token.text == element.text

    kinds = rewrite.kinds.get(element.hole)
    if not kinds:
        return True

    if token.kind in kinds:
        return True

    return class_of(tokens, number) in kinds


def _agrees(hole: str, text: str, args: tuple[str, ...], texts: dict[str, str]) -> bool:
    """Return whether a text is what the message names, and what the hole has elsewhere."""
    if not hole:
        return True

    place = hole.removeprefix("ARG")
    if place.isdigit() and args[int(place) : int(place) + 1] != (text,):
        return False

    return texts.setdefault(hole, text) == text


def class_of(tokens: Sequence[Token], number: int) -> str:
    """Return the kind of a token with its class: `string:empty`, `name:constant`.

    A name that is called, indexed or has members is only a part of an operand: `name:called`.
    """
    token = tokens[number]
    if token.kind == "string":
        return f"{token.kind}:{class_of_literal(token.text)}"

    if token.kind != "name":
        return token.kind

    part = "".join(_PARTS.get(following.text, "") for following in tokens[number + 1 : number + 2])
    return f"{token.kind}:{part or class_of_name(token.text)}"


def is_last_of_line(source: ParsedSource, number: int) -> bool:
    """Return whether no token follows on the line of a token."""
    if number + 1 >= len(source.tokens):
        return True

    end, start = source.tokens[number].end, source.tokens[number + 1].start
    return "\n" in source.text[end:start]


def constructs_at(source: ParsedSource, number: int) -> tuple[str, ...]:
    """Return the names of the construct around a token: that of the open bracket, or a keyword.

    `call (`, `parameters (` and `if (` are brackets after a name or a keyword, `list [` and
    `object {` are values. A call has two names, `max (` and `call (`. Without an open bracket, it
    is the first word of the line if that is a keyword, else `line`.
    """
    tokens = source.tokens
    opened = _open_bracket(tokens, number)
    if opened is not None:
        owner, sign = _owner(tokens, opened), tokens[opened].text
        called = [f"{tokens[opened - 1].text} {sign}"] if owner == "call" else []
        return (*called, f"{owner} {sign}")

    first = number
    while first > 0 and not is_last_of_line(source, first - 1):
        first -= 1

    if tokens[first].kind == "keyword":
        return (tokens[first].text,)

    return ("line",)


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
            if _is_value(tokens, at):
                return at

            return None

    return None


def _is_value(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a bracket begins a value, and not a block or an index."""
    if at == 0:
        return True

    before = tokens[at - 1]
    return before.text in _BEFORE_VALUE


def _owner(tokens: Sequence[Token], at: int) -> str:
    """Return what a bracket belongs to."""
    sign = tokens[at].text
    if sign == "{" or _is_value(tokens, at):
        return _VALUES[sign]

    if sign == "[":
        return "index"

    before = texts_of(tokens[max(0, at - 2) : at])
    if before[-1] in _CONTROL:
        return before[-1]

    if _DEFINING.isdisjoint(before[:-1]):
        return "call"

    return "parameters"
