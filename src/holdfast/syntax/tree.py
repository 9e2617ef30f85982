"""Syntax trees of ast-grep: parsing a text and iterating over the nodes of its tree."""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING, Final

from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ast_grep_py import SgNode

MOST_CHARACTERS: Final = 1_000_000
"""A text with more characters than this is not parsed for a check."""
_SKIPPED: Final = lazy_pattern(
    "comment|^(?:string_content|string_fragment|string_end|escape_sequence)$"
)
"""Comments, and parts of strings."""
_STRINGS: Final = lazy_pattern("char_literal|(?!(?:concatenated_string|string_start)$).*string.*")
_EMBEDDED_CODE: Final = lazy_pattern("interpolation|substitution")

# The methods of a node as functions: ast-grep takes long to import.
node_kind: Callable[[SgNode], str] = methodcaller("kind")
node_text: Callable[[SgNode], str] = methodcaller("text")
node_children: Callable[[SgNode], list[SgNode]] = methodcaller("children")


def parse_tree(text: str, grammar: str) -> SgNode:
    """Return the root of the syntax tree of a text; `grammar` is ast-grep's name for its language.

    The text must not contain a lone surrogate: see `parseable`.
    """
    from ast_grep_py import SgRoot  # noqa: PLC0415 - a megabyte of grammars

    return SgRoot(text, grammar).root()


def parseable(text: str) -> str:
    """Return a text without its byte order mark and with `?` for each lone surrogate."""
    text = text.removeprefix("\ufeff")
    return text.encode("utf-8", "replace").decode()


def span_of(node: SgNode) -> tuple[int, int]:
    """Return the offsets where a node begins and ends."""
    span = node.range()
    return span.start.index, span.end.index


def all_nodes(top: SgNode) -> Iterator[SgNode]:
    """Yield a node and all nodes below it, in the order of the text."""
    # Not recursive: a sum of a thousand terms is a tree a thousand nodes deep.
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children())


def signs_of(node: SgNode) -> list[str]:
    """Return the operators, brackets and keywords that are parts of a node itself."""
    return [child.text() for child in node.children() if not child.is_named()]


def parent_kind(node: SgNode) -> str:
    """Return the kind of the node around another one; "" at the root."""
    parent = node.parent()
    return "" if parent is None else parent.kind()


def first_field(node: SgNode | None, *names: str) -> SgNode | None:
    """Return the first of these fields that a node has; None without one."""
    if node is None:
        return None

    for name in names:
        found = node.field(name)
        if found is not None:
            return found

    return None


def field_text(node: SgNode | None, *names: str) -> str:
    """Return the text of the first of these fields that a node has; "" without one."""
    found = first_field(node, *names)
    return "" if found is None else found.text()


def leaves(top: SgNode) -> Iterator[SgNode]:
    """Yield the leaves below a node in order, without comments; a string is one leaf."""
    waiting = [top]
    while waiting:
        node = waiting.pop()
        kind = node.kind()
        if _SKIPPED.search(kind):
            continue
        children = node.children()
        if not children or is_plain_string(kind, children):
            yield node
        else:
            waiting += reversed(children)


def is_plain_string(kind: str, children: list[SgNode]) -> bool:
    """Return whether a node with this kind and these children is a string without code in it."""
    if not _STRINGS.fullmatch(kind):
        return False

    parts = " ".join(child.kind() for child in children)
    return _EMBEDDED_CODE.search(parts) is None
