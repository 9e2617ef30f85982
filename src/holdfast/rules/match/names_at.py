"""The names in the code at the position of a diagnostic, which the message often leaves out.

`"Coroutine" has no attribute "upper"` is reported at `body.upper()`, but the fix is where `body`
comes from. The names count as two more arguments after those of the message: the first name, and
the name of the last member.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from holdfast.syntax.tree import span_of

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

_CHAIN_WORDS = """
attribute member_expression field_expression field_access selector_expression call call_expression
method_invocation subscript subscript_expression index_expression array_access non_null_expression
"""
_CHAIN: Final = frozenset(_CHAIN_WORDS.split())
_MEMBERS: Final = frozenset(
    {"attribute", "member_expression", "field_expression", "field_access", "selector_expression"}
)
_NOBODY: Final = frozenset({"self", "this", "super", "cls"})


def with_names_here(source: ParsedSource, diagnostic: Diagnostic) -> Diagnostic:
    """Return the diagnostic with the names at its position as two more arguments."""
    here = names_here(source, source.place_of(diagnostic), source.end_of(diagnostic))
    return replace(diagnostic, args=(*diagnostic.args, *here))


def names_here(source: ParsedSource, offset: int | None, far: int | None) -> tuple[str, str]:
    """Return the first name and the last member of a chain of members, calls and indices.

    Each may be empty. The chain is the one around the offset, up to the end of the diagnostic, or
    all of it if the diagnostic has only a start.
    """
    if offset is None or source.root is None:
        return "", ""
    leaves = [
        node for node in source.nodes_around(offset) if node.is_leaf() and span_of(node)[1] > offset
    ]
    if not leaves:
        return "", ""
    node = leaves[-1]
    while (
        (parent := node.parent()) is not None
        and parent.kind() in _CHAIN
        and _is_of_chain(node, parent)
    ):
        if far is not None and offset < far < span_of(parent)[1]:
            break
        node = parent
    return _first_name(node), _last_member(node)


def _is_of_chain(node: SgNode, parent: SgNode) -> bool:
    """Return whether a node is the start of the parent, or the member named there.

    An index or an argument is neither.
    """
    return span_of(node)[0] == span_of(parent)[0] or parent.kind() in _MEMBERS


def _first_name(node: SgNode) -> str:
    while not node.is_leaf():
        node = node.children()[0]
    return node.text() if node.kind() == "identifier" and node.text() not in _NOBODY else ""


def _last_member(node: SgNode) -> str:
    while node.kind() in _CHAIN and node.kind() not in _MEMBERS:
        node = node.children()[0]
    last = node.children()[-1] if node.kind() in _MEMBERS else None
    return (
        last.text()
        if last is not None and last.is_leaf() and last.kind().endswith("identifier")
        else ""
    )
