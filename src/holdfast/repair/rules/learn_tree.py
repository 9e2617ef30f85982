"""A pattern from the tree: the smallest node around what differs, with what may vary taken out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.repair.rules.hunks import Hunk
from holdfast.repair.rules.match import size_of
from holdfast.repair.rules.parts import IMPORT_KINDS, parts_of
from holdfast.repair.rules.rule import Pattern, Piece, Side, Splice, Spot
from holdfast.repair.rules.source import Source, broken_nodes, span_of
from holdfast.repair.rules.tokens import is_invented, shape_of, tokenize

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_MOST_GROWTH = 7
_MOST_PIECES = 60
_LARGE = 400
"""A node with more characters is not looked into for a name."""


@dataclass(frozen=True, slots=True)
class _Grown:
    """A piece, where it stands, and the same for all in it."""

    piece: Piece
    span: tuple[int, int]
    inner: tuple[_Grown, ...] = ()
    keep: bool = False


@dataclass(frozen=True, slots=True)
class TreeFix:
    """A pattern and the splices that go with it."""

    pattern: Pattern
    splices: tuple[Splice, ...]


def tree_fixes(
    source: Source, hunks: Sequence[Hunk], args: Sequence[str], offset: int | None, far: int | None
) -> Iterator[TreeFix]:
    """Give patterns: within the statement at the diagnostic's position, then elsewhere, then around whole blocks.

    Of each the smallest first.
    """
    snapped = [_snapped(source, hunk) for hunk in hunks]
    nodes = _nodes_around_all(source, snapped)
    around = [node for node in nodes if offset is not None and span_of(node)[0] <= offset <= span_of(node)[1]]
    for node in around:
        if offset is not None and not _has_block(node):
            yield from _fix_at(source, node, snapped, args, (offset, far))
    for node in nodes:
        yield from _fix_elsewhere(source, node, snapped, args)
    for node in around:
        if offset is not None and _has_block(node):
            yield from _fix_at(source, node, snapped, args, (offset, far))


_BLOCKS = ("block", "body", "compound_statement")


def _has_block(node: SgNode) -> bool:
    return node.kind().endswith(_BLOCKS) or any(child.kind().endswith(_BLOCKS) for child in node.children())


def _nodes_around_all(source: Source, hunks: Sequence[Hunk]) -> list[SgNode]:
    low, high = min(hunk.start for hunk in hunks), max(hunk.end for hunk in hunks)
    around = [
        node
        for node in source.nodes_around(low)
        if span_of(node)[1] >= high and node.is_named() and node.parent() is not None
    ]
    around.sort(key=lambda node: span_of(node)[1] - span_of(node)[0])
    return [node for node in around if next(broken_nodes(node), None) is None][:_MOST_GROWTH]


def _snapped(source: Source, hunk: Hunk) -> Hunk:
    """Widen a hunk to the leaves of the tree; within a string first narrow it to what differs."""
    start, end, new, text = hunk.start, hunk.end, hunk.new, source.text
    if hunk.lines:
        start, end = source.gap_after(start), source.gap_before(end)
        return Hunk(start, end, "", hunk.low, hunk.high, hunk.sides, lines=True)
    if hunk.high - hunk.low == 1 and source.tokens[hunk.low].kind == "string" and hunk.sides == ("start", "end"):
        while start < end and new and text[start] == new[0]:
            start, new = start + 1, new[1:]
        while start < end and new and text[end - 1] == new[-1]:
            end, new = end - 1, new[:-1]
        for at in (start, end):
            for node in source.nodes_around(at):
                left, right = span_of(node)
                if node.is_leaf() and left < at < right:
                    new = text[left:start] * (left < start) + new + text[end:right] * (right > end)
                    start, end = min(left, start), max(right, end)
    return Hunk(start, end, new, hunk.low, hunk.high, hunk.sides)


# ------------------------------------------------------------------------------------------------------------- growing


class _Grower:
    """Makes a pattern of one node."""

    def __init__(self, source: Source, hunks: Sequence[Hunk], args: Sequence[str], offset: int | None) -> None:
        self.source = source
        self.hunks = hunks
        self.args = args
        self.offset = offset
        self.news = "\0".join(hunk.new for hunk in hunks)
        self.untied = {arg for arg in args if shape_of(arg) in {"name", "path"}} if offset is None else set()
        self.constant = False
        # What a fix makes up (`= 0`) goes with the type that is said there.
        self.typed = offset is None and any(
            is_invented(token) and token.kind != "name" for hunk in hunks for token in tokenize(hunk.new, source.target)
        )

    def grow_inside(self, node: SgNode) -> _Grown:
        """Look into the node even if all that differs stands at its edge."""
        return self._with_children(node, [self.grow(child) for child in node.children()])

    def grow(self, node: SgNode) -> _Grown:
        start, end = span_of(node)
        inside = [hunk for hunk in self.hunks if self._is_in(hunk, start, end)]
        if not inside:
            return self._unchanged(node)
        if any(hunk.start <= start and end <= hunk.end for hunk in inside):
            return self._removed(node)
        return self._with_children(node, [self.grow(child) for child in node.children()])

    def _is_in(self, hunk: Hunk, start: int, end: int) -> bool:
        if hunk.start == hunk.end:
            return start < hunk.start < end
        return hunk.start < end and start < hunk.end

    def _with_children(self, node: SgNode, children: list[_Grown]) -> _Grown:
        kept = _without_runs(children)
        piece = Piece((node.kind(),), children=tuple(child.piece for child in kept))
        return _Grown(piece, span_of(node), tuple(kept), keep=True)

    def _unchanged(self, node: SgNode) -> _Grown:
        span, text = span_of(node), node.text()
        keep = self._touches(span)
        if self.typed and self._is_type(node):
            return _Grown(Piece((node.kind(),), text=text), span, keep=True)
        if (number := self._arg_of(text)) is not None and node.is_named():
            self.untied.discard(text)
            return _Grown(Piece((node.kind(),), arg=number), span, keep=True)
        if not node.is_named():
            return _Grown(Piece((node.kind(),), text=text), span, keep=keep)
        if self.constant and self._is_module(node):
            return _Grown(Piece((node.kind(),), text=text), span, keep=True)
        if len(text) <= _LARGE and any(self._holds(node, arg) for arg in sorted(self.untied)):
            return self._with_children(node, [self._unchanged(child) for child in node.children()])
        kinds = (node.kind(),) if not keep or self._is_beside_edit(span) else ("*",)
        return _Grown(Piece(kinds), span, keep=keep)

    def _is_type(self, node: SgNode) -> bool:
        parent = node.parent()
        return parent is not None and _same(parent.field("type"), node) and not self._holds_any(node)

    def _is_module(self, node: SgNode) -> bool:
        parent = node.parent()
        return parent is not None and any(_same(parent.field(name), node) for name in ("module_name", "source", "path"))

    def _holds_any(self, node: SgNode) -> bool:
        return any(self._holds(node, arg) for arg in self.args)

    def _removed(self, node: SgNode) -> _Grown:
        span, text = span_of(node), node.text()
        if (number := self._arg_of(text)) is not None:
            self.untied.discard(text)
            return _Grown(Piece((node.kind(),), arg=number), span, keep=True)
        if not node.is_named():
            return _Grown(Piece((node.kind(),), text=text), span, keep=True)
        if any(self._holds(node, arg) for arg in self.args) or (not node.is_leaf() and self._is_taken_apart(node)):
            children = [self._removed(child) for child in node.children()]
            piece = Piece((node.kind(),), children=tuple(child.piece for child in children))
            return _Grown(piece, span, tuple(children), keep=True)
        if text in self.news or not self.news.strip("\0"):
            return _Grown(Piece((node.kind(),)), span, keep=True)
        return _Grown(Piece((node.kind(),), text=text), span, keep=True)

    def _is_taken_apart(self, node: SgNode) -> bool:
        """Whether parts of the node stay in the new text, but not the whole."""
        if node.text() in self.news or not self.news.strip("\0"):
            return False
        return any(child.is_named() and child.text() in self.news for child in node.children())

    def _holds(self, node: SgNode, arg: str) -> bool:
        return arg in node.text() and node.find(pattern=arg) is not None if shape_of(arg) == "name" else False

    def _arg_of(self, text: str) -> int | None:
        return next((number for number, arg in enumerate(self.args) if arg == text), None)

    def _touches(self, span: tuple[int, int]) -> bool:
        """Whether an edit stands right beside it, or the diagnostic points at it."""
        start, end = span
        return (self.offset is not None and start <= self.offset <= end) or self._is_beside_edit(span)

    def _is_beside_edit(self, span: tuple[int, int]) -> bool:
        start, end = span
        gap_before, gap_after = self.source.gap_before(start), self.source.gap_after(end)
        return any(gap_before <= hunk.end <= start or end <= hunk.start <= gap_after for hunk in self.hunks)


def _without_runs(children: list[_Grown]) -> list[_Grown]:
    """Put one `rest` for each run of children that nothing depends on."""
    kept: list[_Grown] = []
    for child in children:
        if child.keep:
            kept.append(child)
        elif not kept or not kept[-1].piece.rest:
            kept.append(_Grown(Piece(rest=True), child.span))
    return kept


def _same(one: SgNode | None, other: SgNode) -> bool:
    return one is not None and span_of(one) == span_of(other) and one.kind() == other.kind()


# -------------------------------------------------------------------------------------------------------------- fixing


def _fix_at(
    source: Source, node: SgNode, hunks: Sequence[Hunk], args: Sequence[str], area: tuple[int, int | None]
) -> Iterator[TreeFix]:
    grown = _Grower(source, hunks, args, area[0]).grow(node)
    if size_of(grown.piece) > _MOST_PIECES:
        return
    numbered = _numbered(grown)
    splices = _splices(source, hunks, args, numbered)
    if splices is not None:
        yield TreeFix(Pattern("at", grown.piece, _spot(numbered, area)), splices)


def _fix_elsewhere(source: Source, node: SgNode, hunks: Sequence[Hunk], args: Sequence[str]) -> Iterator[TreeFix]:
    grower = _Grower(source, hunks, args, None)
    grower.constant = node.kind() in IMPORT_KINDS
    if grower.typed and not node.kind().endswith(("declaration", "statement", "definition")):
        return
    grown = grower.grow_inside(node) if grower.constant else grower.grow(node)
    tied = any(piece.arg is not None for _, piece in _pieces(grown)) or (
        grower.constant and any(arg in hunk.new for arg in args for hunk in hunks)
    )
    if not tied or size_of(grown.piece) > _MOST_PIECES:
        return
    splices = _splices(source, hunks, args, _numbered(grown))
    if splices is not None:
        yield TreeFix(Pattern("elsewhere", grown.piece), splices)


def _numbered(grown: _Grown) -> list[_Grown]:
    return [grown, *(each for child in grown.inner for each in _numbered(child))]


def _pieces(grown: _Grown) -> Iterator[tuple[tuple[int, int], Piece]]:
    return ((each.span, each.piece) for each in _numbered(grown))


def _spot(numbered: list[_Grown], area: tuple[int, int | None]) -> tuple[int, Spot]:
    """Say which piece the diagnostic is about: all of it, or the smallest that begins, ends, or lies around there."""
    offset = area[0]

    def smallest(fits: list[int]) -> int:
        return min(fits, key=lambda number: (numbered[number].span[1] - numbered[number].span[0], number))

    real = [number for number, each in enumerate(numbered) if not each.piece.rest]
    if whole := [number for number in real if numbered[number].span == area and area[0] != area[1]]:
        return whole[0], "whole"
    if begins := [number for number in real if numbered[number].span[0] == offset]:
        return smallest(begins), "start"
    if ends := [number for number in real if numbered[number].span[1] == offset]:
        return smallest(ends), "end"
    return smallest(
        [number for number in real if numbered[number].span[0] <= offset <= numbered[number].span[1]]
    ), "inside"


def _splices(
    source: Source, hunks: Sequence[Hunk], args: Sequence[str], numbered: list[_Grown]
) -> tuple[Splice, ...] | None:
    texts = {
        number: source.text[slice(*each.span)]
        for number, each in enumerate(numbered)
        if each.piece.kinds and each.piece.text is None and each.piece.arg is None and number
    }
    made = []
    for hunk in hunks:
        start, end = _start_of(source, hunk, numbered), _end_of(source, hunk, numbered)
        if start is None or end is None:
            return None
        made.append(Splice(start, end, parts_of(hunk.new, source.target, args, texts), lines=hunk.lines))
    return tuple(made)


def _start_of(source: Source, hunk: Hunk, numbered: list[_Grown]) -> tuple[int, Side] | None:
    sides: list[Side] = ["start", "end", "gap_before", "gap_after"]
    if hunk.start == hunk.end and hunk.sides[0] == "gap_before":
        sides = ["end", "start", "gap_after", "gap_before"]
    return _side_at(source, hunk.start, numbered, sides)


def _end_of(source: Source, hunk: Hunk, numbered: list[_Grown]) -> tuple[int, Side] | None:
    if hunk.start == hunk.end:
        return _start_of(source, hunk, numbered)
    return _side_at(source, hunk.end, numbered, ["end", "start", "gap_after", "gap_before"])


def _side_at(source: Source, at: int, numbered: list[_Grown], sides: list[Side]) -> tuple[int, Side] | None:
    """Name an offset by a side of a piece; of several the outermost, which is the one that is surely there."""
    for side in sides:
        for number, each in enumerate(numbered):
            if each.piece.rest:
                continue
            start, end = each.span
            place = {
                "start": start,
                "end": end,
                "gap_before": source.gap_before(start),
                "gap_after": source.gap_after(end),
            }[side]
            if place == at:
                return number, side
    return None
