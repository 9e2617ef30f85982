"""A source text with its tokens, its syntax tree and its unreachable code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Final

from holdfast.syntax.dead_code import dead_spans
from holdfast.syntax.spans import find_or_end
from holdfast.syntax.tokens import Token, line_starts, texts_of, tokenize
from holdfast.syntax.tree import (
    MOST_CHARACTERS,
    all_nodes,
    leaves,
    parse_tree,
    parseable,
    signs_of,
    span_of,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ast_grep_py import SgNode

    from holdfast.vocab.diagnostics import Diagnostic

BLANKS: Final = " \t\r\n\f"
LANGUAGES: Final = frozenset(
    {"python", "javascript", "typescript", "tsx", "c", "cpp", "rust", "java", "go"}
)
"""The languages whose trees rules and preservation understand."""
_COMMENTS: Final = ("comment", "line_comment", "block_comment", "html_comment")
_OPERATIONS: Final = ("binary_expression", "binary_operator", "comparison_operator")
_ASSIGNMENTS: Final = ("assignment_expression", "assignment", "assignment_statement")
_IDLE_SIGNS: Final = {
    **dict.fromkeys(_ASSIGNMENTS, lazy_pattern("=")),
    **dict.fromkeys(_OPERATIONS, lazy_pattern("[^+*]|.{2,}", re.DOTALL)),
}
"""The signs that do nothing between two equal texts, by the kind of the node: not `n + n`."""
_CHAIN: Final = lazy_pattern(
    "^(?:attribute|subscript|array_access|(?:call|index|subscript)_expression|call"
    "|(?:member|field|selector)_expression|field_access|method_invocation)$"
)
"""The kinds of names with their members, indices and calls."""
_NAME_STATEMENT: Final = lazy_pattern(r"[\w.]+\s*;")
_LOGICAL: Final = frozenset({"&&", "||", "and", "or"})
_COMPARISONS: Final = frozenset({"==", "===", "!=", "!==", "<=", ">="})
_WORDS_BY_KIND: Final = {"preproc_arg": lazy_pattern(r"\w+|[^\w\s]")}
"""The words of a leaf that the grammar does not split: the body of a macro."""
_WHOLE_WORD: Final = lazy_pattern(r"\A.*\S.*", re.DOTALL)


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
        undecided: Collection[str] = (),
    ) -> None:
        """Keep the text; parse nothing yet. `undecided` is passed to `dead_spans`."""
        self.text = text
        self.language = language
        self._path = path
        self._undecided = undecided

    # ---------------------------------------------------------------------------------- tokens

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the text."""
        return tokenize(self.text, self.language)

    def has_words(self, text: str) -> bool:
        """Return whether the tokens of a text occur in this one, side by side."""
        words = tokenize(text, self.language)
        return _joined(words) in _joined(self.tokens)

    # ----------------------------------------------------------------------- lines and offsets

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The offset where each line begins. Only a line feed ends a line."""
        return tuple(line_starts(self.text))

    def offset(self, line: int, column: int) -> int | None:
        """Return the offset of a line and column (1-based); None if the text has no such place."""
        if not 1 <= line <= len(self.line_starts):
            return None

        start = self.line_starts[line - 1]
        at = start + column - 1
        if not start <= at <= self.line_end(line - 1):
            return None

        return at

    def line_end(self, line: int) -> int:
        """Return the offset where a line (0-based) ends, without its line break."""
        start = self.line_starts[line]
        end = find_or_end(self.text, "\n", start)
        if self.text.endswith("\r", start, end):
            return end - 1

        return end

    def line_of(self, offset: int) -> int:
        """Return the line (0-based) of an offset."""
        return self.text.count("\n", 0, offset)

    def line_text(self, offset: int) -> str:
        """Return the line of an offset."""
        line = self.line_of(offset)
        return self.text[self.line_starts[line] : self.line_end(line)]

    def place_of(self, diagnostic: Diagnostic) -> int | None:
        """Return the offset where the area of a diagnostic begins; None without such a place."""
        area = diagnostic.area
        if area is None:
            return None
        return self.offset(area.line, area.column)

    def line_at(self, diagnostic: Diagnostic) -> str:
        """Return the line of a diagnostic; "" without such a place."""
        place = self.place_of(diagnostic)
        if place is None:
            return ""
        start = self.text.rfind("\n", 0, place) + 1
        return self.text[start:].partition("\n")[0]

    def end_of(self, diagnostic: Diagnostic) -> int | None:
        """Return the offset where the area of a diagnostic ends; None without such a place."""
        area = diagnostic.area
        if area is None:
            return None
        return self.offset(area.end_line, area.end_column)

    def operand_end(self, diagnostic: Diagnostic) -> int:
        """Return where the operand of a diagnostic ends.

        A diagnostic that has only a point is about the longest chain of members and calls there.
        """
        start = self.place_of(diagnostic) or 0
        end = self.end_of(diagnostic) or start
        if end > start:
            return end

        chains = [node for node in self.nodes_around(start) if _CHAIN.search(node.kind())]
        ends = [span_of(node)[1] for node in chains if span_of(node)[0] == start]
        return max([start, *ends])

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
    def idle_operations(self) -> int:
        """The number of comparisons, differences and assignments of a text with itself: `n - n`."""
        found = 0
        for kind, idle_sign in _IDLE_SIGNS.items():
            for node in self.find(kind):
                match [child.text() for child in node.children()]:
                    case [left, sign, right] if idle_sign.fullmatch(sign):
                        found += left == right

        return found

    @cached_property
    def idle_statements(self) -> int:
        """The number of statements that are only a name, a number or a comparison, and no results.

        The value of `a && b == c` is that of a comparison, too.
        """
        found = 0
        for node in self.find("expression_statement"):
            is_name = _NAME_STATEMENT.fullmatch(node.text()) is not None
            found += is_name or any(map(_is_comparison, node.children()))
        return found

    @cached_property
    def nodes(self) -> list[SgNode]:
        """All nodes of the tree, in the order of the text; [] without a tree."""
        if self.root is None:
            return []
        return list(all_nodes(self.root))

    @cached_property
    def _nodes_by_kind(self) -> dict[str, list[SgNode]]:
        # Not find_all by kind: it refuses a kind that the language does not have.
        nodes: defaultdict[str, list[SgNode]] = defaultdict(list)
        for node in self.nodes:
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

    def comments(self) -> Iterator[SgNode]:
        """Yield all comments."""
        for kind, nodes in self._nodes_by_kind.items():
            if kind in _COMMENTS:
                yield from nodes

    # ------------------------------------------------------------------------------- dead code

    @cached_property
    def dead(self) -> list[tuple[int, int]]:
        """The spans of the code that can never run, in order."""
        return dead_spans(self._nodes_by_kind, self._undecided)

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
        return list(self._words(dead=False))

    @cached_property
    def dead_words(self) -> list[SourceWord]:
        """The words of the code that can never run, without comments."""
        return list(self._words(dead=True))

    def _words(self, *, dead: bool) -> Iterator[SourceWord]:
        if self.root is None:
            return

        for leaf in leaves(self.root):
            start, _ = span_of(leaf)
            if self.is_dead(start) is not dead:
                continue
            words = _WORDS_BY_KIND.get(leaf.kind(), _WHOLE_WORD)
            for found in words.finditer(leaf.text()):
                yield SourceWord(start + found.start(), found.group())


def _is_comparison(node: SgNode) -> bool:
    """Return whether the value of an expression is that of a comparison."""
    signs = set(signs_of(node))
    if signs & _LOGICAL:
        return _is_comparison(node.children()[-1])
    return node.kind() in _OPERATIONS and bool(signs & _COMPARISONS)


def _joined(tokens: Sequence[Token]) -> str:
    """Return the texts of tokens with a mark between them that no token has."""
    return "\0".join(["", *texts_of(tokens), ""])


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
