"""The differences between a text and its fix: lines added, lines removed, and tokens."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.syntax.source import BLANKS, ParsedSource
from holdfast.syntax.tokens import Token, first_at
from holdfast.syntax.tree import span_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.rules.rule import PieceSide

_MOST_TOKENS = 2_000
# A word that belongs to what follows, at any distance.
_PREFIX = re.compile(
    r"(?:mut|pub|async|await|static|const|final|public|private|protected|export|new|unsafe) "
)

_CLOSES = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class NewLines:
    """Whole lines inserted before the line with this number (0-based)."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class FixHunk:
    """A replacement of the text from `start` to `end` by `new`.

    The tokens `low` to `high` (exclusive) are in it.
    """

    start: int
    end: int
    new: str
    low: int
    high: int
    sides: tuple[PieceSide, PieceSide]
    lines: bool = False


def hunks_between(before: ParsedSource, after: ParsedSource) -> list[FixHunk | NewLines] | None:
    """Return the differences in order; None if there are too many to compare."""
    old, new = _lines(before.text), _lines(after.text)
    found: list[FixHunk | NewLines] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "insert":
            found.append(NewLines(i, "".join(new[k:m])))
        elif tag != "equal":
            block = _block_hunks(before, after, (i, j), (k, m))
            if block is None:
                return None
            found += block
    return found


def apply_hunks(before: ParsedSource, differing: Sequence[FixHunk | NewLines]) -> str:
    """Return the text with all the differences applied."""
    spans = [
        (each.start, each.end, each.new)
        if isinstance(each, FixHunk)
        else (_offset_of_line(before, each.line), _offset_of_line(before, each.line), each.text)
        for each in differing
    ]
    parts, done = [], 0
    for start, end, new in spans:
        parts += [before.text[done:start], new]
        done = end
    return "".join([*parts, before.text[done:]])


def of_tokens(before: ParsedSource, differing: Sequence[FixHunk | NewLines]) -> list[FixHunk]:
    """Return new lines as insertions between two tokens, and removed lines as their tokens."""
    return [
        _between_tokens(before, each) if isinstance(each, NewLines) else each for each in differing
    ]


def _between_tokens(before: ParsedSource, new: NewLines) -> FixHunk:
    at = _offset_of_line(before, new.line)
    low = first_at(before.tokens, at)
    return FixHunk(at, at, new.text, low, low, ("line", "line"))


