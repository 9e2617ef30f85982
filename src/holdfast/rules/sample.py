"""An example prepared for learning: the one place that changed, in the old and the new text."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from holdfast.syntax.source import BLANKS, ParsedSource
from holdfast.syntax.tokens import first_at, is_content, tokenize
from holdfast.syntax.tree import span_of

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.rules.rule import Example
    from holdfast.syntax.edits import Edit
    from holdfast.vocab.diagnostics import Diagnostic

BLOCKS: Final = frozenset(
    {
        "block",
        "statement_block",
        "compound_statement",
        "class_body",
        "declaration_list",
        "function_body",
        "module",
        "program",
        "translation_unit",
        "source_file",
        "interface_body",
        "enum_body",
        "field_declaration_list",
    }
)
"""Nodes that hold a list of statements or members."""
_LISTS: Final = frozenset(
    {
        "argument_list",
        "arguments",
        "parameters",
        "formal_parameters",
        "parameter_list",
        "parenthesized_expression",
        "expression_list",
        "token_tree",
        "subscript_argument_list",
        "type_arguments",
        "parameter_declaration",
    }
)
"""Nodes that are only a part of a construct."""
_MOST_LINES: Final = 12


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
        added = (token for token in self.added_tokens if is_content(token))
        return any(token.text not in old for token in added)

    def carries(self, text: str) -> bool:
        """Return whether the new text at the place of the edit has this token."""
        return any(token.text == text for token in self.added_tokens)

    def is_edited(self, start: int, end: int) -> bool:
        """Return whether a span is among the tokens that the edit replaces."""
        return self.edit.start <= start and end <= self.edit.end and self.edit.end > self.edit.start

    def touches(self, span: tuple[int, int]) -> bool:
        """Return whether a span is replaced, or is where the new text goes."""
        return self.is_edited(*span) or span[1] == self.low or span[0] == self.high

    def new_text(self, node: SgNode) -> str:
        """Return what becomes of a node."""
        start, end = span_of(node)
        new_start, new_end = start, end + self.shift
        if start > self.low:
            new_start = self.low + len(self.gap) - len(self.gap.lstrip(BLANKS))
        if end < self.high:
            new_end = self.high + self.shift - (len(self.gap) - len(self.gap.rstrip(BLANKS)))
        return self.body[new_start:new_end]

    def nodes(self) -> list[SgNode]:
        """Return the nodes that a pattern may describe, the smallest first."""
        inner = (self.low, self.high)
        if self.edit.end > self.edit.start:
            inner = (self.edit.start, self.edit.end)
        found = [node for node in self._around(inner) if self._is_construct(node, inner)]
        if self.edit.end == self.edit.start:
            found += [node for node in self._beside() if self._is_construct(node, inner)]
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

    def _is_construct(self, node: SgNode, inner: tuple[int, int]) -> bool:
        start, end = span_of(node)
        if node.kind() in BLOCKS or node.kind() in _LISTS or node.parent() is None:
            return False
        if node.text().count("\n") >= _MOST_LINES:
            return False
        if is_operand(node, inner):
            parent = node.parent()
            is_named = node.text() in self.diagnostic.args and self.is_at((start, end))
            return parent is not None and (is_named or parent.kind() in BLOCKS)
        return start < end


def is_operand(node: SgNode, inner: tuple[int, int]) -> bool:
    """Return whether a node is only what is replaced: its construct is the node around it."""
    if node.is_leaf() or "string" in node.kind():
        return True
    return span_of(node) == inner
