"""A source text with its tokens, its syntax tree and its unreachable code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Final

from holdfast.syntax.dead_code import dead_spans
from holdfast.syntax.quote_tokens import marks_of
from holdfast.syntax.tokens import Token, line_starts, tokenize
from holdfast.syntax.tree import (
    MOST_CHARACTERS,
    all_nodes,
    leaves,
    parse_tree,
    parseable,
    span_of,
)
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ast_grep_py import SgNode

    from holdfast.vocab.diagnostics import Diagnostic

BLANKS: Final = " \t\r\n\f"
LANGUAGES: Final = frozenset(
    {"python", "javascript", "typescript", "tsx", "c", "cpp", "rust", "java", "go"}
)
"""The languages whose trees rules and preservation understand."""
_COMMENTS: Final = frozenset({"comment", "line_comment", "block_comment", "html_comment"})
_MACRO_WORDS: Final = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class SourceWord:
    """A leaf of the tree that is code: a name, a punctuation mark, or a whole string."""

    start: int
    text: str


class ParsedSource:
    """One text in one language. Each part is computed at its first use."""

    def __init__(
        self,
        text: str,
        language: str,
        path: str = "",
        *,
        marks: bool = False,
        undecided: Collection[str] = (),
    ) -> None:
        """Keep the text; parse nothing yet.

        With `marks` the tokens are those of `marks_of`. `undecided` is passed to `dead_spans`.
        """
        self.text = text
        self.language = language
        self.marks = marks
        self._path = path
        self._undecided = undecided

    # ---------------------------------------------------------------------------------- tokens

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens; with `marks`, quotes and comments are split into marks and words."""
        if self.marks:
            return marks_of(self.text, self.language)
        return tokenize(self.text, self.language)

    def places_of_word(self, word: str) -> list[int]:
        """Return the offsets of the tokens with this text."""
        return [token.start for token in self.tokens if token.text == word]

    # ----------------------------------------------------------------------- lines and offsets

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The offset where each line begins. Only a line feed ends a line."""
        return tuple(line_starts(self.text))

    def offset(self, line: int, column: int) -> int | None:
        """Return the offset of a line and column (1-based); None if the text has no such place."""
        if not 1 <= line <= len(self.line_starts):
            return None
        if column < 1:
            return None
        at = self.line_starts[line - 1] + column - 1
        if at > self.line_end(line - 1):
            return None
        return at

    def line_end(self, line: int) -> int:
        """Return the offset where a line (0-based) ends, without its line break."""
        start = self.line_starts[line]
        end = len(self.text)
        if line + 1 < len(self.line_starts):
            end = self.line_starts[line + 1] - 1
        if end > start and self.text[end - 1] == "\r":
            end -= 1
        return end

    def line_of(self, offset: int) -> int:
        """Return the line (0-based) of an offset."""
        return self.text.count("\n", 0, offset)

    def place_of(self, diagnostic: Diagnostic) -> int | None:
        """Return the offset where the area of a diagnostic begins; None without such a place."""
        area = diagnostic.area
        if area is None:
            return None
        return self.offset(area.line, area.column)

    def end_of(self, diagnostic: Diagnostic) -> int | None:
        """Return the offset where the area of a diagnostic ends; None without such a place."""
        area = diagnostic.area
        if area is None:
            return None
        return self.offset(area.end_line, area.end_column)

    def indent_at(self, offset: int) -> str:
        """Return the blanks at the start of the line of an offset, up to the offset."""
        line = self.text.rfind("\n", 0, offset) + 1
        code = self.text[line:offset]
        return code[: len(code) - len(code.lstrip(" \t"))]

    def gap_before(self, offset: int) -> int:
        """Return the offset where the blank text before an offset begins."""
        return len(self.text[:offset].rstrip(BLANKS))

    def gap_after(self, offset: int) -> int:
        """Return the offset where the blank text after an offset ends."""
        rest = self.text[offset:]
        return offset + len(rest) - len(rest.lstrip(BLANKS))

    # ------------------------------------------------------------------------------------ tree

    @cached_property
    def root(self) -> SgNode | None:
        """The root of the tree; None without a grammar, or if the text has a lone surrogate."""
        grammar = self.language
        if self._path.endswith((".tsx", ".jsx")):
            grammar = "tsx"
        if grammar not in LANGUAGES:
            return None
        try:
            self.text.encode()
        except UnicodeEncodeError:
            return None
        return parse_tree(self.text, grammar)

    @cached_property
    def errors(self) -> int:
        """The number of places that do not parse."""
        if self.root is None:
            return 0
        # The root of a blank text has no text either, and is no error.
        if not self.text.strip():
            return 0
        wrong = self.root.find_all(kind="ERROR")
        # A token that the parser inserted is a node without text.
        inserted = self.root.find_all(regex="^$")
        return len(wrong) + len(inserted)

    @cached_property
    def _nodes_by_kind(self) -> dict[str, list[SgNode]]:
        # Not find_all by kind: it refuses a kind that the language does not have.
        nodes: defaultdict[str, list[SgNode]] = defaultdict(list)
        if self.root is None:
            return nodes
        for node in all_nodes(self.root):
            nodes[node.kind()].append(node)
        return nodes

    def nodes_around(self, offset: int) -> list[SgNode]:
        """Return all nodes that contain the offset or touch it, the outer ones first."""
        found: list[SgNode] = []
        if self.root is None:
            return found
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            start, end = span_of(node)
            if start <= offset <= end:
                found.append(node)
                waiting += reversed(node.children())
        return found

    def leaf_at(self, offset: int) -> str:
        """Return the text of the leaf that begins at an offset; "" if none does."""
        for node in self.nodes_around(offset):
            if not node.is_leaf():
                continue
            start, _ = span_of(node)
            if start == offset:
                return node.text()
        return ""

    def comments(self) -> Iterator[str]:
        """Yield the texts of all comments."""
        for kind, nodes in self._nodes_by_kind.items():
            if kind not in _COMMENTS:
                continue
            for node in nodes:
                yield node.text()

    # ------------------------------------------------------------------------------- dead code

    @cached_property
    def dead(self) -> list[tuple[int, int]]:
        """The spans of the code that can never run, in order."""
        return dead_spans(self._nodes_by_kind, self.language, self._undecided)

    def is_dead(self, offset: int) -> bool:
        """Return whether an offset is in code that can never run."""
        following = bisect_right(self.dead, offset, key=lambda span: span[0])
        if following == 0:
            return False
        _, end = self.dead[following - 1]
        return offset < end

    def find(self, kind: str) -> list[SgNode]:
        """Return all nodes of a kind that are not in dead code."""
        live: list[SgNode] = []
        for node in self._nodes_by_kind.get(kind, ()):
            start, _ = span_of(node)
            if not self.is_dead(start):
                live.append(node)
        return live

    @cached_property
    def live_words(self) -> list[SourceWord]:
        """The words of the code that can run, without comments."""
        if self.root is None:
            return []
        return list(self.words_in(self.root))

    @cached_property
    def dead_words(self) -> list[SourceWord]:
        """The words of the code that can never run, without comments."""
        if self.root is None:
            return []
        return list(self.words_in(self.root, dead=True))

    def words_in(
        self, node: SgNode, *, dead: bool = False, outside: frozenset[str] = frozenset()
    ) -> Iterator[SourceWord]:
        """Yield the words of the live code below a node, or with `dead` those of the dead code.

        Comments are skipped, and nodes whose kind is in `outside` with everything in them.
        """
        for leaf in leaves(node, outside):
            start, _ = span_of(leaf)
            if self.is_dead(start) is not dead:
                continue
            text = leaf.text()
            if leaf.kind() == "preproc_arg":
                for found in _MACRO_WORDS.finditer(text):
                    yield SourceWord(start + found.start(), found.group())
            elif text.strip():
                yield SourceWord(start, text)


def parse_source(text: str, language: str, undecided: Collection[str] = ()) -> ParsedSource | None:
    """Return a text ready to compare with another; None if it is too long or not in `LANGUAGES`.

    Its byte order mark is removed, because compilers count columns without it, and lone
    surrogates are replaced. `undecided` is passed to `dead_spans`.
    """
    if language not in LANGUAGES:
        return None
    if len(text) > MOST_CHARACTERS:
        return None
    return ParsedSource(parseable(text), language, undecided=undecided)
