"""Where an edit of tokens fits: found from the diagnostic's position, and held to its context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdfast.repair.rules.rule import Piece, Side, TokenEdit
from holdfast.repair.rules.source import Source
from holdfast.repair.rules.tokens import Token, count_before, first_at

_REACH = 3
"""An edit is at most so many tokens from the diagnostic's, unless the line or its own text says where it is."""


@dataclass(frozen=True, slots=True)
class TokenPlace:
    """The tokens `low` to `high` (exclusive) of a text."""

    low: int
    high: int


def find_tokens(edit: TokenEdit, source: Source, offset: int, args: Sequence[str]) -> TokenPlace | None:
    """Find where the edit fits; None if it does not."""
    anchor = edit.anchors[0] if edit.anchors else ""
    low = index_of(anchor, source, offset)
    if low is None or low + len(edit.removed) > len(source.tokens):
        return None
    high = low + len(edit.removed)
    tokens = source.tokens[low:high]
    fits = (
        all(_token_fits(piece, token, args) for piece, token in zip(edit.removed, tokens, strict=True))
        and _context_fits(edit.before, source, (low, high), -1, args)
        and _context_fits(edit.after, source, (low, high), 1, args)
    )
    return TokenPlace(low, high) if fits else None


def anchors_of(source: Source, offset: int, low: int, removed: Sequence[Token]) -> tuple[str, ...]:
    """Give all the ways to find the token `low` from an offset, the ones that carry furthest first."""
    names = ["here", "line_end", "line_start", "line_before"] if not removed else ["token:0"]
    if removed:
        names += [f"find:{removed[0].text}", "line_start"]
    names += [f"token:{away}" for away in range(-_REACH, _REACH + 1)]
    return tuple(name for name in dict.fromkeys(names) if index_of(name, source, offset) == low)


def index_of(anchor: str, source: Source, offset: int) -> int | None:
    """Give the number of the token that an anchor names (an insertion goes before it)."""
    tokens = source.tokens
    here = count_before(tokens, offset)
    name, _, rest = anchor.partition(":")
    line = source.line_of(offset)
    match name:
        case "here":
            inside = here < len(tokens) and tokens[here].start < offset
            return None if inside else here
        case "line_end":
            return count_before(tokens, source.line_end(line))
        case "line_start":
            return first_at(tokens, source.line_starts[line])
        case "line_before":
            return count_before(tokens, source.line_starts[line])
        case "token":
            number = here + int(rest)
            return number if 0 <= number <= len(tokens) else None
        case "find":
            end = source.line_end(line)
            return next((i for i in range(here, len(tokens)) if tokens[i].text == rest and tokens[i].end <= end), None)
        case _:
            return None


def neighbour(source: Source, low: int, high: int, way: int) -> Token | None:
    """Give the token before or after some, on the same line; None if there the line begins or ends."""
    tokens = source.tokens
    at = low - 1 if way < 0 else high
    if not 0 <= at < len(tokens):
        return None
    if way < 0:
        between = source.text[
            tokens[at].end : tokens[low].start if low < len(tokens) and low < high else tokens[at].end
        ]
    else:
        between = source.text[tokens[high - 1].end if high else 0 : tokens[at].start]
    return None if "\n" in between else tokens[at]


def beyond(source: Source, low: int, high: int, way: int) -> Token | None:
    """Give the token before or after some, on whatever line."""
    at = low - 1 if way < 0 else high
    return source.tokens[at] if 0 <= at < len(source.tokens) else None


def context_kind(token: Token | None) -> str:
    """Say coarsely what stands beside an edit."""
    if token is None:
        return "edge"
    return token.kind if token.kind in {"open", "close", "operator", "keyword"} else "operand"


def span_between(source: Source, place: TokenPlace, sides: tuple[Side, Side]) -> tuple[int, int]:
    """Give the text that an edit of these tokens replaces."""
    tokens, text = source.tokens, source.text
    before = tokens[place.low - 1].end if place.low else 0
    after = tokens[place.high].start if place.high < len(tokens) else len(text)
    first = tokens[place.low].start if place.low < len(tokens) else len(text)
    last = tokens[place.high - 1].end if place.high else 0
    start = {"gap_before": before, "start": first, "line": text.rfind("\n", 0, after) + 1}[sides[0]]
    return start, {"end": last, "gap_after": after}[sides[1]]


def _token_fits(piece: Piece, token: Token, args: Sequence[str]) -> bool:
    if piece.arg is not None and (piece.arg >= len(args) or token.text != args[piece.arg]):
        return False
    if piece.text is not None and token.text != piece.text:
        return False
    return not piece.kinds or token.kind in piece.kinds


def _context_fits(piece: Piece, source: Source, place: tuple[int, int], way: int, args: Sequence[str]) -> bool:
    if piece.arg is not None:
        beside = beyond(source, *place, way)
        if beside is None or piece.arg >= len(args) or beside.text != args[piece.arg]:
            return False
        # The message says which token it is; only where its line ends is left to ask.
        return ("edge" in piece.kinds) == (neighbour(source, *place, way) is None)
    return any(kind in piece.kinds for kind in _context_kinds(neighbour(source, *place, way)))


def _context_kinds(token: Token | None) -> Iterator[str]:
    kind = context_kind(token)
    yield kind
    # What ends an operand: `x`, `f()`, `a[0]`, `else`.
    if kind in {"close", "operand", "keyword"}:
        yield "ended"