def _lines(text: str) -> list[str]:
    # Not str.splitlines: that also breaks at form feeds and U+2028, which are content here.
    parts = text.split("\n")
    return [line + "\n" for line in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _block_hunks(
    before: ParsedSource, after: ParsedSource, old: tuple[int, int], new: tuple[int, int]
) -> list[FixHunk] | None:
    start, end = _offset_of_line(before, old[0]), _offset_of_line(before, old[1])
    low, high = first_at(before.tokens, start), first_at(before.tokens, end)
    if new[0] == new[1]:
        return [FixHunk(start, end, "", low, high, ("line", "line"), lines=True)]
    new_start, new_end = _offset_of_line(after, new[0]), _offset_of_line(after, new[1])
    new_low, new_high = first_at(after.tokens, new_start), first_at(after.tokens, new_end)
    if max(high - low, new_high - new_low) > _MOST_TOKENS:
        return None
    pairs = _matching(before.tokens[low:high], after.tokens[new_low:new_high])
    # The edges of the block count as matched tokens without length.
    matched = [
        (low - 1, new_low - 1),
        *((low + a, new_low + b) for a, b in pairs),
        (high, new_high),
    ]
    found = []
    for (left, new_left), (right, new_right) in pairwise(matched):
        from_ = start if left < low else before.tokens[left].end
        to = end if right >= high else before.tokens[right].start
        new_from = new_start if new_left < new_low else after.tokens[new_left].end
        new_to = new_end if new_right >= new_high else after.tokens[new_right].start
        if before.text[from_:to] != after.text[new_from:new_to]:
            found.append(
                _trimmed(before, (from_, to), after.text[new_from:new_to], left + 1, right)
            )
    return found


def _offset_of_line(source: ParsedSource, line: int) -> int:
    return source.line_starts[line] if line < len(source.line_starts) else len(source.text)


def _matching(old: tuple[Token, ...], new: tuple[Token, ...]) -> list[tuple[int, int]]:
    """Pair the tokens that stay: first those at both ends, then those in the longest equal runs."""
    a, b = [token.text for token in old], [token.text for token in new]
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    inner = SequenceMatcher(None, a[head : len(a) - tail], b[head : len(b) - tail], autojunk=False)
    return [
        *((i, i) for i in range(head)),
        *(
            (head + block.a + i, head + block.b + i)
            for block in inner.get_matching_blocks()
            for i in range(block.size)
        ),
        *((len(a) - i, len(b) - i) for i in range(tail, 0, -1)),
    ]


def _trimmed(before: ParsedSource, span: tuple[int, int], new: str, low: int, high: int) -> FixHunk:
    """Return the hunk without the blanks on both sides that stay the same."""
    start, end = span
    old = before.text[start:end]
    if low == high:
        return _trimmed_insertion(start, old, new, low)
    first, last = before.tokens[low].start, before.tokens[high - 1].end
    lead, trail = before.text[start:first], before.text[last:end]
    if new.startswith(before.text[start:last]) and new.lstrip(BLANKS)[:1] in {"'", '"', "`"}:
        # A string without an end becomes one token once it has one: the end is what differs.
        return _trimmed_insertion(last, before.text[last:end], new[last - start :], high)
    sides: tuple[PieceSide, PieceSide] = ("gap_before", "gap_after")
    if new.startswith(lead) and not new[len(lead) :][:1].isspace():
        start, new, sides = first, new[len(lead) :], ("start", sides[1])
    blank = bool(trail) and new == trail and sides[0] == "gap_before"
    # A line break belongs to its line: the start of the next line is no part of the fix.
    if new.endswith(trail) and (not blank or "\n" in trail):
        end, new, sides = last, new[: len(new) - len(trail)], (sides[0], "end")
    return FixHunk(start, end, new, low, high, sides)


def _trimmed_insertion(start: int, old: str, new: str, low: int) -> FixHunk:
    end = start + len(old)
    if not new.strip(BLANKS) and "\n" in old and "\n" in new:
        # Only the start of a line differs.
        line = start + old.rindex("\n") + 1
        return FixHunk(line, end, new[new.rindex("\n") + 1 :], low, low, ("line", "gap_after"))
    if not new.strip(BLANKS) and not old.strip(BLANKS):
        return FixHunk(start, end, new, low, low, ("line", "gap_after"))
    if new.startswith(old) and _PREFIX.match(new[len(old) :]):
        return FixHunk(end, end, new[len(old) :], low, low, ("start", "gap_after"))
    if new.endswith(old) and not new[: len(new) - len(old)].endswith(tuple(BLANKS)):
        return FixHunk(start, start, new[: len(new) - len(old)], low, low, ("gap_before", "end"))
    if new.startswith(old):
        return FixHunk(end, end, new[len(old) :], low, low, ("start", "gap_after"))
    return FixHunk(start, end, new, low, low, ("gap_before", "gap_after"))


def with_brackets_moved(
    source: ParsedSource, edits: Sequence[FixHunk | NewLines]
) -> list[FixHunk | NewLines]:
    """Move each inserted closing bracket to the end of what follows the inserted opening one.

    Of `max(a, v.size())` and `max(a, int(v.size()))` the comparison only shows that there is one
    `)` more. It belongs behind `v.size()`, since `v.size(` cannot be closed.
    """
    moved = list(edits)
    for number, edit in enumerate(moved):
        opener = next(
            (each for each in reversed(moved[:number]) if isinstance(each, FixHunk)), None
        )
        if isinstance(edit, FixHunk) and opener is not None and _closes(edit, opener):
            moved[number] = _moved(source, edit, opener.end)
    return moved


def _closes(edit: FixHunk, opener: FixHunk) -> bool:
    opened = opener.new.rstrip()[-1:]
    return edit.start == edit.end and opened in _CLOSES and edit.new == _CLOSES[opened]


def _moved(source: ParsedSource, edit: FixHunk, operand: int) -> FixHunk:
    text, bracket = source.text, edit.new
    places = [edit.start]
    while text.startswith(bracket, places[-1]):
        places.append(places[-1] + 1)
    while places[0] > 0 and text[places[0] - 1] == bracket:
        places.insert(0, places[0] - 1)
    ends = {
        span_of(node)[1]
        for node in source.nodes_around(operand)
        if span_of(node)[0] == operand and node.is_named()
    }
    fitting = [place for place in places if place in ends]
    if edit.start in fitting or not fitting:
        return edit
    low = first_at(source.tokens, fitting[0])
    return replace(edit, start=fitting[0], end=fitting[0], low=low, high=low)
