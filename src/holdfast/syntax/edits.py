"""The edits between two versions of a text, as small as tokens allow."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.syntax.tokens import tokenize
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.syntax.tokens import Token

_ALIKE: Final = 0.5
_MOST_LINES: Final = 60


@dataclass(frozen=True, slots=True)
class Edit:
    """The old text from `start` to `end` became the new text from `new_start` to `new_end`."""

    start: int
    end: int
    new_start: int
    new_end: int

    @property
    def shift(self) -> int:
        """How much longer the text becomes."""
        return (self.new_end - self.new_start) - (self.end - self.start)


def edits_between(before: str, after: str, language: str) -> list[Edit]:
    """Return the edits that turn one text into the other, in order.

    An edit covers whole tokens. Lines that differ only in blanks or comments are no edit.
    """
    old_lines, new_lines = _Lines(before, language), _Lines(after, language)
    matcher = SequenceMatcher(None, old_lines.keys, new_lines.keys, autojunk=False)
    edits: list[Edit] = []
    for tag, low, high, new_low, new_high in matcher.get_opcodes():
        if tag == "equal":
            continue
        for lines, changed in _pairs(old_lines, new_lines, (low, high), (new_low, new_high)):
            edits += _edit_in(old_lines, new_lines, lines, changed)
    return edits


_Span: TypeAlias = tuple[int, int]


def _pairs(old: _Lines, new: _Lines, lines: _Span, changed: _Span) -> list[tuple[_Span, _Span]]:
    """Return which changed lines belong together: the same number, or those that are alike."""
    low, high = lines
    new_low, new_high = changed
    if high - low == new_high - new_low:
        return [
            ((low + at, low + at + 1), (new_low + at, new_low + at + 1)) for at in range(high - low)
        ]
    if min(high - low, new_high - new_low) == 0 or high - low + new_high - new_low > _MOST_LINES:
        return [(lines, changed)]
    pairs: list[tuple[_Span, _Span]] = []
    done, new_done = low, new_low
    for new_line in range(new_low, new_high):
        line = _most_alike(old.keys[done:high], new.keys[new_line])
        if line is None:
            continue
        pairs.append(((done, done + line), (new_done, new_line)))
        pairs.append(((done + line, done + line + 1), (new_line, new_line + 1)))
        done, new_done = done + line + 1, new_line + 1
    pairs.append(((done, high), (new_done, new_high)))
    return [pair for pair in pairs if pair != ((pair[0][0],) * 2, (pair[1][0],) * 2)]


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
        self.bounds: list[tuple[int, int]] = []
        self.keys: list[tuple[str, ...]] = []
        line_end = -1
        for number, token in enumerate(self.tokens):
            if token.start > line_end:
                found = text.find("\n", token.start)
                line_end = found if found >= 0 else len(text)
                self.bounds.append((number, number + 1))
                self.keys.append((token.text,))
            else:
                self.bounds[-1] = (self.bounds[-1][0], number + 1)
                self.keys[-1] = (*self.keys[-1], token.text)

    def tokens_of(self, lines: tuple[int, int]) -> tuple[int, int]:
        """Return the numbers of the first token of some lines and of the first one after them."""
        low, high = lines
        if low < high:
            return self.bounds[low][0], self.bounds[high - 1][1]
        if low < len(self.bounds):
            return self.bounds[low][0], self.bounds[low][0]
        return len(self.tokens), len(self.tokens)


def _edit_in(
    old: _Lines, new: _Lines, lines: tuple[int, int], new_lines: tuple[int, int]
) -> list[Edit]:
    low, high = old.tokens_of(lines)
    new_low, new_high = new.tokens_of(new_lines)
    ones, others = old.tokens[low:high], new.tokens[new_low:new_high]
    head = _common(ones, others)
    tail = _common(ones[head:][::-1], others[head:][::-1])
    if head + tail == len(ones) == len(others):
        return []
    start, end = _span(old, low + head, high - tail)
    new_start, new_end = _span(new, new_low + head, new_high - tail)
    return [Edit(start, end, new_start, new_end)]


def _span(lines: _Lines, low: int, high: int) -> tuple[int, int]:
    """Return the offsets of some tokens; without any, the place before the token `low`."""
    tokens = lines.tokens
    if low < high:
        return tokens[low].start, tokens[high - 1].end
    if low < len(tokens):
        return tokens[low].start, tokens[low].start
    end = tokens[-1].end if tokens else 0
    return end, end


def _common(ones: Sequence[Token], others: Sequence[Token]) -> int:
    """Return how many tokens at the start are the same."""
    count = 0
    for one, other in zip(ones, others, strict=False):
        if one.text != other.text:
            break
        count += 1
    return count
