"""Patterns from the tree: the smallest node around the differences, generalised."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.rules.fix_hunks import FixHunk
from holdfast.rules.learn.pattern_growth import Grower, Grown, GrowthOptions, is_tie, with_constants
from holdfast.rules.match.name_origin import origin_of
from holdfast.rules.match.names_at import names_here
from holdfast.rules.match.template_parts import IMPORT_KINDS, indented, parts_of
from holdfast.rules.match.tree_match import is_largest, is_variable, size_of
from holdfast.rules.rule import PatternPiece, PieceSide, RulePattern, RuleSplice, Spot
from holdfast.syntax.node_kinds import EXPRESSIONS, is_block
from holdfast.syntax.tree import broken_nodes, span_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource

_MOST_GROWTH = 7
_MOST_PIECES = 60


@dataclass(frozen=True, slots=True)
class TreeFix:
    """A pattern and the splices that belong to it."""

    pattern: RulePattern
    splices: tuple[RuleSplice, ...]


def tree_fixes(
    source: ParsedSource,
    hunks: Sequence[FixHunk],
    args: Sequence[str],
    offset: int | None,
    far: int | None,
) -> Iterator[TreeFix]:
    """Yield patterns: in the statement at the diagnostic, then elsewhere, then around whole blocks.

    In each group the smallest comes first.
    """
    snapped = [each for hunk in hunks for each in _snapped(source, hunk)]
    nodes = _nodes_around_all(source, snapped)
    around = [
        node
        for node in nodes
        if offset is not None and span_of(node)[0] <= offset <= span_of(node)[1]
    ]
    far_off = [node for node in nodes if node not in around]
    near = [node for node in around if not _reaches_into_block(node, snapped, offset)]
    if offset is not None:
        for node in near:
            yield from _fixes_at(source, node, snapped, args, (offset, far))
    yield from _fixes_elsewhere(source, far_off, snapped, args, offset)
    # An import belongs to a name of the message: the code at the position may begin with any other.
    others = [node for node in far_off if node.kind() not in IMPORT_KINDS]
    yield from _fixes_elsewhere(
        source, others, snapped, (*args, *names_here(source, offset, far)), offset
    )
    yield from _fixes_elsewhere(source, around, snapped, args, offset)
    if offset is not None:
        for node in around:
            if node not in near:
                yield from _fixes_at(source, node, snapped, args, (offset, far))


def _reaches_into_block(node: SgNode, hunks: Sequence[FixHunk], offset: int | None) -> bool:
    """Return whether a body within the node is around the diagnostic or around an edit.

    A function of which only the head matters is like a statement; otherwise the code between them
    is specific to this program.
    """
    places = [*(hunk.start for hunk in hunks), *([] if offset is None else [offset])]
    return any(_is_in_block(node, place) for place in places)


def _is_in_block(node: SgNode, place: int) -> bool:
    start, end = span_of(node)
    if not start <= place <= end:
        return False
    if is_block(node) and place < end and (start < place or not node.text().startswith("{")):
        return True
    return any(_is_in_block(child, place) for child in node.children())


def _nodes_around_all(source: ParsedSource, hunks: Sequence[FixHunk]) -> list[SgNode]:
    low, high = min(hunk.start for hunk in hunks), max(hunk.end for hunk in hunks)
    around = [
        node
        for node in source.nodes_around(low)
        if span_of(node)[1] >= high and node.is_named() and node.parent() is not None
    ]
    around.sort(key=lambda node: span_of(node)[1] - span_of(node)[0])
    return [node for node in around if next(broken_nodes(node), None) is None][:_MOST_GROWTH]


def _snapped(source: ParsedSource, hunk: FixHunk) -> list[FixHunk]:
    """Widen a hunk to whole leaves of the tree.

    Within a string or a number, narrow it to the differing characters first.
    """
    if hunk.lines:
        start, end = source.gap_after(hunk.start), source.gap_before(hunk.end)
        return [FixHunk(start, end, "", hunk.low, hunk.high, hunk.sides, lines=True)]
    if hunk.high - hunk.low != 1 or hunk.sides != ("start", "end"):
        return [FixHunk(hunk.start, hunk.end, hunk.new, hunk.low, hunk.high, hunk.sides)]
    old = source.tokens[hunk.low]
    if old.kind == "number" and hunk.new.startswith(old.text):
        # A suffix: the number before it may be any.
        return [
            FixHunk(
                hunk.end,
                hunk.end,
                hunk.new[len(old.text) :],
                hunk.high,
                hunk.high,
                ("gap_before", "end"),
            )
        ]
    if old.kind != "string":
        return [FixHunk(hunk.start, hunk.end, hunk.new, hunk.low, hunk.high, hunk.sides)]
    quotes = _quotes_of(old.text, hunk.new)
    if quotes is not None:
        (left, right), (new_left, new_right) = quotes
        opening = FixHunk(
            hunk.start, hunk.start + len(left), new_left, hunk.low, hunk.high, hunk.sides
        )
        return [
            opening,
            FixHunk(hunk.end - len(right), hunk.end, new_right, hunk.low, hunk.high, hunk.sides),
        ]
    return [_narrowed(source, hunk)]


_STRING = re.compile(r"""(\w*(?:\"\"\"|\'\'\'|["'`]))(.*?)(\"\"\"|\'\'\'|["'`])""", re.DOTALL)


def _quotes_of(old: str, new: str) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """Return the quotes of a string before and after, if they are the only difference."""
    before, after = _STRING.fullmatch(old), _STRING.fullmatch(new)
    if before is None or after is None or before[2] != after[2] or before[3] == after[3]:
        return None
    return (before[1], before[3]), (after[1], after[3])


def _narrowed(source: ParsedSource, hunk: FixHunk) -> FixHunk:
    start, end, new, text = hunk.start, hunk.end, hunk.new, source.text
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
    return FixHunk(start, end, new, hunk.low, hunk.high, hunk.sides)


# ----------------------------------------------------------------------------------- fixes


def _fixes_at(
    source: ParsedSource,
    node: SgNode,
    hunks: Sequence[FixHunk],
    args: Sequence[str],
    area: tuple[int, int | None],
) -> Iterator[TreeFix]:
    """Yield patterns of a node around the position, the simplest first.

    A node that is no expression is searched for a name at the diagnostic: other names may precede
    it there.
    """
    if not _holds_written_names(source, node, hunks, args, area[0]):
        return
    deep_first = node.kind() not in EXPRESSIONS and source.leaf_at(area[0]) in args
    for deep in (deep_first, not deep_first):
        for neighbours in (False, True):
            yield from _fix_at(
                source,
                node,
                Grower(source, hunks, args, area[0], GrowthOptions(deep, neighbours)),
                area,
            )


def _fix_at(
    source: ParsedSource, node: SgNode, grower: Grower, area: tuple[int, int | None]
) -> Iterator[TreeFix]:
    hunks, args = grower.hunks, grower.args
    grown = grower.grow_from(node, inside=_begins_declaration(source, node, hunks))
    if size_of(grown.piece) > _MOST_PIECES:
        return
    numbered = _numbered(grown)
    spot = _spot(numbered, area)
    if (
        spot == (0, "start")
        and area[0] == area[1]
        and is_variable(grown.piece)
        and not is_largest(node)
    ):
        # A tool that reports only a start means the largest expression there; this is a part of it.
        return
    if spot[0] == 0 and spot[1] not in {"whole", "start"}:
        # Of all nodes around a position, the kind shows which one is meant.
        grown = replace(grown, piece=replace(grown.piece, kinds=grown.piece.kinds[:1]))
    if grown.piece.arg is not None and not any(hunk.start < hunk.end for hunk in hunks):
        # What is written beside a name is right for names that come from the same place.
        kinds = tuple(each for each in (*grown.piece.kinds, origin_of(node)) if each)
        grown = replace(grown, piece=replace(grown.piece, kinds=kinds))
    yield from _fix_of(source, hunks, args, grown, spot)


def _begins_declaration(source: ParsedSource, node: SgNode, hunks: Sequence[FixHunk]) -> bool:
    """Return whether words are inserted before a declaration of Java.

    They belong to its first word that is no annotation.
    """
    start = span_of(node)[0]
    inserted = any(hunk.start == hunk.end == start for hunk in hunks)
    return source.language == "java" and inserted and node.kind().endswith("declaration")


def _fix_of(
    source: ParsedSource,
    hunks: Sequence[FixHunk],
    args: Sequence[str],
    grown: Grown,
    spot: tuple[int, Spot] | None,
) -> Iterator[TreeFix]:
    splices = _splices(source, hunks, args, _numbered(grown))
    if splices is None:
        return
    grown = with_constants(grown, source, splices, hunks)
    yield TreeFix(RulePattern("elsewhere" if spot is None else "at", grown.piece, spot), splices)


def _holds_written_names(
    source: ParsedSource,
    node: SgNode,
    hunks: Sequence[FixHunk],
    args: Sequence[str],
    offset: int | None,
) -> bool:
    """Return whether a node contains what ties a name that the fix writes away from the diagnostic.

    That is the name itself at another place, if the statement around has it there: `} Node;` of a
    `typedef struct`.
    """
    start, end = span_of(node)
    for arg in args:
        if not is_tie(arg):
            continue
        far = [hunk for hunk in hunks if _has_word(hunk.new, arg) and not _is_at(hunk, offset)]
        places = [at for at in source.places_of_word(arg) if at != offset]
        around = [
            span_of(each)
            for each in node.ancestors()
            if not is_block(each) and each.parent() is not None
        ]
        outside = any(left <= at < right for at in places for left, right in around[:1])
        if far and outside and not any(start <= at < end for at in places):
            return False
    return True


def _is_at(hunk: FixHunk, offset: int | None) -> bool:
    return offset is not None and hunk.start <= offset <= hunk.end


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


def _fixes_elsewhere(
    source: ParsedSource,
    nodes: Sequence[SgNode],
    hunks: Sequence[FixHunk],
    args: Sequence[str],
    offset: int | None,
) -> Iterator[TreeFix]:
    for options in (GrowthOptions(), GrowthOptions(neighbours=True)):
        for node in nodes:
            if _holds_written_names(source, node, hunks, args, offset):
                yield from _fix_elsewhere(source, node, hunks, args, options)


def _fix_elsewhere(
    source: ParsedSource,
    node: SgNode,
    hunks: Sequence[FixHunk],
    args: Sequence[str],
    options: GrowthOptions,
) -> Iterator[TreeFix]:
    grower = Grower(source, hunks, args, None, options)
    grower.constant = node.kind() in IMPORT_KINDS
    if grower.typed and not node.kind().endswith(("declaration", "statement", "definition")):
        return
    grown = grower.grow_tied(
        node, inside=grower.constant or _begins_declaration(source, node, hunks)
    )
    tied = any(
        piece.arg is not None and is_tie(args[piece.arg]) for _, piece in _pieces(grown)
    ) or (grower.constant and any(arg in hunk.new for arg in args for hunk in hunks))
    if tied and size_of(grown.piece) <= _MOST_PIECES:
        yield from _fix_of(source, hunks, args, grown, None)


def _numbered(grown: Grown) -> list[Grown]:
    return [grown, *(each for child in grown.inner for each in _numbered(child))]


def _pieces(grown: Grown) -> Iterator[tuple[tuple[int, int], PatternPiece]]:
    return ((each.span, each.piece) for each in _numbered(grown))


def _spot(numbered: list[Grown], area: tuple[int, int | None]) -> tuple[int, Spot]:
    """Return the piece that the diagnostic is about, and where in it.

    That is a whole piece, or the smallest one that begins, ends or lies around there.
    """
    offset = area[0]

    def smallest(fits: list[int]) -> int:
        return min(
            fits, key=lambda number: (numbered[number].span[1] - numbered[number].span[0], number)
        )

    real = [number for number, each in enumerate(numbered) if not each.piece.rest]
    if whole := [number for number in real if numbered[number].span == area and area[0] != area[1]]:
        return whole[0], "whole"
    if begins := [number for number in real if numbered[number].span[0] == offset]:
        return smallest(begins), "start"
    if ends := [number for number in real if numbered[number].span[1] == offset]:
        return smallest(ends), "end"
    return smallest(
        [
            number
            for number in real
            if numbered[number].span[0] <= offset <= numbered[number].span[1]
        ]
    ), "inside"


def _splices(
    source: ParsedSource, hunks: Sequence[FixHunk], args: Sequence[str], numbered: list[Grown]
) -> tuple[RuleSplice, ...] | None:
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
        parts = indented(
            parts_of(hunk.new, source.language, args, texts), source.indent_at(hunk.start)
        )
        made.append(RuleSplice(start, end, parts, lines=hunk.lines))
    return tuple(made)


def _start_of(
    source: ParsedSource, hunk: FixHunk, numbered: list[Grown]
) -> tuple[int, PieceSide] | None:
    sides: list[PieceSide] = ["start", "end", "gap_before", "gap_after"]
    if hunk.start == hunk.end and hunk.sides[0] == "gap_before":
        sides = ["end", "start", "gap_after", "gap_before"]
    return _side_at(source, hunk.start, numbered, sides)


def _end_of(
    source: ParsedSource, hunk: FixHunk, numbered: list[Grown]
) -> tuple[int, PieceSide] | None:
    if hunk.start == hunk.end:
        return _start_of(source, hunk, numbered)
    return _side_at(source, hunk.end, numbered, ["end", "start", "gap_after", "gap_before"])


def _is_annotatable(grown: Grown) -> bool:
    """Return whether annotations or modifiers may precede the first known word of a piece."""
    known = next((each for each in grown.inner if not each.piece.rest), None)
    begins = known is not None and known.span[0] == grown.span[0]
    return begins and grown.piece.kinds[0].endswith("declaration")


def _side_at(
    source: ParsedSource, at: int, numbered: list[Grown], sides: list[PieceSide]
) -> tuple[int, PieceSide] | None:
    """Return the side of a piece that is at an offset.

    Of several the outermost, which is the one that always exists.
    """
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
            if place == at and not (side == "start" and _is_annotatable(each)):
                return number, side
    return None
