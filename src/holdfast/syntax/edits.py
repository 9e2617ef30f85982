"""The edits between two versions of a text, as small as tokens allow."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.syntax.tokens import Token, first_at, texts_of, tokenize
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ALIKE: Final = 0.5
_MOST_LINES: Final = 60


@dataclass(frozen=True, slots=True)
class Edit:
    """The old text from `start` to `end` became the new text from `new_start` to `new_end`."""

    start: int
    end: int
    new_start: int
    new_end: int


def edits_between(before: str, after: str, language: str) -> list[Edit]:
    """Return the edits that turn one text into the other, in order.

    An edit covers whole tokens. Lines that differ only in blanks or comments are no edit.
    """
    old_lines = _Lines(before, language)
    new_lines = _Lines(after, language)
    matcher = SequenceMatcher(None, old_lines.keys, new_lines.keys, autojunk=False)
    edits: list[Edit] = []
    for tag, low, high, new_low, new_high in matcher.get_opcodes():
        if tag == "equal":
            continue
        for lines, changed in _pairs(old_lines, new_lines, (low, high), (new_low, new_high)):
            edits += _edit_in(old_lines, new_lines, lines, changed)

    return edits


def parts_of(edit: Edit, before: str, after: str, language: str) -> list[Edit]:
    """Return an edit in the smallest parts with the same tokens between them."""
    old = tokenize(before[edit.start : edit.end], language)
    new = tokenize(after[edit.new_start : edit.new_end], language)
    matcher = SequenceMatcher(None, texts_of(old), texts_of(new))
    parts: list[Edit] = []
    for tag, low, high, new_low, new_high in matcher.get_opcodes():
        if tag == "equal":
            continue
        start, end = _token_span(old, low, high)
        new_start, new_end = _token_span(new, new_low, new_high)
        parts.append(
            Edit(
                edit.start + start,
                edit.start + end,
                edit.new_start + new_start,
                edit.new_start + new_end,
            )
        )

    return parts


def with_edits(before: str, after: str, edits: Iterable[Edit], language: str) -> str:
    """Return the old text with some of the edits, with the blanks of the new text there."""
    tokens = tokenize(before, language)
    new_tokens = tokenize(after, language)
    text = before
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        low, high = _gap(tokens, edit.start, edit.end, len(before))
        new_low, new_high = _gap(new_tokens, edit.new_start, edit.new_end, len(after))
        text = text[:low] + after[new_low:new_high] + text[high:]

    return text


def _gap(tokens: tuple[Token, ...], start: int, end: int, length: int) -> tuple[int, int]:
    """Return where the token before a span ends, and where the one after it begins."""
    edges = (Token("edge", "", 0, 0), *tokens, Token("edge", "", length, length))
    low = edges[first_at(tokens, start)]
    high = edges[first_at(tokens, end) + 1]
    return low.end, high.start


_Span: TypeAlias = tuple[int, int]


def _pairs(old: _Lines, new: _Lines, lines: _Span, changed: _Span) -> list[tuple[_Span, _Span]]:
    """Return which changed lines belong together: the same number, or those that are alike."""
    low, high = lines
    new_low, new_high = changed
    count = high - low
    new_count = new_high - new_low
    if count == new_count:
        each = pairwise(range(low, high + 1))
        new_each = pairwise(range(new_low, new_high + 1))
        return list(zip(each, new_each, strict=True))
    if min(count, new_count) == 0 or count + new_count > _MOST_LINES:
        return [(lines, changed)]

    pairs: list[tuple[_Span, _Span]] = []
    done = low
    new_done = new_low
    for new_line in range(new_low, new_high):
        line = _most_alike(old.keys[done:high], new.keys[new_line])
        if line is None:
            continue
        pairs.append(((done, done + line), (new_done, new_line)))
        pairs.append(((done + line, done + line + 1), (new_line, new_line + 1)))
        done += line + 1
        new_done = new_line + 1

    pairs.append(((done, high), (new_done, new_high)))
    return pairs


def _most_alike(lines: Sequence[tuple[str, ...]], wanted: tuple[str, ...]) -> int | None:
    """Return the number of the line that has the most tokens in common; None if none has enough."""
    best, number = _ALIKE, None
    for at, line in enumerate(lines):
        # The first word says what a line is: `return`, `if`, the variable that is set.
        ratio = SequenceMatcher(None, line, wanted, autojunk=False).ratio()
        ratio += _ALIKE * (line[0] == wanted[0])
        if ratio > best:
            best, number = ratio, at

    return number


class _Lines:
    """The lines of a text with their tokens; lines without a token are left out."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.tokens = tokenize(text, language)
        self.starts: list[int] = []
        """The number of the first token of each line; at last, the number of all tokens."""
        self.keys: list[tuple[str, ...]] = []
        ended = text + "\n"
        line_end = -1
        for number, token in enumerate(self.tokens):
            if token.start > line_end:
                line_end = ended.index("\n", token.start)
                self.starts.append(number)
                self.keys.append(())
            self.keys[-1] += (token.text,)

        self.starts.append(len(self.tokens))


def _edit_in(old: _Lines, new: _Lines, lines: _Span, new_lines: _Span) -> list[Edit]:
    first, end_line = lines
    new_first, new_end_line = new_lines
    low = old.starts[first]
    high = old.starts[end_line]
    new_low = new.starts[new_first]
    new_high = new.starts[new_end_line]
    ones = old.tokens[low:high]
    others = new.tokens[new_low:new_high]
    head = common_start(ones, others)
    tail = common_start(ones[head:][::-1], others[head:][::-1])
    if head + tail == len(ones) == len(others):
        return []

    start, end = _token_span(old.tokens, low + head, high - tail)
    new_start, new_end = _token_span(new.tokens, new_low + head, new_high - tail)
    return [Edit(start, end, new_start, new_end)]


def _token_span(tokens: tuple[Token, ...], low: int, high: int) -> tuple[int, int]:
    """Return the offsets of some tokens; without any, the place before the token `low`."""
    before = (Token("edge", "", 0, 0), *tokens)
    last = before[-1].end
    after = (*tokens, Token("edge", "", last, last))
    start = after[low].start
    return start, max(start, before[high].end)


def common_start(ones: Sequence[Token], others: Sequence[Token]) -> int:
    """Return how many tokens at the start are the same."""
    count = 0
    for one, other in zip(ones, others, strict=False):
        if one.text != other.text:
            break
        count += 1
    return count
