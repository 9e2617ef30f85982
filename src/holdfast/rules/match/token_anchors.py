"""Anchors: names for the place of an edit of tokens, relative to a diagnostic."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from holdfast.syntax.brace_nesting import stray_brace, unclosed_before
from holdfast.syntax.quote_tokens import outer_quotes
from holdfast.syntax.tokens import Token, count_before, first_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.rules.fix_hunks import FixHunk
    from holdfast.syntax.source import ParsedSource

AnchorArea: TypeAlias = tuple[int, int]
"""The offsets where the code that a diagnostic is about begins and ends."""
_REACH = 3
"""The largest distance from the diagnostic in tokens, unless the line or text names the place."""
_LONGEST_TAIL = 3
QUOTES = frozenset("\"'`")
_OPERANDS = frozenset({"name", "number", "string"})


def anchors_of(source: ParsedSource, area: AnchorArea, hunk: FixHunk) -> tuple[str, ...]:
    """Return all anchors of a hunk, the most general ones first."""
    names = _removal_names(source, hunk) if hunk.low < hunk.high else _insertion_names(source, hunk)
    found = tuple(name for name in dict.fromkeys(names) if index_of(name, source, area) == hunk.low)
    # In a string with apostrophes only the outer quotes mark its start and end, never the number of
    # its words.
    return tuple(name for name in found if name.startswith("quote:")) or found


def ends_block(hunk: FixHunk) -> bool:
    """Return whether a line is added that closes a bracket."""
    return (
        hunk.sides == ("line", "line")
        and hunk.low == hunk.high
        and hunk.new.strip().rstrip(";,") in {"}", "]", ")"}
    )


def _insertion_names(source: ParsedSource, hunk: FixHunk) -> Iterator[str]:
    new = hunk.new.strip()
    if new in QUOTES:
        # The end of a string is not counted in words.
        yield "line_end"
        yield from _tails(source, hunk.low)
        return
    if source.marks and new == "\\":
        yield f"quote:inner:{_text_at(source, hunk.low)}"
    if ends_block(hunk):
        yield "unclosed"
    yield from ("here", "line_end", "line_start", "line_before", "between")
    yield from _numbered(source)
    yield from _tails(source, hunk.low)


def _removal_names(source: ParsedSource, hunk: FixHunk) -> Iterator[str]:
    text = _text_at(source, hunk.low)
    if source.marks and source.tokens[hunk.low].kind == "quote":
        yield from (f"quote:first:{text}", f"quote:last:{text}")
    if text == "}" and hunk.lines and hunk.high == hunk.low + 1:
        yield "stray"
    yield from ("token:0", f"find:{text}", "line_start", f"next:{text}", f"back:{text}")
    if hunk.lines and hunk.high == len(source.tokens):
        yield f"file_end:{hunk.high - hunk.low}"
    yield from _numbered(source)


def _numbered(source: ParsedSource) -> Iterator[str]:
    # Among marks the words of strings and comments count too, and no two strings have as many.
    reach = 1 if source.marks else _REACH
    return (f"token:{away}" for away in range(-reach, reach + 1))


def _tails(source: ParsedSource, low: int) -> Iterator[str]:
    """Yield the punctuation from a token to the end of its line."""
    tokens = source.tokens
    if low >= len(tokens):
        return
    end = source.line_end(source.line_of(tokens[low].start))
    tail = [token for token in tokens[low : low + _LONGEST_TAIL + 1] if token.end <= end]
    if len(tail) <= _LONGEST_TAIL and all(
        token.kind in {"open", "close", "operator"} for token in tail
    ):
        yield "tail:" + " ".join(token.text for token in tail)


def _text_at(source: ParsedSource, low: int) -> str:
    return source.tokens[low].text if low < len(source.tokens) else ""


def index_of(anchor: str, source: ParsedSource, area: AnchorArea) -> int | None:
    """Return the index of the token that an anchor names; an insertion goes before it."""
    name, _, rest = anchor.partition(":")
    if name in {"line_end", "line_start", "line_before", "tail", "quote"}:
        return _index_on_line(name, rest, source, source.line_of(area[0]))
    tokens = source.tokens
    here = count_before(tokens, area[0])
    end = source.line_end(source.line_of(area[0]))
    match name:
        case "here":
            inside = here < len(tokens) and tokens[here].start < area[0]
            return None if inside else here
        case "token":
            number = here + int(rest)
            return number if 0 <= number <= len(tokens) else None
        case "find" | "next":
            first = here if name == "find" else here + 1
            return next(
                (
                    i
                    for i in range(first, len(tokens))
                    if tokens[i].text == rest and tokens[i].end <= end
                ),
                None,
            )
        case "back":
            first = first_at(tokens, source.line_starts[source.line_of(area[0])])
            return next((i for i in range(here - 1, first - 1, -1) if tokens[i].text == rest), None)
        case "file_end":
            return max(0, len(tokens) - int(rest))
        case "stray":
            return stray_brace(source)
        case "unclosed":
            return unclosed_before(source)
        case "between":
            return _between_operands(
                tokens, first_at(tokens, area[0]), count_before(tokens, area[1])
            )
        case _:
            return None


def _index_on_line(name: str, rest: str, source: ParsedSource, line: int) -> int | None:
    tokens = source.tokens
    low, high = (
        first_at(tokens, source.line_starts[line]),
        count_before(tokens, source.line_end(line)),
    )
    match name:
        case "line_end":
            return high
        case "line_start":
            return low
        case "line_before":
            return count_before(tokens, source.line_starts[line])
        case "tail":
            tail = rest.split()
            first = high - len(tail)
            return (
                first
                if first >= low and [token.text for token in tokens[first:high]] == tail
                else None
            )
        case _:
            return _quote(rest, source, low, high)


def _quote(name: str, source: ParsedSource, low: int, high: int) -> int | None:
    """Return one of the two quotes around a text with apostrophes, or the only apostrophe in it."""
    which, _, mark = name.partition(":")
    quotes = [token for token in source.tokens[low:high] if token.text == mark]
    outer = outer_quotes(source.text, quotes)
    if outer is None:
        return None
    if which == "inner":
        return first_at(source.tokens, quotes[1].start) if len(quotes) == len(outer) + 1 else None
    return first_at(source.tokens, outer[which == "last"].start)


def _between_operands(tokens: tuple[Token, ...], low: int, high: int) -> int | None:
    """Return the only place where two operands are side by side without an operator."""
    found = [
        number
        for number in range(low + 1, high)
        if tokens[number].kind in _OPERANDS and tokens[number - 1].kind in _OPERANDS | {"close"}
    ]
    return found[0] if len(found) == 1 else None
