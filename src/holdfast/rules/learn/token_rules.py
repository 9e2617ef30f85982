"""Edits of tokens, for texts that do not parse.

Examples are a missing colon, bracket or semicolon, `print x`, and a wrong indentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.rules.fix_hunks import FixHunk, NewLines, apply_hunks, hunks_between, of_tokens
from holdfast.rules.match.template_parts import parts_of
from holdfast.rules.match.token_anchors import AnchorArea, anchors_of, ends_block
from holdfast.rules.match.token_match import (
    CONTEXTS,
    area_of,
    beyond,
    context_kind,
    neighbour,
    qualities_of,
)
from holdfast.rules.rule import Hole, PatternPiece, RulePattern, TextPart, TokenEdit
from holdfast.syntax.quote_tokens import is_quote, is_wordy
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.tokens import COMMON, Token, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.vocab.diagnostics import Diagnostic

_VARY = frozenset({"name", "number", "string"})


def token_fixes(
    source: ParsedSource,
    differing: Sequence[FixHunk | NewLines],
    diagnostic: Diagnostic,
    *,
    marks: bool,
) -> Iterator[tuple[RulePattern, tuple[TokenEdit, ...]]]:
    """Yield the fix as edits of tokens and as edits of marks, the smaller one first."""
    by_tokens = of_tokens(source, differing)
    variants = [(RulePattern("tokens"), source, by_tokens)]
    cut_up = ParsedSource(source.text, source.language, diagnostic.path, marks=True)
    after = ParsedSource(
        apply_hunks(source, differing), source.language, diagnostic.path, marks=True
    )
    if marks and (by_marks := hunks_between(cut_up, after)) is not None:
        variants.append((RulePattern("marks"), cut_up, of_tokens(cut_up, by_marks)))
    variants.sort(
        key=lambda variant: sum(hunk.end - hunk.start + len(hunk.new) for hunk in variant[2])
    )
    for pattern, seen, hunks in variants:
        if (area := area_of(seen, diagnostic)) is not None and (
            edits := _edits(seen, hunks, diagnostic.args, area)
        ):
            yield pattern, edits


def _edits(
    source: ParsedSource, hunks: Sequence[FixHunk], args: Sequence[str], area: AnchorArea
) -> tuple[TokenEdit, ...] | None:
    """Return an edit for each hunk; None if one is not tied to the position of the diagnostic."""
    made = []
    for hunk in hunks:
        anchors = anchors_of(source, area, hunk)
        if not anchors:
            return None
        removed = source.tokens[hunk.low : hunk.high]
        texts = {number: token.text for number, token in enumerate(removed) if token.kind in _VARY}
        texts = {number: text for number, text in texts.items() if text not in args}
        parts = _indented(source, hunk) or parts_of(hunk.new, source.language, args, texts)
        taken = {part.number for part in parts if isinstance(part, Hole) and part.of == "piece"}
        pieces = tuple(
            _removed_piece(token, hunk, args, is_used=number in taken)
            for number, token in enumerate(removed)
        )
        before, after = _context(source, hunk, args, -1), _context(source, hunk, args, 1)
        made.append(TokenEdit(anchors, pieces, parts, before, after, hunk.sides))
    # The end of the file alone is no tie to the diagnostic.
    return (
        tuple(made)
        if any(not anchor.startswith("file_end") for edit in made for anchor in edit.anchors)
        else None
    )


def _removed_piece(
    token: Token, hunk: FixHunk, args: Sequence[str], *, is_used: bool
) -> PatternPiece:
    """Return the piece for a removed token: a variable if the new text uses it again.

    What is only deleted must be this very text, for another may be worth more; but one common type
    may be replaced like another.
    """
    for number, arg in enumerate(args):
        if arg == token.text:
            return PatternPiece((token.kind,), arg=number)
    if is_used:
        return PatternPiece((token.kind,))
    if token.kind == "name" and token.text in COMMON and not hunk.new.strip() and not hunk.lines:
        return PatternPiece(("common",))
    return PatternPiece((token.kind,), text=token.text)


def _context(
    source: ParsedSource, hunk: FixHunk, args: Sequence[str], direction: int
) -> PatternPiece:
    beside = beyond(source, hunk.low, hunk.high, direction)
    kinds = (_kind_before(source, hunk) if direction < 0 else _kind_after(source, hunk),)
    if (
        direction > 0
        and beside is not None
        and (_is_new_line(hunk) or _goes_as_bracket(source, hunk))
    ):
        # What a line is inserted before shows what that line is for, and `;` that the brackets
        # before it should have ended.
        return PatternPiece(
            kinds, text=beside.text if beside.kind in {"keyword", "operator"} else None
        )
    if direction < 0 and _goes_as_word(source, hunk) and kinds == ("awaits",):
        # In another place the rest may be what is too much: `x = return y`.
        return PatternPiece(
            kinds, text=beside.text if beside is not None and beside.kind == "operator" else None
        )
    for number, arg in enumerate(args):
        if beside is not None and arg == beside.text and shape_of(arg) != "operator":
            return PatternPiece(kinds, arg=number)
    return PatternPiece(kinds)


def _is_new_line(hunk: FixHunk) -> bool:
    return hunk.sides == ("line", "line") and hunk.low == hunk.high


def _goes_as_bracket(source: ParsedSource, hunk: FixHunk) -> bool:
    removed = source.tokens[hunk.low : hunk.high]
    return (
        bool(removed)
        and not hunk.lines
        and not hunk.new.strip()
        and all(token.kind == "close" for token in removed)
    )


def _goes_as_word(source: ParsedSource, hunk: FixHunk) -> bool:
    """Return whether one keyword is removed: `new Job()`, `lambda x: return x`."""
    removed = source.tokens[hunk.low : hunk.high]
    return len(removed) == 1 and removed[0].kind == "keyword" and not hunk.new.strip()


def _kind_before(source: ParsedSource, hunk: FixHunk) -> str:
    kind = context_kind(neighbour(source, hunk.low, hunk.high, -1))
    if hunk.low == hunk.high:
        return "ended" if kind in CONTEXTS["ended"] else kind
    first = source.tokens[hunk.low]
    if _goes_as_bracket(source, hunk):
        return kind
    if is_quote(first) and not _opens(source, hunk.low):
        return "any"
    if (first.kind in _VARY or is_quote(first) or _goes_as_word(source, hunk)) and kind in CONTEXTS[
        "awaits"
    ]:
        return "awaits"
    return "ended" + _qualities(source, hunk, -1) if kind in CONTEXTS["ended"] else kind


def _kind_after(source: ParsedSource, hunk: FixHunk) -> str:
    kind = context_kind(neighbour(source, hunk.low, hunk.high, 1))
    if _is_suffix(source, hunk) and kind in CONTEXTS["follows"]:
        return "follows"
    if hunk.low == hunk.high or _goes_as_bracket(source, hunk):
        return kind
    last = source.tokens[hunk.high - 1]
    if is_quote(last) and _opens(source, hunk.high - 1):
        return "any"
    if last.kind in _VARY | {"close"} or is_quote(last):
        return "follows" if kind in CONTEXTS["follows"] else kind
    joins = hunk.new.strip() or _goes_as_word(source, hunk)
    return "begins" + _qualities(source, hunk, 1) if joins and kind in CONTEXTS["begins"] else kind


def _is_suffix(source: ParsedSource, hunk: FixHunk) -> bool:
    """Return whether letters are added to the end of a word or number, before the same token."""
    return (
        hunk.start == hunk.end
        and is_wordy(source.text[hunk.start - 1 : hunk.start])
        and is_wordy(hunk.new[:1])
    )


def _qualities(source: ParsedSource, hunk: FixHunk, direction: int) -> str:
    """Return more about what is beside an operator that is replaced: `a -> b` is not `a->b`.

    Nor is `# a` the same as `#a`, or a comma between a type and a variable (`except Error, e`) the
    same as one between two types.
    """
    removed = source.tokens[hunk.low : hunk.high]
    if not hunk.new.strip() or any(token.kind != "operator" for token in removed):
        return ""
    qualities = qualities_of(source, (hunk.low, hunk.high), direction)
    cases = {
        each & {"large", "small"}
        for each in (qualities, qualities_of(source, (hunk.low, hunk.high), -direction))
    }
    if cases != {frozenset({"large"}), frozenset({"small"})}:
        qualities -= {"large", "small"}
    return "".join(f" {quality}" for quality in sorted(qualities))


def _opens(source: ParsedSource, number: int) -> bool:
    """Return whether a quote opens a string, as far as its line shows."""
    quote = source.tokens[number]
    if quote.text in "“”‘’«»":
        return quote.text in "“‘«"
    line = source.line_starts[source.line_of(quote.start)]
    return source.text.count(quote.text, line, quote.start) % 2 == 0


def _indented(source: ParsedSource, hunk: FixHunk) -> tuple[TextPart, ...] | None:
    """Return the start of a line as the indentation of the line before it."""
    if hunk.sides[0] != "line" or hunk.low != hunk.high:
        return None
    line = source.line_of(hunk.end) - 1
    while line >= 0 and not source.text[source.line_starts[line] : source.line_end(line)].strip():
        line -= 1
    code = source.text[source.line_starts[line] : source.line_end(line)] if line >= 0 else ""
    indent = code[: len(code) - len(code.lstrip(" \t"))]
    if ends_block(hunk) and hunk.low < len(source.tokens):
        # A block ends where the line after it begins.
        return Hole("indent", 1), hunk.new.lstrip(" \t")
    if not hunk.new.startswith(indent):
        return None
    rest = hunk.new[len(indent) :]
    return (Hole("indent"), rest) if rest else (Hole("indent"),)
