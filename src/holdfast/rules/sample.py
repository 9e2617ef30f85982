"""An example prepared for learning: the one place that changed, in the old and the new text."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.context import comments_at
from holdfast.rules.match.node_classes import BLOCKS, LISTS
from holdfast.syntax.source import BLANKS, ParsedSource
from holdfast.syntax.tokens import COMMON, first_at, is_content, is_literal, tokenize
from holdfast.syntax.tree import span_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ast_grep_py import SgNode

    from holdfast.rules.rule import Example
    from holdfast.syntax.edits import Edit
    from holdfast.syntax.tokens import Token
    from holdfast.vocab.diagnostics import Diagnostic

_MOST_LINES: Final = 12
_PUNCTUATION: Final = frozenset("()[]{},;:.") | {"->", "::", "=>"}
"""The signs that the grammar demands. Any other is an operator: another one means another thing."""


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
        self.first = first_at(tokens, edit.start)
        self.last = first_at(tokens, edit.end) if edit.end > edit.start else self.first
        self.low = tokens[self.first - 1].end if self.first else 0
        self.high = tokens[self.last].start if self.last < len(tokens) else len(example.before)
        new_first = first_at(new_tokens, edit.new_start)
        new_last = (
            first_at(new_tokens, edit.new_end) if edit.new_end > edit.new_start else new_first
        )
        new_low = new_tokens[new_first - 1].end if new_first else 0
        new_high = new_tokens[new_last].start if new_last < len(new_tokens) else len(after)
        self.added_tokens = new_tokens[new_first:new_last]
        self._added_at = self.low - new_low
        self.gap = after[new_low:new_high]
        self.shift = len(self.gap) - (self.high - self.low)
        self.body = example.before[: self.low] + self.gap + example.before[self.high :]

    @cached_property
    def place(self) -> int | None:
        """The offset of the diagnostic."""
        return self.source.place_of(self.diagnostic)

    @cached_property
    def brings_content(self) -> bool:
        """Whether the fix adds a name or a value that the old text at that place has not."""
        old = {token.text for token in self.source.tokens[self.first : self.last]}
        old.update(self.diagnostic.args)
        # The message may qualify a name: `java.io.IOException`.
        old.update(re.split(r"\.|::", arg)[-1] for arg in self.diagnostic.args)
        added = (token for token in self.added_tokens if is_content(token))
        return any(token.text not in old for token in added)

    @cached_property
    def converts(self) -> bool:
        """Whether the fix adds a name or a type, though the message may name it."""
        old = {token.text for token in self.source.tokens[self.first : self.last]}
        added = (token for token in self.added_tokens if is_content(token))
        return any(token.text not in old for token in added)

    @cached_property
    def renames_member(self) -> bool:
        """Whether the fix only writes another name for the member that the message names."""
        old = self.source.tokens[self.first : self.last]
        if len(old) != 1 or len(self.added_tokens) != 1:
            return False
        return old[0].kind == "name" and old[0].text in self.diagnostic.args

    @cached_property
    def brings_words(self) -> bool:
        """Whether the fix adds a name, a value or a keyword, and not only signs."""
        old = {token.text for token in self.source.tokens[self.first : self.last]}
        return any(token.text not in old and is_word(token) for token in self.added_tokens)

    @cached_property
    def drops_words(self) -> bool:
        """Whether the fix removes a name, a value or a keyword, and not only signs."""
        new = {token.text for token in self.added_tokens}
        old = self.source.tokens[self.first : self.last]
        return any(token.text not in new and is_word(token) for token in old)

    @cached_property
    def is_choice(self) -> bool:
        """Whether the fix writes or drops a word that the message does not name.

        Signs are what the grammar demands; another fix might have had other words.
        """
        old = {token.text for token in self.source.tokens[self.first : self.last]}
        new = {token.text for token in self.added_tokens}
        named = set(re.findall(r"\w+", self.diagnostic.message)) - COMMON
        tokens = (*self.added_tokens, *self.source.tokens[self.first : self.last])
        words = {token.text for token in tokens if token.text not in _PUNCTUATION}
        return bool((words & (old ^ new)) - named)

    @cached_property
    def brings_value(self) -> bool:
        """Whether the fix adds a value that is written out."""
        old = {token.text for token in self.source.tokens[self.first : self.last]}
        old.update(self.diagnostic.args)
        return any(token.text not in old and is_literal(token) for token in self.added_tokens)

    @cached_property
    def comments(self) -> str:
        """The comments about the place."""
        return comments_at(self.source, self.edit.start, self.edit.end)

    def is_untouched(self, span: tuple[int, int]) -> bool:
        """Return whether the edit changes nothing of a span."""
        return span[1] <= self.low or span[0] >= self.high

    def moved(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return where an untouched span is in the new text."""
        if span[1] <= self.low:
            return span
        return span[0] + self.shift, span[1] + self.shift

    def places_in_gap(
        self, text: str, sign: str, taken: Sequence[tuple[int, int, str]]
    ) -> list[tuple[int, int, str]]:
        """Return where the added tokens have a text that no place in `taken` covers."""
        words = [token.text for token in tokenize(text, self.source.language)]
        found: list[tuple[int, int, str]] = []
        if not words:
            # A string of blanks has a part without tokens.
            return found

        for at in range(len(self.added_tokens) - len(words) + 1):
            run = self.added_tokens[at : at + len(words)]
            start, end = run[0].start + self._added_at, run[-1].end + self._added_at
            is_taken = any(low < end and start < high for low, high, _ in taken)
            if [token.text for token in run] == words and not is_taken:
                found.append((start, end, sign))

        return found

    def is_edited(self, start: int, end: int) -> bool:
        """Return whether a span is among the tokens that the edit replaces."""
        return self.edit.start <= start and end <= self.edit.end and self.edit.end > self.edit.start

    def touches(self, span: tuple[int, int]) -> bool:
        """Return whether a span is replaced, or is where the new text goes."""
        return self.is_edited(*span) or span[1] == self.low or span[0] == self.high

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
        inner = (self.low, self.high)
        if self.edit.end > self.edit.start:
            inner = (self.edit.start, self.edit.end)

        found = [node for node in self._around(inner) if self._is_construct(node)]
        if self.edit.end == self.edit.start:
            found += [node for node in self._beside() if self._is_construct(node)]

        return sorted(found, key=lambda node: span_of(node)[1] - span_of(node)[0])

    def _around(self, span: tuple[int, int]) -> list[SgNode]:
        found: dict[tuple[int, int], SgNode] = {}
        for node in self.source.nodes_around(span[0]):
            start, end = span_of(node)
            if start <= span[0] and span[1] <= end and node.is_named():
                # The innermost of the nodes with the same span.
                found[start, end] = node

        return list(found.values())

    def _beside(self) -> list[SgNode]:
        """Return the nodes that begin or end where the new text goes and have the diagnostic."""
        found: dict[tuple[int, int], SgNode] = {}
        for offset in (self.low, self.high):
            for node in self.source.nodes_around(offset):
                span = span_of(node)
                touches = span[1] == self.low or span[0] == self.high
                if touches and span[0] < span[1] and node.is_named():
                    found[span] = node

        return [node for span, node in found.items() if self.is_at(span)]

    def is_at(self, span: tuple[int, int]) -> bool:
        """Return whether the diagnostic is at a span."""
        return self.place is not None and span[0] <= self.place <= span[1]

    def _is_construct(self, node: SgNode) -> bool:
        start, end = span_of(node)
        if node.kind() in BLOCKS or node.kind() in LISTS or node.parent() is None:
            return False
        if node.text().count("\n") >= _MOST_LINES:
            return False
        if is_operand(node):
            parent = node.parent()
            is_named = node.text() in self.diagnostic.args and self.is_at((start, end))
            is_subject = is_named or self._is_converted(node)
            return parent is not None and (is_subject or parent.kind() in BLOCKS)

        return start < end

    def _is_converted(self, node: SgNode) -> bool:
        """Return whether the diagnostic is exactly about an operand, and names its type."""
        start, end = span_of(node)
        reported = self.source.end_of(self.diagnostic)
        if start != self.place or reported not in {start, end, None}:
            return False
        return names_type(node, self)


def names_type(node: SgNode, sample: Sample) -> bool:
    """Return whether the message names something that is not in a node: a type."""
    words = {token.text for token in tokenize(node.text(), sample.source.language)}
    return any(text not in words for text in sample.diagnostic.args)


def is_word(token: Token) -> bool:
    """Return whether a token is a name, a keyword or a value, and not a sign."""
    return token.kind in {"name", "keyword", "number", "string"}


def is_operand(node: SgNode) -> bool:
    """Return whether a node is only a name or a value: its construct is the node around it."""
    return node.is_leaf() or "string" in node.kind()
