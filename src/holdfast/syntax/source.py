"""A text to be rewritten: its offsets, tokens and tree, each worked out when first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from holdfast.syntax.quote_tokens import marks_of
from holdfast.syntax.tokens import Token, tokenize
from holdfast.vocab.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

_GRAMMARS: Final = {
    "python": "python",
    "javascript": "javascript",
    "typescript": "typescript",
    "c": "c",
    "cpp": "cpp",
    "rust": "rust",
    "java": "java",
    "go": "go",
}
BLANKS = " \t\r\n\f"


class SourceText:
    """One text in one language."""

    def __init__(self, text: str, target: str, path: str = "", *, marks: bool = False) -> None:
        """Look at nothing yet."""
        self.marks = marks
        self.text = text
        self.target = target
        self._grammar = "tsx" if path.endswith((".tsx", ".jsx")) else _GRAMMARS.get(target)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Its tokens; with `marks` quotes and comments are cut up."""
        return marks_of(self.text, self.target) if self.marks else tokenize(self.text, self.target)

    @cached_property
    def root(self) -> SgNode | None:
        """Its tree; None if the language has no grammar here, or the text holds half a character."""
        if self._grammar is None:
            return None
        try:
            self.text.encode()
        except UnicodeEncodeError:
            return None
        from ast_grep_py import SgRoot  # noqa: PLC0415 - a megabyte of grammars: loaded with the first rule

        return SgRoot(self.text, self._grammar).root()

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Where each line begins. Only a line feed ends one."""
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return tuple(starts)

    def offset(self, line: int, column: int) -> int | None:
        """Where a line and column (1-based) are; None if the text has no such place."""
        if not 1 <= line <= len(self.line_starts) or column < 1:
            return None
        at = self.line_starts[line - 1] + column - 1
        return at if at <= self.line_end(line - 1) else None

    def line_end(self, line: int) -> int:
        """Where a line (0-based) ends, without what ends it."""
        end = self.line_starts[line + 1] - 1 if line + 1 < len(self.line_starts) else len(self.text)
        return end - 1 if self.text[:end].endswith("\r") and end > self.line_starts[line] else end

    def line_of(self, offset: int) -> int:
        """The line (0-based) that an offset is on."""
        return self.text.count("\n", 0, offset)

    def place_of(self, diagnostic: Diagnostic) -> int | None:
        """Where a diagnostic points."""
        area = diagnostic.area
        return None if area is None else self.offset(area.line, area.column)

    def end_of(self, diagnostic: Diagnostic) -> int | None:
        """Where what a diagnostic points at ends."""
        area = diagnostic.area
        return None if area is None else self.offset(area.end_line, area.end_column)

    def indent_at(self, offset: int) -> str:
        """The blanks that the line of an offset begins with, up to the offset."""
        line = self.text.rfind("\n", 0, offset) + 1
        code = self.text[line:offset]
        return code[: len(code) - len(code.lstrip(" \t"))]

    def gap_before(self, offset: int) -> int:
        """Where the blank text before an offset begins."""
        return len(self.text[:offset].rstrip(BLANKS))

    def gap_after(self, offset: int) -> int:
        """Where the blank text after an offset ends."""
        rest = self.text[offset:]
        return offset + len(rest) - len(rest.lstrip(BLANKS))

    def nodes_around(self, offset: int) -> list[SgNode]:
        """All nodes that hold the offset or touch it, the outer ones first."""
        found: list[SgNode] = []

        def visit(node: SgNode) -> None:
            span = node.range()
            if not span.start.index <= offset <= span.end.index:
                return
            found.append(node)
            for child in node.children():
                if child.range().start.index > offset:
                    break
                visit(child)

        if self.root is not None:
            visit(self.root)
        return found

    def leaf_at(self, offset: int) -> str:
        """Give the text of the leaf that begins at an offset; nothing if none does."""
        return next(
            (
                node.text()
                for node in self.nodes_around(offset)
                if node.is_leaf() and span_of(node)[0] == offset
            ),
            "",
        )

    def places_of_word(self, word: str) -> list[int]:
        """Give where a word stands as a token."""
        return [token.start for token in self.tokens if token.text == word]


def span_of(node: SgNode) -> tuple[int, int]:
    """Where a node begins and ends."""
    span = node.range()
    return span.start.index, span.end.index


def broken_nodes(node: SgNode) -> Iterator[SgNode]:
    """Give the nodes where the text does not parse, and those the parser has made up."""
    start, end = span_of(node)
    if node.kind() == "ERROR" or (start == end and node.is_leaf() and node.parent() is not None):
        yield node
    for child in node.children():
        yield from broken_nodes(child)
