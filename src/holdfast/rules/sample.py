"""An example prepared for learning: the one place that changed, in the old and the new text."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import filterfalse
from operator import methodcaller
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.context import comments_at
from holdfast.rules.match.node_classes import BLOCKS, LISTS, is_statement
from holdfast.syntax.source import BLANKS, ParsedSource
from holdfast.syntax.tokens import (
    COMMON,
    find_runs,
    first_at,
    is_content,
    is_literal,
    texts_of,
    tokenize,
)
from holdfast.syntax.tree import parent_kind, span_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ast_grep_py import SgNode

    from holdfast.rules.rule import Example
    from holdfast.syntax.edits import Edit
    from holdfast.syntax.tokens import Token
    from holdfast.vocab.diagnostics import Diagnostic

_PUNCTUATION: Final = frozenset("()[]{},;:.") | {"->", "::", "=>"}
"""The signs that the grammar demands. Any other is an operator: another one means another thing."""
_WORD: Final = lazy_pattern(r"[^\W\d]\w*")
_OFFERED: Final = lazy_pattern(r"(?:\{\d+\}, )*\{\d+\},? or \{\d+\}")
"""Names of a message that offers several: one of them is meant."""


@dataclass(frozen=True, slots=True)
class _Gap:
    """The tokens from `first` to before `last`; `low` and `high` are where their neighbours are."""

    first: int
    last: int
    low: int
    high: int


def _gap_at(tokens: tuple[Token, ...], start: int, end: int, length: int) -> _Gap:
    first, last = first_at(tokens, start), first_at(tokens, end)
    ends = [0, *(token.end for token in tokens)]
    starts = [*(token.start for token in tokens), length]
    return _Gap(first, last, ends[first], starts[last])


class Sample:
    """One edit of a text, with the nodes and the tokens around it."""

    def __init__(self, example: Example, diagnostic: Diagnostic, edit: Edit, target: str) -> None:
        """Prepare an example; `edit` is the change from its `before` to its `after`."""
        self.example = example
        self.diagnostic = diagnostic
        self.edit = edit
        self.source = ParsedSource(example.before, target)
        after = example.after or ""
        tokens, new_tokens = self.source.tokens, tokenize(after, target)
        old = _gap_at(tokens, edit.start, edit.end, len(example.before))
        new = _gap_at(new_tokens, edit.new_start, edit.new_end, len(after))
        self.first, self.last, self.low, self.high = old.first, old.last, old.low, old.high
        self.old_tokens = tokens[old.first : old.last]
        self.added_tokens = new_tokens[new.first : new.last]
        self._added_at = old.low - new.low
        self.gap = after[new.low : new.high]
        self.shift = len(self.gap) - (old.high - old.low)
        self.body = example.before[: old.low] + self.gap + example.before[old.high :]

    @cached_property
    def place(self) -> int | None:
        """The offset of the diagnostic."""
        return self.source.place_of(self.diagnostic)

    @cached_property
    def new_tokens(self) -> list[Token]:
        """The added tokens whose text the old text at that place has not."""
        texts = set(texts_of(self.old_tokens))
        return [token for token in self.added_tokens if token.text not in texts]

    @cached_property
    def brings_content(self) -> bool:
        """Whether the fix adds a name or a value that the message does not name."""
        # The message may qualify a name: `java.io.IOException`.
        named = {re.split(r"\.|::", arg)[-1] for arg in self._named}
        named.update(self._named)
        brought = texts_of(filter(is_content, self.new_tokens))
        return not named.issuperset(brought)

    @cached_property
    def _named(self) -> set[str]:
        """What the message names; a number in it is a count, and no value."""
        return set(filterfalse(str.isdigit, self.diagnostic.args))

    @cached_property
    def renames_member(self) -> bool:
        """Whether the fix only writes another name for the member that the message names."""
        if len(self.old_tokens) != 1:
            return False

        if len(self.added_tokens) != 1:
            return False

        [old] = self.old_tokens
        return old.text in self.diagnostic.args

    @property
    def replaces_sign(self) -> bool:
        """Whether the fix only writes another sign for one: `->` for a dot."""
        tokens = [*self.old_tokens, *self.added_tokens]
        return len(tokens) == 2 and _PUNCTUATION.issuperset(texts_of(tokens))

    @cached_property
    def brings_words(self) -> bool:
        """Whether the fix adds a name, a value or a keyword, and not only signs."""
        kinds = {token.kind for token in self.new_tokens}
        return not kinds.isdisjoint({"name", "keyword", "number", "string"})

    @cached_property
    def adds_lines(self) -> bool:
        """Whether the fix adds lines to the text."""
        old = self.example.before[self.low : self.high]
        return self.gap.count("\n") > old.count("\n")

    @cached_property
    def drops_content(self) -> bool:
        """Whether the fix drops a name or a value that the message does not name."""
        kept = {*texts_of(self.added_tokens), *self.diagnostic.args}
        dropped = texts_of(filter(is_content, self.old_tokens))
        return not kept.issuperset(dropped)

    @cached_property
    def annotates(self) -> bool:
        """Whether the fix only adds a type behind a name, which the compiler compares."""
        return not self.old_tokens and self.gap.lstrip().startswith(":")

    @cached_property
    def is_choice(self) -> bool:
        """Whether the fix writes or drops a word that the message does not name, or offers.

        Signs are what the grammar demands; another fix might have had other words.
        """
        return bool(self._unnamed - _PUNCTUATION)

    @property
    def heeds_comments(self) -> bool:
        """Whether a comment may ask for another fix; the uses of a variable ask for `_`."""
        return self.is_choice and self._unnamed != {"_"}

    @property
    def _unnamed(self) -> set[str]:
        """The words and signs that only one of the two texts has, and not the message."""
        changed = set(texts_of(self.old_tokens)) ^ set(texts_of(self.added_tokens))
        return changed - (set(_WORD.findall(self.diagnostic.message)) - COMMON - self._offered)

    @property
    def _offered(self) -> set[str]:
        """The names among which the message offers a choice: `append` or `extend`."""
        listed = " ".join(_OFFERED.findall(self.diagnostic.template))
        numbers = map(int, re.findall(r"\d+", listed))
        return {self.diagnostic.args[number] for number in numbers}

    @cached_property
    def brings_value(self) -> bool:
        """Whether the fix adds a value that is written out."""
        values = texts_of(filter(is_literal, self.new_tokens))
        return not self._named.issuperset(values)

    @cached_property
    def comments(self) -> str:
        """The comments about the place."""
        return comments_at(self.source, self.edit.start, self.edit.end)

    def is_untouched(self, span: tuple[int, int]) -> bool:
        """Return whether the edit changes nothing of a span."""
        if span[1] <= self.low:
            return True

        return span[0] >= self.high

    def moved(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return where an untouched span is in the new text."""
        if span[1] <= self.low:
            return span

        return span[0] + self.shift, span[1] + self.shift

    def places_in_gap(
        self, text: str, sign: str, taken: Sequence[tuple[int, int, str]]
    ) -> list[tuple[int, int, str]]:
        """Return where the added tokens have a text that no place in `taken` covers."""
        words = texts_of(tokenize(text, self.source.language))
        found: list[tuple[int, int, str]] = []
        for run in find_runs(self.added_tokens, words):
            start, end = run[0].start + self._added_at, run[-1].end + self._added_at
            if not any(low < end and start < high for low, high, _ in taken):
                found.append((start, end, sign))

        return found

    def is_edited(self, span: tuple[int, int]) -> bool:
        """Return whether a span is among the tokens that the edit replaces."""
        start, end = span
        if start < self.edit.start:
            return False

        return end <= self.edit.end

    def touches(self, span: tuple[int, int]) -> bool:
        """Return whether a span is replaced, or is where the new text goes."""
        if self.is_edited(span):
            return True

        if span[1] == self.low:
            return True

        return span[0] == self.high

    def wraps(self, text: str) -> bool:
        """Return whether the fix passes a part to a function that the fix brings."""
        passed = rf"\w\(\s*{re.escape(text)}\s*\)"
        return re.search(passed, self.gap) is not None

    def new_text(self, node: SgNode) -> str:
        """Return what becomes of a node."""
        start, end = self.new_span(span_of(node))
        return self.body[start:end]

    def new_span(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return where the text of a span is after the edit, with what is added beside it."""
        start, end = span
        new_start, new_end = start, end + self.shift
        if start > self.low:
            new_start = self.low + len(self.gap) - len(self.gap.lstrip(BLANKS))

        if end < self.high:
            new_end = self.high + self.shift - (len(self.gap) - len(self.gap.rstrip(BLANKS)))

        return new_start, new_end

    def nodes(self) -> list[SgNode]:
        """Return the nodes that a pattern may describe, the smallest first."""
        found = self._named_at(self.edit.start)
        # Not the end of the edit: lines that are added below are before the next statement.
        end = max([self.edit.start, *(token.end for token in self.old_tokens[-1:])])
        found = [node for node in found if span_of(node)[1] >= end]
        if self.edit.start == self.edit.end:
            # What begins or ends where the new text goes.
            found += self._named_at(self.low) + self._named_at(self.high)

        single = {(span_of(node), node.kind()): node for node in found}
        constructs = filter(self._is_construct, single.values())
        return sorted(constructs, key=self._order)

    def _order(self, node: SgNode) -> tuple[bool, int]:
        """Return the sort key of a construct: lines are added behind what they are about."""
        start, end = span_of(node)
        return self.adds_lines and end != self.low, end - start

    def _named_at(self, offset: int) -> list[SgNode]:
        """Return the nodes around an offset, of those with the same span the innermost."""
        nodes = filter(methodcaller("is_named"), self.source.nodes_around(offset))
        return list({span_of(node): node for node in nodes}.values())

    def is_at(self, span: tuple[int, int]) -> bool:
        """Return whether the diagnostic is at a span."""
        if self.place is None:
            return False

        return span[0] <= self.place <= span[1]

    def is_argument(self, node: SgNode) -> bool:
        """Return whether a node is an argument of a reported call that the fix passes on."""
        start, end = span_of(node)
        reported = self.source.end_of(self.diagnostic) or 0
        if self.place is None or not self.place < start < end <= reported:
            return False

        return parent_kind(node) in LISTS and self.wraps(node.text())

    def _is_construct(self, node: SgNode) -> bool:
        start, end = span_of(node)
        if node.kind() in BLOCKS:
            return False

        if self.adds_lines and not is_statement(node):
            # Lines are added beside a statement, and not beside a part of one.
            return False

        # The construct of a name or a value is the node around it.
        is_operand = node.is_leaf() or "string" in node.kind()
        if not is_operand or parent_kind(node) in BLOCKS:
            return bool(parent_kind(node))

        if node.text() in self.diagnostic.args:
            # What the message names, or what the fix adds to another use of it.
            is_extended = self.edit.start == self.edit.end == end
            return self.is_at((start, end)) or (is_extended and parent_kind(node) in LISTS)

        return self._is_converted(node) or self.is_argument(node)

    def _is_converted(self, node: SgNode) -> bool:
        """Return whether the diagnostic is exactly about an operand, and names its type."""
        start, end = span_of(node)
        reported = self.source.end_of(self.diagnostic)
        if start != self.place or reported not in {start, end, None}:
            return False

        return names_type(node, self)


def names_type(node: SgNode, sample: Sample) -> bool:
    """Return whether the message names something that is not in a node: a type."""
    words = texts_of(tokenize(node.text(), sample.source.language))
    return not set(words).issuperset(sample.diagnostic.args)
