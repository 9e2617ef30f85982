"""A text as its syntax tree tells it: which words of it are code that can run, and which only look like it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from holdfast.syntax.dead_code import dead_spans

if TYPE_CHECKING:
    from ast_grep_py import SgNode

LANGUAGES: Final = frozenset(
    {"python", "javascript", "typescript", "tsx", "c", "cpp", "rust", "java", "go"}
)
_LIMIT: Final = 1_000_000
_WORDS: Final = re.compile(r"\w+|[^\w\s]")
_PIECES: Final = frozenset({"string_content", "string_fragment", "string_end", "escape_sequence"})


@dataclass(frozen=True, slots=True)
class SourceWord:
    """A leaf of the tree that is code: a name, a mark, or a whole string."""

    start: int
    text: str


class SourceTree:
    """One text, parsed. `errors` is how many places of it do not parse."""

    def __init__(self, text: str, language: str, kept: Collection[str] = ()) -> None:
        """Parse; see `dead_spans` for what is `kept`."""
        from ast_grep_py import SgRoot  # noqa: PLC0415 - a megabyte of grammars

        self.language = language
        self.text = text.encode("utf-8", "replace").decode()
        # A file mark is one place before the text that compilers count from.
        self.text = self.text.removeprefix("\ufeff")
        self.root: SgNode | None = SgRoot(self.text, language).root() if self.text.strip() else None
        self._nodes: defaultdict[str, list[SgNode]] = defaultdict(list)
        self.errors = 0
        if self.root is not None:
            # A token that the parser had to make up is a node without text.
            self.errors = len(self.root.find_all(kind="ERROR")) + len(
                self.root.find_all(regex="^$")
            )
            # Not find_all by kind: it refuses a kind that the language does not have.
            for node in _all(self.root):
                self._nodes[node.kind()].append(node)
        self.dead = dead_spans(self._nodes, language, kept)
        self._live: list[SourceWord] | None = None

    def find(self, kind: str) -> list[SgNode]:
        """Give all nodes of a kind that are not in dead code."""
        return [
            node for node in self._nodes.get(kind, ()) if not self.is_dead(node.range().start.index)
        ]

    def comments(self) -> Iterator[str]:
        """Give the texts of all comments."""
        for kind, nodes in self._nodes.items():
            if kind in {"comment", "line_comment", "block_comment", "html_comment"}:
                yield from (node.text() for node in nodes)

    def is_dead(self, place: int) -> bool:
        """Whether a place is in code that can never run."""
        if not self.dead:
            return False
        at = bisect_right(self.dead, place, key=lambda span: span[0])
        return at > 0 and place < self.dead[at - 1][1]

    def words(
        self,
        node: SgNode | None = None,
        *,
        dead: bool = False,
        outside: frozenset[str] = frozenset(),
    ) -> Iterator[SourceWord]:
        """Give the words of the code that can run, or of the code that cannot; comments are neither.

        What is in nodes of the kinds `outside` below the node is left out.
        """
        if node is None and not dead:
            if self._live is None:
                self._live = list(self._words(self.root, dead=False, outside=outside))
            return iter(self._live)
        return self._words(node or self.root, dead=dead, outside=outside)

    def _words(
        self, top: SgNode | None, *, dead: bool, outside: frozenset[str]
    ) -> Iterator[SourceWord]:
        for leaf in leaves(top, outside) if top is not None else ():
            start = leaf.range().start.index
            if self.is_dead(start) is not dead:
                continue
            text = leaf.text()
            if leaf.kind() == "preproc_arg":
                yield from (
                    SourceWord(start + found.start(), found.group())
                    for found in _WORDS.finditer(text)
                )
            elif text.strip():
                yield SourceWord(start, text)


def read(text: str, language: str, kept: Collection[str] = ()) -> SourceTree | None:
    """Parse a text; None where we have no eyes for the language, or the text is too long."""
    return (
        SourceTree(text, language, kept) if language in LANGUAGES and len(text) <= _LIMIT else None
    )


def _all(top: SgNode) -> Iterator[SgNode]:
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children())


def leaves(top: SgNode, outside: frozenset[str] = frozenset()) -> Iterator[SgNode]:
    """Give the leaves below a node in order, without comments and what is `outside`; a string is one leaf."""
    # Not recursive: a sum of a thousand terms is a tree a thousand deep.
    waiting = [top]
    while waiting:
        node = waiting.pop()
        kind = node.kind()
        if "comment" in kind or kind in _PIECES or kind in outside:
            continue
        children = node.children()
        if not children or is_plain_string(kind, children):
            yield node
        else:
            waiting += reversed(children)


def is_plain_string(kind: str, children: list[SgNode]) -> bool:
    """Whether a node is a string without code in it."""
    if "string" not in kind or kind in {"concatenated_string", "string_start"}:
        return kind == "char_literal"
    return not any(
        "interpolation" in child.kind() or "substitution" in child.kind() for child in children
    )
