"""Edits of tokens, for texts that do not parse: a missing colon, bracket or semicolon, `print x`, wrong indentation."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.repair.rules.hunks import Hunk
from holdfast.repair.rules.parts import parts_of
from holdfast.repair.rules.rule import Hole, Part, Piece, TokenEdit
from holdfast.repair.rules.source import Source
from holdfast.repair.rules.token_match import anchors_of, beyond, context_kind, neighbour
from holdfast.repair.rules.tokens import Token, shape_of


def token_edits(
    source: Source, hunks: Sequence[Hunk], args: Sequence[str], offset: int
) -> tuple[TokenEdit, ...] | None:
    """Make an edit of each hunk; None if one is not tied to the diagnostic's position."""
    made = []
    for hunk in hunks:
        if hunk.lines:
            return None
        removed = source.tokens[hunk.low : hunk.high]
        anchors = anchors_of(source, offset, hunk.low, removed)
        if not anchors:
            return None
        pieces = tuple(_removed_piece(token, hunk.new, args) for token in removed)
        texts = {
            number: token.text
            for number, (token, piece) in enumerate(zip(removed, pieces, strict=True))
            if piece.text is None and piece.arg is None
        }
        made.append(
            TokenEdit(
                anchors,
                pieces,
                _indented(source, hunk) or parts_of(hunk.new, source.target, args, texts),
                _context(source, hunk, args, -1),
                _context(source, hunk, args, 1),
                hunk.sides,
            )
        )
    return tuple(made)


def _removed_piece(token: Token, new: str, args: Sequence[str]) -> Piece:
    for number, arg in enumerate(args):
        if arg == token.text:
            return Piece((token.kind,), arg=number)
    varies = token.kind in {"name", "number", "string"} and (token.text in new or not new.strip())
    return Piece((token.kind,)) if varies else Piece((token.kind,), text=token.text)


def _context(source: Source, hunk: Hunk, args: Sequence[str], way: int) -> Piece:
    kind = context_kind(neighbour(source, hunk.low, hunk.high, way))
    kinds = ("ended",) if way < 0 and kind in {"close", "operand", "keyword"} else (kind,)
    beside = beyond(source, hunk.low, hunk.high, way)
    for number, arg in enumerate(args):
        if beside is not None and arg == beside.text and shape_of(arg) != "operator":
            return Piece(kinds, arg=number)
    return Piece(kinds)


def _indented(source: Source, hunk: Hunk) -> tuple[Part, ...] | None:
    """Say the beginning of a line by that of the line before."""
    if hunk.sides[0] != "line" or hunk.low != hunk.high:
        return None
    line = source.line_of(hunk.end) - 1
    while line >= 0 and not source.text[source.line_starts[line] : source.line_end(line)].strip():
        line -= 1
    code = source.text[source.line_starts[line] : source.line_end(line)] if line >= 0 else ""
    indent = code[: len(code) - len(code.lstrip(" \t"))]
    if not hunk.new.startswith(indent):
        return None
    rest = hunk.new[len(indent) :]
    return (Hole("indent"), rest) if rest else (Hole("indent"),)
