"""Where the tree of a pattern fits: one node of a text, with what each piece of the pattern stands for there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from holdfast.repair.rules.rule import Pattern, Piece
from holdfast.repair.rules.source import Source, span_of
from holdfast.vocab.diagnostics import Diagnostic

if TYPE_CHECKING:
    from ast_grep_py import SgNode

Spans: TypeAlias = Mapping[int, tuple[int, int]]
"""Where each piece is, by its number: the pattern's own node is 0, and a piece comes before what is in it."""
_MOST_PLACES = 2_000

_EXPRESSIONS = """
identifier attribute field_expression member_expression scoped_identifier qualified_identifier field_access
subscript subscript_expression index_expression array_access call call_expression method_invocation
parenthesized_expression selector_expression this self macro_invocation object_creation_expression new_expression
integer float number number_literal integer_literal float_literal decimal_integer_literal int_literal
decimal_floating_point_literal string string_literal raw_string_literal template_string interpreted_string_literal
"""
_TYPES = """
type primitive_type type_identifier predefined_type generic_type integral_type reference_type array_type
sized_type_specifier scoped_type_identifier floating_point_type boolean_type
"""
# A variable that stood for one of these may stand for another: they are whole in any place, with no operator to split.
_WHOLE: Final = tuple(frozenset(words.split()) for words in (_EXPRESSIONS, _TYPES))


def find_tree(pattern: Pattern, source: Source, diagnostic: Diagnostic) -> Spans | None:
    """Find the one place where the pattern fits; None if there is none, or more than one."""
    if pattern.tree is None or source.root is None:
        return None
    offset = source.place_of(diagnostic)
    if pattern.place == "elsewhere":
        return _find_elsewhere(pattern.tree, source, diagnostic, offset)
    if offset is None:
        return None
    for node in reversed(source.nodes_around(offset)):
        spans = match_piece(pattern.tree, node, diagnostic.args)
        if spans is not None and _stands_at(pattern, spans, offset, source.end_of(diagnostic)):
            return spans
    return None


def _stands_at(pattern: Pattern, spans: Spans, offset: int, far: int | None) -> bool:
    if pattern.spot is None:
        return True
    number, spot = pattern.spot
    start, end = spans[number]
    match spot:
        case "whole":
            return (start, end) == (offset, far)
        case "start":
            return offset == start
        case "end":
            return offset == end
        case "inside":
            return start <= offset <= end
        case _:
            assert_never(spot)


def _find_elsewhere(tree: Piece, source: Source, diagnostic: Diagnostic, offset: int | None) -> Spans | None:
    assert source.root is not None  # noqa: S101 - the caller has looked
    found: list[tuple[SgNode, Spans]] = []
    for kind in tree.kinds:
        for node in source.root.find_all(kind=kind)[:_MOST_PLACES]:
            spans = match_piece(tree, node, diagnostic.args)
            if spans is not None:
                found.append((node, spans))
    if len(found) > 1 and offset is not None:
        found = _innermost(found, offset)
    return found[0][1] if len(found) == 1 else None


def _innermost(found: list[tuple[SgNode, Spans]], offset: int) -> list[tuple[SgNode, Spans]]:
    """Keep what is declared in the innermost block around the offset, before it."""
    scopes = [(_scope_of(node), node, spans) for node, spans in found]
    around = [each for each in scopes if each[0][0] <= offset <= each[0][1] and span_of(each[1])[0] <= offset]
    inner = max((scope[0] for scope, _, _ in around), default=-1)
    return [(node, spans) for scope, node, spans in around if scope[0] == inner]


def _scope_of(node: SgNode) -> tuple[int, int]:
    for ancestor in node.ancestors():
        if ancestor.kind().endswith(("block", "body", "compound_statement")):
            # A name in a head (`for (int i = 0; …) {`) is seen in the statement that the head belongs to.
            return span_of(ancestor)
    return span_of(node.get_root().root())


def match_piece(piece: Piece, node: SgNode, args: Sequence[str]) -> dict[int, tuple[int, int]] | None:
    """Fit a piece to a node; gives where each piece within it is."""
    spans: dict[int, tuple[int, int]] = {}
    return spans if _fits(piece, node, args, 0, spans) else None


def size_of(piece: Piece) -> int:
    """How many numbers a piece takes, with all in it."""
    return 1 + sum(size_of(child) for child in piece.children or ())


def _fits(piece: Piece, node: SgNode, args: Sequence[str], number: int, spans: dict[int, tuple[int, int]]) -> bool:
    if not _kind_fits(piece, node.kind()):
        return False
    if piece.text is not None and node.text() != piece.text:
        return False
    if piece.arg is not None and (piece.arg >= len(args) or node.text() != args[piece.arg]):
        return False
    if piece.children is not None and not _children_fit(piece.children, node.children(), args, number + 1, spans):
        return False
    spans[number] = span_of(node)
    return True


def _kind_fits(piece: Piece, kind: str) -> bool:
    if kind in piece.kinds or "*" in piece.kinds:
        return True
    loose = piece.text is None and piece.children is None
    return loose and any(kind in whole and not whole.isdisjoint(piece.kinds) for whole in _WHOLE)


def _children_fit(
    pieces: Sequence[Piece],
    nodes: Sequence[SgNode],
    args: Sequence[str],
    number: int,
    spans: dict[int, tuple[int, int]],
) -> bool:
    if not pieces:
        return not nodes
    first, rest = pieces[0], pieces[1:]
    after = number + size_of(first)
    if first.rest:
        if not rest:
            spans[number] = (span_of(nodes[0])[0], span_of(nodes[-1])[1]) if nodes else (-1, -1)
            return True
        return any(_children_fit(rest, nodes[taken:], args, after, spans) for taken in range(len(nodes) + 1))
    return (
        bool(nodes)
        and _fits(first, nodes[0], args, number, spans)
        and _children_fit(rest, nodes[1:], args, after, spans)
    )
