"""Patterns grown from a node: what a fix changes, what is beside it, and what the message names."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.rules.rule import Hole, PatternPiece, RuleSplice
from holdfast.syntax.node_kinds import (
    ANY,
    CHARACTER,
    EXPRESSIONS,
    LISTS,
    children_of,
    is_block,
    is_character,
)
from holdfast.syntax.source import BLANKS, ParsedSource
from holdfast.syntax.tokens import COMMON, is_content, shape_of, tokenize
from holdfast.syntax.tree import span_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ast_grep_py import SgNode

    from holdfast.rules.fix_hunks import FixHunk

_LARGE = 400
"""A node with more characters is not searched for a name."""
_DECLARATIONS = ("definition", "declaration", "_item", "parameter")
_LATER = frozenset({"static", "final", "synchronized", "default"})
_LIBRARIES = ("std::", "core::", "alloc::", "java.", "builtins.", "typing.")
_OPEN, _CLOSE = ("(", "[", "{", ","), (")", "]", "}", ",", ";")


@dataclass(frozen=True, slots=True)
class Grown:
    """A piece, its span, and the same for its children.

    `keep`: something depends on the piece. `beside`: the only reason to keep it is that it is next
    to an edit. `removed`: the fix removes it.
    """

    piece: PatternPiece
    span: tuple[int, int]
    inner: tuple[Grown, ...] = ()
    keep: bool = False
    beside: bool = False
    removed: bool = False


@dataclass(frozen=True, slots=True)
class GrowthOptions:
    """Options for growing a pattern.

    `deep`: descend into the node around the diagnostic, down to its position. `neighbours`: in a
    list of statements or members, those next to an edit are part of the pattern too, otherwise only
    those that contain one.
    """

    deep: bool = False
    neighbours: bool = False


class Grower:
    """Grows a pattern from one node."""

    def __init__(
        self,
        source: ParsedSource,
        hunks: Sequence[FixHunk],
        args: Sequence[str],
        offset: int | None,
        options: GrowthOptions = GrowthOptions(),  # noqa: B008 - frozen
    ) -> None:
        """Grow around these edits.

        With `offset` None the pattern is found by the names of the message alone.
        """
        self.source = source
        self.hunks = hunks
        self.args = args
        self.offset = offset
        self.options = options
        self.news = "\0".join(hunk.new for hunk in hunks)
        self.untied: set[str] = set()
        self.constant = False
        self.root: SgNode | None = None
        self.inside = False
        # An arbitrary value in a fix (`= 0`) depends on the type that is declared there.
        self.typed = offset is None and any(
            is_content(token) and token.kind != "name"
            for hunk in hunks
            for token in tokenize(hunk.new, source.language)
        )

    def grow_tied(self, node: SgNode, *, inside: bool = False) -> Grown:
        """Grow, and keep the names of the message except those that an edit touches."""
        tied = {piece.arg for piece in _all_pieces(self.grow_from(node, inside=inside).piece)}
        self.untied = {
            arg for number, arg in enumerate(self.args) if number not in tied and is_tie(arg)
        }
        return self.grow_from(node, inside=inside)

    def grow_from(self, node: SgNode, *, inside: bool = False) -> Grown:
        """Return a pattern of a node.

        With `inside`, descend into it even if all differences are at its edges.
        """
        self.root, self.inside = node, inside
        if inside:
            return self._with_children(node, [self.grow(child) for child in children_of(node)])
        return self.grow(node)

    def grow(self, node: SgNode) -> Grown:
        """Return a piece for a node."""
        start, end = span_of(node)
        inside = [hunk for hunk in self.hunks if self._is_in(hunk, start, end)]
        if not inside:
            return self._unchanged(node)
        if any(hunk.start <= start and end <= hunk.end for hunk in inside):
            return self._removed(node)
        return self._with_children(node, [self.grow(child) for child in children_of(node)])

    def _is_in(self, hunk: FixHunk, start: int, end: int) -> bool:
        if hunk.start == hunk.end:
            return start < hunk.start < end
        return hunk.start < end and start < hunk.end

    def _with_children(self, node: SgNode, children: list[Grown]) -> Grown:
        if node.kind() in LISTS and not self.options.neighbours:
            kept = _with_rests(
                [
                    replace(child, beside=child.beside and not self._is_anchor(child))
                    for child in children
                ]
            )
        else:
            kept = _without_runs(children)
            if kept and not kept[0].piece.rest and self._may_be_modified(node, kept[0]):
                kept.insert(0, Grown(PatternPiece(rest=True), (kept[0].span[0], kept[0].span[0])))
        piece = PatternPiece((node.kind(),), children=tuple(child.piece for child in kept))
        return Grown(piece, span_of(node), tuple(kept), keep=True)

    def _may_be_modified(self, node: SgNode, first: Grown) -> bool:
        """Return whether modifiers may precede the first word of a declaration here.

        They may if the fix changes nothing there, or if it adds a modifier that comes after those
        (`static`).
        """
        if not node.kind().endswith(_DECLARATIONS):
            return False
        brought = [
            hunk.new.strip(BLANKS) for hunk in self.hunks if hunk.start == hunk.end == first.span[0]
        ]
        return not first.beside or (bool(brought) and all(word in _LATER for word in brought))

    def _is_anchor(self, child: Grown) -> bool:
        """Return whether an insertion belongs to a child because it is at its start or end."""
        return any(
            hunk.start == (child.span[0] if hunk.sides[0] == "start" else child.span[1])
            for hunk in self.hunks
            if hunk.start == hunk.end
        )

    def _unchanged(self, node: SgNode) -> Grown:
        span, text = span_of(node), node.text()
        beside = self._is_beside_edit(node)
        keep = beside or self._is_pointed_at(span)
        if self.typed and self._is_type(node):
            return Grown(PatternPiece((node.kind(),), text=text), span, keep=True)
        if (number := self._arg_of(text, span[0])) is not None and node.is_named():
            self.untied.discard(text)
            return Grown(PatternPiece((node.kind(),), arg=number), span, keep=True)
        only_beside = beside and not self._is_pointed_at(span)
        if not node.is_named():
            return Grown(
                PatternPiece((node.kind(),), text=text), span, keep=keep, beside=only_beside
            )
        if self.constant and self._is_module(node):
            return Grown(PatternPiece((node.kind(),), text=text), span, keep=True)
        named = len(text) <= _LARGE and any(
            self._contains(node, arg) for arg in sorted(self.untied)
        )
        if named or self._is_on_the_way(node):
            return self._with_children(
                node, [self._unchanged(child) for child in children_of(node)]
            )
        return Grown(
            PatternPiece(self._kinds(node, beside=beside, keep=keep)),
            span,
            keep=keep,
            beside=only_beside,
        )

    def _is_pointed_at(self, span: tuple[int, int]) -> bool:
        """Return whether the diagnostic is in the span, or at its end where nothing else begins."""
        if self.offset is None:
            return False
        return span[0] <= self.offset < span[1] or (
            span[1] == self.offset and not self.source.leaf_at(self.offset)
        )

    def _kinds(self, node: SgNode, *, beside: bool, keep: bool) -> tuple[str, ...]:
        """Return the kinds that a variable may have.

        That is any kind if brackets and commas are around it after the fix too.
        """
        if keep and not beside:
            return (ANY,)
        if is_character(node) and beside:
            return (CHARACTER,)
        return (node.kind(), ANY) if beside and self._is_enclosed(node) else (node.kind(),)

    def _is_enclosed(self, node: SgNode) -> bool:
        """Return whether each edit beside a node puts a bracket or a comma next to it."""
        (start, end), source = span_of(node), self.source
        before = [
            hunk
            for hunk in self.hunks
            if source.gap_before(start) <= hunk.end <= start and hunk.start < start
        ]
        before += [hunk for hunk in self.hunks if hunk.start == hunk.end == start]
        after = [
            hunk
            for hunk in self.hunks
            if end <= hunk.start <= source.gap_after(end) and hunk not in before
        ]
        return all(hunk.new.rstrip(BLANKS).endswith(_OPEN) for hunk in before) and all(
            hunk.new.lstrip(BLANKS).startswith(_CLOSE) for hunk in after
        )

    def _is_on_the_way(self, node: SgNode) -> bool:
        """Return whether the diagnostic, or an edit before a name of it, is within the node.

        A body in the node does not count.
        """
        start, end = span_of(node)
        if node.is_leaf() or is_block(node):
            return False
        if node.kind() not in EXPRESSIONS and any(
            hunk.start == hunk.end == start for hunk in self.hunks
        ):
            # What is written before a name of the message is written before this name only.
            return self._arg_of(self.source.leaf_at(start)) is not None
        if not self.options.deep or self.offset is None:
            return False
        if start == self.offset:
            return self._arg_of(self.source.leaf_at(start)) is not None
        return start < self.offset < end and not any(
            is_block(each) and span_of(each)[0] <= self.offset < span_of(each)[1]
            for each in node.children()
        )

    def _is_type(self, node: SgNode) -> bool:
        parent = node.parent()
        return (
            parent is not None and _same(parent.field("type"), node) and not self._holds_any(node)
        )

    def _is_module(self, node: SgNode) -> bool:
        parent = node.parent()
        return parent is not None and any(
            _same(parent.field(name), node) for name in ("module_name", "source", "path")
        )

    def _holds_any(self, node: SgNode) -> bool:
        return any(self._contains(node, arg) for arg in self.args)

    def _removed(self, node: SgNode) -> Grown:
        span, text = span_of(node), node.text()
        if (number := self._arg_of(text, span[0])) is not None:
            self.untied.discard(text)
            return Grown(PatternPiece((node.kind(),), arg=number), span, keep=True)
        if not node.is_named():
            return Grown(PatternPiece((node.kind(),), text=text), span, keep=True)
        if any(self._contains(node, arg) for arg in self.args) or (
            not node.is_leaf() and self._is_taken_apart(node)
        ):
            children = [self._removed(child) for child in children_of(node)]
            piece = PatternPiece((node.kind(),), children=tuple(child.piece for child in children))
            return Grown(piece, span, tuple(children), keep=True)
        return Grown(PatternPiece((node.kind(),)), span, keep=True, removed=True)

    def _is_taken_apart(self, node: SgNode) -> bool:
        """Return whether parts of the node stay in the new text, but not the whole."""
        if node.text() in self.news or not self.news.strip("\0"):
            return False
        return any(child.is_named() and child.text() in self.news for child in children_of(node))

    def _contains(self, node: SgNode, arg: str) -> bool:
        if shape_of(arg) != "name" or arg not in node.text():
            return False
        return any(
            each.kind().endswith("identifier")
            for each in node.find_all(regex=f"^{re.escape(arg)}$")
        )

    def _arg_of(self, text: str, at: int = -1) -> int | None:
        # A number in a message (`takes 1 argument`) is in the code by chance, except where the
        # message points at it.
        return next(
            (
                number
                for number, arg in enumerate(self.args)
                if text and arg == text and (shape_of(arg) != "number" or at == self.offset)
            ),
            None,
        )

    def _is_beside_edit(self, node: SgNode) -> bool:
        """Return whether an edit is right beside a node, within the same parent."""
        start, end = span_of(node)
        gap_before, gap_after = self.source.gap_before(start), self.source.gap_after(end)
        parent = node.parent()
        return any(
            gap_before <= hunk.end <= start or end <= hunk.start <= gap_after
            for hunk in self.hunks
            if parent is None
            or _same(self.root, node)
            or (self.inside and _same(self.root, parent))
            or self._is_in(hunk, *span_of(parent))
        )


def is_tie(arg: str) -> bool:
    """Return whether an argument is a name of the program.

    `int`, `None` and `std::string` occur anywhere and tie nothing.
    """
    return (
        shape_of(arg) in {"name", "path"} and arg not in COMMON and not arg.startswith(_LIBRARIES)
    )


def with_constants(
    grown: Grown, source: ParsedSource, splices: Sequence[RuleSplice], hunks: Sequence[FixHunk]
) -> Grown:
    """Make constants of the removed pieces that no hole of the fix uses.

    Otherwise the fix would replace the different text of another program. A piece may be anything
    if it is replaced by words of the message only, or by nothing in a fix that only deletes.
    """
    kept = {
        part.number
        for splice in splices
        for part in splice.parts
        if isinstance(part, Hole) and part.of == "piece"
    }
    free = [
        (hunk.start, hunk.end)
        for hunk, splice in zip(hunks, splices, strict=True)
        if all(isinstance(part, Hole) for part in splice.parts)
        and (splice.parts or not any(each.new for each in hunks))
    ]

    def settle(each: Grown, number: int) -> Grown:
        start, end = each.span
        if (
            each.removed
            and number not in kept
            and not any(left <= start and end <= right for left, right in free)
        ):
            return replace(each, piece=replace(each.piece, text=source.text[start:end]))
        inner, at = [], number + 1
        for child in each.inner:
            inner.append(settle(child, at))
            at += sum(1 for _ in _all_pieces(child.piece))
        if not each.inner:
            return each
        return replace(
            each,
            inner=tuple(inner),
            piece=replace(each.piece, children=tuple(child.piece for child in inner)),
        )

    return settle(grown, 0)


def _all_pieces(piece: PatternPiece) -> list[PatternPiece]:
    return [piece, *(each for child in piece.children or () for each in _all_pieces(child))]


def _without_runs(children: list[Grown]) -> list[Grown]:
    """Replace each run of children on which nothing depends by one `rest`."""
    kept: list[Grown] = []
    for child in children:
        if child.keep:
            kept.append(child)
        elif not kept or not kept[-1].piece.rest:
            kept.append(Grown(PatternPiece(rest=True), child.span))
    return kept


def _with_rests(children: list[Grown]) -> list[Grown]:
    """Put a `rest` around each child on which something depends.

    Other statements of the list may be between them.
    """
    kept: list[Grown] = []
    for child in children:
        if child.keep and not child.beside:
            kept += [Grown(PatternPiece(rest=True), child.span), child]
    return [*kept, Grown(PatternPiece(rest=True), children[-1].span)] if children else []


def _same(one: SgNode | None, other: SgNode) -> bool:
    return one is not None and span_of(one) == span_of(other) and one.kind() == other.kind()
