"""Where an edit of tokens fits: found from the diagnostic and checked against its context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.rules.match.ambiguity import is_ambiguous
from holdfast.rules.match.token_anchors import AnchorArea, index_of
from holdfast.syntax.quote_tokens import is_wordy
from holdfast.syntax.tokens import COMMON, Token
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.rules.rule import PatternPiece, PieceSide, TokenEdit
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class TokenPlace:
    """The tokens `low` to `high` (exclusive) of a text."""

    low: int
    high: int


def find_tokens(edit: TokenEdit, source: ParsedSource, diagnostic: Diagnostic) -> TokenPlace | None:
    """Return where the edit fits; None if nowhere, or if another edit may be meant there."""
    area, args = area_of(source, diagnostic), diagnostic.args
    low = index_of(edit.anchors[0], source, area) if area is not None and edit.anchors else None
    if low is None or low + len(edit.removed) > len(source.tokens):
        return None
    high = low + len(edit.removed)
    tokens = source.tokens[low:high]
    fits = (
        all(
            _token_fits(piece, token, args)
            for piece, token in zip(edit.removed, tokens, strict=True)
        )
        and _context_fits(edit.before, source, (low, high), -1, args)
        and _context_fits(edit.after, source, (low, high), 1, args)
    )
    place = TokenPlace(low, high)
    new = "".join(part if isinstance(part, str) else "x" for part in edit.parts)
    return (
        place
        if fits and not _glues(edit, source, place) and not is_ambiguous(source, low, high, new)
        else None
    )


def _glues(edit: TokenEdit, source: ParsedSource, place: TokenPlace) -> bool:
    """Return whether a word replacing an operator would join a word beside it: `aandb`."""
    start, end = span_between(source, place, edit.sides)
    if not edit.removed or not edit.parts:
        return False
    first, last = edit.parts[0], edit.parts[-1]
    left = isinstance(first, str) and _is_glued(
        source.text[start - 1 : start], source.text[start : start + 1], first
    )
    right = isinstance(last, str) and _is_glued(
        source.text[end : end + 1], source.text[end - 1 : end], last[::-1]
    )
    return left or right


def _is_glued(beside: str, old: str, new: str) -> bool:
    return is_wordy(beside) and not is_wordy(old) and is_wordy(new[:1])


def area_of(source: ParsedSource, diagnostic: Diagnostic) -> AnchorArea | None:
    """Return the offsets where the code that a diagnostic is about begins and ends."""
    start, end = source.place_of(diagnostic), source.end_of(diagnostic)
    return None if start is None else (start, start if end is None else end)


def neighbour(source: ParsedSource, low: int, high: int, direction: int) -> Token | None:
    """Return the token before or after some, on the same line; None at the edge of the line."""
    tokens = source.tokens
    at = low - 1 if direction < 0 else high
    if not 0 <= at < len(tokens):
        return None
    if direction < 0:
        between = source.text[
            tokens[at].end : tokens[low].start
            if low < len(tokens) and low < high
            else tokens[at].end
        ]
    else:
        between = source.text[tokens[high - 1].end if high else 0 : tokens[at].start]
    return None if "\n" in between else tokens[at]


def beyond(source: ParsedSource, low: int, high: int, direction: int) -> Token | None:
    """Return the token before or after some, on any line."""
    at = low - 1 if direction < 0 else high
    return source.tokens[at] if 0 <= at < len(source.tokens) else None


def context_kind(token: Token | None) -> str:
    """Return the coarse kind of a token beside an edit."""
    if token is None:
        return "edge"
    return (
        token.kind
        if token.kind in {"open", "close", "operator", "keyword", "comment"}
        else "operand"
    )


def span_between(
    source: ParsedSource, place: TokenPlace, sides: tuple[PieceSide, PieceSide]
) -> tuple[int, int]:
    """Return the span of the text that an edit of these tokens replaces."""
    tokens, text = source.tokens, source.text
    if sides == ("line", "line"):
        return _whole_lines(source, place)
    before = tokens[place.low - 1].end if place.low else 0
    after = tokens[place.high].start if place.high < len(tokens) else len(text)
    first = tokens[place.low].start if place.low < len(tokens) else len(text)
    last = tokens[place.high - 1].end if place.high else 0
    start = {"gap_before": before, "start": first, "line": text.rfind("\n", 0, after) + 1}[sides[0]]
    return start, {"end": last, "gap_after": after}[sides[1]]


def _whole_lines(source: ParsedSource, place: TokenPlace) -> tuple[int, int]:
    """Return the span of the lines of the tokens; without tokens, the start of the next line."""
    tokens, text = source.tokens, source.text
    last = tokens[place.high - 1].end if place.high else 0
    end = text.find("\n", last) + 1 or len(text)
    return (
        text.rfind("\n", 0, tokens[place.low].start) + 1 if place.low < place.high else end
    ), end


def _token_fits(piece: PatternPiece, token: Token, args: Sequence[str]) -> bool:
    if piece.arg is not None and (piece.arg >= len(args) or token.text != args[piece.arg]):
        return False
    if piece.text is not None and token.text != piece.text:
        return False
    common = "common" in piece.kinds and token.text in COMMON
    return not piece.kinds or common or token.kind in piece.kinds


def _context_fits(
    piece: PatternPiece,
    source: ParsedSource,
    place: tuple[int, int],
    direction: int,
    args: Sequence[str],
) -> bool:
    beside = beyond(source, *place, direction)
    if piece.text is not None and (beside is None or beside.text != piece.text):
        return False
    if piece.arg is not None:
        if beside is None or piece.arg >= len(args) or beside.text != args[piece.arg]:
            return False
        # The message names the token; only the end of its line is left to check.
        return ("edge" in piece.kinds) == (neighbour(source, *place, direction) is None)
    token = neighbour(source, *place, direction)
    return any(
        _kind_fits(kind, token, qualities_of(source, place, direction)) for kind in piece.kinds
    )


def _kind_fits(kind: str, token: Token | None, qualities: frozenset[str]) -> bool:
    wide, *wanted = kind.split()
    found = context_kind(token)
    # A sign begins an operand: `-1`, `!done`.
    sign = wide == "begins" and token is not None and token.text in {"-", "+", "~", "!"}
    return qualities.issuperset(wanted) and (
        sign or wide in {found, "any"} or found in CONTEXTS.get(wide, ())
    )


def qualities_of(source: ParsedSource, place: tuple[int, int], direction: int) -> frozenset[str]:
    """Return whether blanks are beside some tokens (`apart`), and the case of a name there."""
    low, high = place
    if low == high:
        return frozenset()
    at = source.tokens[low].start - 1 if direction < 0 else source.tokens[high - 1].end
    beside = neighbour(source, low, high, direction)
    qualities = {"apart"} if source.text[at : at + 1].isspace() else set()
    if beside is not None and beside.kind == "name":
        qualities.add("large" if beside.text[0].isupper() else "small")
    return frozenset(qualities)


CONTEXTS = {
    # The end of an operand (`x`, `f()`, `a[0]`, `else`); what may precede one; what may follow one;
    # what begins one.
    "ended": frozenset({"close", "operand", "keyword"}),
    "awaits": frozenset({"open", "operator", "keyword"}),
    "follows": frozenset({"close", "operator", "keyword", "edge"}),
    "begins": frozenset({"open", "operand", "keyword"}),
}
