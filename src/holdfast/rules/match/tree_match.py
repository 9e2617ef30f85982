"""Where the tree of a pattern fits: one node of a text, with the span of each piece."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, assert_never

from holdfast.rules.match.name_origin import PREFIX, origin_of
from holdfast.rules.rule import FixEdit, Hole, PatternPiece, RulePattern, RuleSplice
from holdfast.syntax.node_kinds import (
    ANY,
    CHARACTER,
    EXPRESSIONS,
    FUNCTIONS,
    children_of,
    is_character,
    is_related_kind,
)
from holdfast.syntax.tree import span_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

Spans: TypeAlias = Mapping[int, tuple[int, int]]
"""The span of each piece by its number: the root is 0, and a piece precedes its children."""
_MOST_PLACES = 2_000
_MOST_MATCHES = 200
"""The largest number of matches that are compared: a pattern with more is too vague."""


def find_tree(
    pattern: RulePattern,
    source: ParsedSource,
    diagnostic: Diagnostic,
    used: Collection[int] | None = None,
) -> Spans | None:
    """Return the spans of the only place where the pattern fits; None if there is none, or several.

    `used` are the pieces that the fix needs (None: all). Where a pattern fits a node in two ways
    that differ in one of those, the fix could go to either place, and at most one of them is right.
    """
    if pattern.tree is None or source.root is None:
        return None
    offset = source.place_of(diagnostic)
    if pattern.place == "elsewhere":
        return _find_elsewhere(pattern.tree, source, diagnostic, offset, used)
    if offset is None:
        return None
    for node in reversed(source.nodes_around(offset)):
        matches = [
            spans
            for spans in _all_matches(pattern, node, diagnostic.args, used)
            if _is_at_spot(pattern, spans, offset, source.end_of(diagnostic))
        ]
        if matches and _is_far_enough(pattern, node, offset, source.end_of(diagnostic)):
            return _only_match(pattern.tree, matches, used)
        if _is_about_function(pattern) and node.kind() in FUNCTIONS and span_of(node)[0] < offset:
            # What a function lacks (`async`, `throws`), the nearest function lacks.
            return None
    return None


def used_pieces(fix: Iterable[FixEdit]) -> frozenset[int]:
    """Return the numbers of the pieces that a fix needs for its places and its holes."""
    splices = [edit for edit in fix if isinstance(edit, RuleSplice)]
    sides = {number for edit in splices for number, _ in (edit.start, edit.end)}
    holes = {
        part.number
        for edit in splices
        for part in edit.parts
        if isinstance(part, Hole) and part.of == "piece"
    }
    return frozenset(sides | holes)


def _only_match(
    tree: PatternPiece, matches: Sequence[Spans], used: Collection[int] | None
) -> Spans | None:
    rests = {number for number, piece in enumerate(preorder(tree)) if piece.rest}
    numbers = set(matches[0]) - rests if used is None else used
    return (
        matches[0]
        if all(match[number] == matches[0][number] for match in matches for number in numbers)
        else None
    )


def _is_about_function(pattern: RulePattern) -> bool:
    """Return whether the pattern is a function around the position, which may be anywhere in it."""
    assert pattern.tree is not None  # noqa: S101 - the caller has looked
    return (
        pattern.spot is not None
        and pattern.spot[1] == "inside"
        and not FUNCTIONS.isdisjoint(pattern.tree.kinds)
    )


def _is_far_enough(pattern: RulePattern, node: SgNode, offset: int, far: int | None) -> bool:
    """Return whether a node is all that a diagnostic without an end points at.

    That is the largest expression that begins there, if only its kind is known.
    """
    assert pattern.tree is not None  # noqa: S101 - the caller has looked
    if offset != far or pattern.spot != (0, "start") or not is_variable(pattern.tree):
        return True
    return is_largest(node)


def is_largest(node: SgNode) -> bool:
    """Return whether no larger expression begins where this one does."""
    parent = node.parent()
    return (
        parent is None or span_of(parent)[0] < span_of(node)[0] or parent.kind() not in EXPRESSIONS
    )


def is_variable(piece: PatternPiece) -> bool:
    """Return whether only the kind of a piece is known."""
    return piece.text is None and piece.arg is None and piece.children is None and not piece.rest


def preorder(piece: PatternPiece) -> Iterator[PatternPiece]:
    """Yield a piece and all pieces in it, in the order of their numbers."""
    yield piece
    for child in piece.children or ():
        yield from preorder(child)


def _is_at_spot(pattern: RulePattern, spans: Spans, offset: int, far: int | None) -> bool:
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


def _find_elsewhere(
    tree: PatternPiece,
    source: ParsedSource,
    diagnostic: Diagnostic,
    offset: int | None,
    used: Collection[int] | None,
) -> Spans | None:
    assert source.root is not None  # noqa: S101 - the caller has looked
    found: list[tuple[SgNode, list[Spans]]] = []
    for kind in (each for each in tree.kinds if each.isidentifier()):
        for node in source.root.find_all(kind=kind)[:_MOST_PLACES]:
            matches = list(
                _all_matches(RulePattern("elsewhere", tree), node, diagnostic.args, used)
            )
            if matches:
                found.append((node, matches))
    if len(found) > 1 and offset is not None:
        found = _innermost(found, offset)
    return _only_match(tree, found[0][1], used) if len(found) == 1 else None


def _innermost(
    found: list[tuple[SgNode, list[Spans]]], offset: int
) -> list[tuple[SgNode, list[Spans]]]:
    """Return what is declared in the innermost block around the offset, before it."""
    scopes = [(_scope_of(node), node, matches) for node, matches in found]
    around = [
        each
        for each in scopes
        if each[0][0] <= offset <= each[0][1] and span_of(each[1])[0] <= offset
    ]
    inner = max((scope[0] for scope, _, _ in around), default=-1)
    return [(node, matches) for scope, node, matches in around if scope[0] == inner]


def _scope_of(node: SgNode) -> tuple[int, int]:
    for ancestor in node.ancestors():
        if ancestor.kind().endswith(("block", "body", "compound_statement")):
            # A name in a head (`for (int i = 0; …) {`) is visible in the statement of the head.
            return span_of(ancestor)
    return span_of(node.get_root().root())


@dataclass(frozen=True, slots=True)
class _MatchContext:
    """The arguments of the message, and the pieces that must have no equal beside them."""

    args: Sequence[str]
    single: Collection[int] = ()


def match_piece(piece: PatternPiece, node: SgNode, args: Sequence[str]) -> Spans | None:
    """Match a piece with a node; return the span of each piece in it, for the first match."""
    return next(_matches(piece, node, _MatchContext(args), 0), None)


def _all_matches(
    pattern: RulePattern, node: SgNode, args: Sequence[str], used: Collection[int] | None
) -> Iterator[Spans]:
    """Yield all matches of a pattern with a node: a `rest` may match more or fewer siblings."""
    assert pattern.tree is not None  # noqa: S101 - the caller has looked
    single = _single(pattern.tree, used, None if pattern.spot is None else pattern.spot[0])
    return islice(_matches(pattern.tree, node, _MatchContext(args, single), 0), _MOST_MATCHES)


def _single(tree: PatternPiece, used: Collection[int] | None, spot: int | None) -> frozenset[int]:
    """Return the numbers of the edited pieces that only their shape distinguishes from others.

    They contain neither a name of the message nor the position of the diagnostic: one of two `for`
    clauses could be meant.
    """
    found = set()
    for number, piece in enumerate(preorder(tree)):
        inner = range(number + 1, number + size_of(piece))
        changed = piece.children is not None and (
            used is None or any(each in used for each in inner)
        )
        tied = spot is not None and (spot == number or spot in inner)
        if number and changed and not tied and all(each.arg is None for each in preorder(piece)):
            found.add(number)
    return frozenset(found)


def size_of(piece: PatternPiece) -> int:
    """Return how many numbers a piece takes, with all pieces in it."""
    return 1 + sum(size_of(child) for child in piece.children or ())


def _matches(
    piece: PatternPiece, node: SgNode, context: _MatchContext, number: int
) -> Iterator[Spans]:
    if not _kind_fits(piece, node):
        return
    if piece.text is not None and node.text() != piece.text:
        return
    if piece.arg is not None and (
        piece.arg >= len(context.args) or node.text() != context.args[piece.arg]
    ):
        return
    here = {number: span_of(node)}
    if piece.children is None:
        yield here
        return
    if number in context.single and any(
        match_piece(piece, each, context.args) for each in _siblings(node)
    ):
        return
    for inner in _matches_of_children(piece.children, children_of(node), context, number + 1):
        yield {**here, **inner}


def _siblings(node: SgNode) -> list[SgNode]:
    parent = node.parent()
    return (
        []
        if parent is None
        else [each for each in parent.children() if span_of(each) != span_of(node)]
    )


def _kind_fits(piece: PatternPiece, node: SgNode) -> bool:
    kind = node.kind()
    origins = [each for each in piece.kinds if each.startswith(PREFIX)]
    if origins and origin_of(node) not in origins:
        return False
    if kind in piece.kinds or (
        ANY in piece.kinds and node.is_named() and not kind.endswith("comment")
    ):
        return True
    if CHARACTER in piece.kinds:
        return is_character(node)
    loose = piece.text is None and piece.children is None
    return piece.text is None and is_related_kind(kind, piece.kinds, loose=loose)


def _matches_of_children(
    pieces: Sequence[PatternPiece], nodes: Sequence[SgNode], context: _MatchContext, number: int
) -> Iterator[Spans]:
    if not pieces:
        if not nodes:
            yield {}
        return
    first, rest = pieces[0], pieces[1:]
    after = number + size_of(first)
    if first.rest:
        for taken in range(len(nodes) + 1) if rest else [len(nodes)]:
            span = (span_of(nodes[0])[0], span_of(nodes[taken - 1])[1]) if taken else (-1, -1)
            for others in _matches_of_children(rest, nodes[taken:], context, after):
                yield {number: span, **others}
    elif nodes:
        for here in _matches(first, nodes[0], context, number):
            for others in _matches_of_children(rest, nodes[1:], context, after):
                yield {**here, **others}
