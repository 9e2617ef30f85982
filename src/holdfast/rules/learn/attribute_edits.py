"""Attribution of the edits of a fix to diagnostics.

A model fixes all errors of a file at once, and a rule answers one of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.rules.fix_hunks import FixHunk, NewLines, hunks_between
from holdfast.rules.match.import_block import is_import
from holdfast.rules.match.template_parts import tail_of
from holdfast.syntax.source import ParsedSource
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.diagnostics import Diagnostic, Target


@dataclass(frozen=True, slots=True)
class AttributedEdit:
    """A diagnostic, and the text with only the edits that answer it."""

    diagnostic: Diagnostic
    after: str


def attribute_edits(
    before: str, after: str, diagnostics: Sequence[Diagnostic], target: Target
) -> list[AttributedEdit]:
    """Return the edits of a fix that belong to each diagnostic.

    An edit at the line of diagnostics of one tool belongs to the nearest of them. A new import
    belongs to the diagnostics that name what it imports. All other edits belong to every
    diagnostic. A diagnostic is left out if no edit is at its place or contains its names.
    """
    path = diagnostics[0].path if diagnostics else ""
    source = ParsedSource(before, target, path)
    differing = hunks_between(source, ParsedSource(after, target, path)) or []
    edits = _single(differing, target)
    if len(edits) < 2 or _apply_edits(source, differing) != after:
        return [AttributedEdit(each, after) for each in diagnostics]
    found = []
    for diagnostic in diagnostics:
        rivals = [
            each for each in diagnostics if each.tool == diagnostic.tool and each.area is not None
        ]
        mine = [edit for edit in edits if _belongs(edit, diagnostic, rivals, source)]
        if mine:
            found.append(
                AttributedEdit(
                    diagnostic, after if len(mine) == len(edits) else _apply_edits(source, mine)
                )
            )
    return found


def _apply_edits(source: ParsedSource, edits: Sequence[FixHunk | NewLines]) -> str:
    """Return the text with these edits applied."""
    spans = sorted(
        ((*_span(edit, source), _text(edit)) for edit in edits), key=lambda span: span[:2]
    )
    parts, done = [], 0
    for start, end, new in spans:
        parts += [source.text[done:start], new]
        done = max(done, end)
    return "".join([*parts, source.text[done:]])


def _single(edits: Sequence[FixHunk | NewLines], target: Target) -> list[FixHunk | NewLines]:
    """Split several imports added together into single ones.

    Each has the blank lines below them, because it may be the only one.
    """
    cut: list[FixHunk | NewLines] = []
    for edit in edits:
        lines = edit.text.splitlines(keepends=True) if isinstance(edit, NewLines) else []
        brought = [line for line in lines if line.strip()]
        if (
            isinstance(edit, NewLines)
            and len(brought) > 1
            and all(is_import(line, target) for line in brought)
        ):
            blank = "".join(line for line in lines if not line.strip())
            cut += [NewLines(edit.line, line + blank) for line in brought]
        else:
            cut.append(edit)
    return cut


def _belongs(
    edit: FixHunk | NewLines,
    diagnostic: Diagnostic,
    rivals: Sequence[Diagnostic],
    source: ParsedSource,
) -> bool:
    if isinstance(edit, NewLines) and is_import(edit.text.lstrip(), source.language):
        naming = [each for each in rivals if _names(edit.text, each)]
        return diagnostic in naming or not naming
    away = {number: _distance(edit, each, source) for number, each in enumerate(rivals)}
    near = {number: distance for number, distance in away.items() if distance is not None}
    if not near:
        return True
    nearest = min(near.values())
    return any(
        rivals[number] == diagnostic for number, distance in near.items() if distance == nearest
    )


def _names(text: str, diagnostic: Diagnostic) -> bool:
    words = set(re.findall(r"\w+", text))
    return any(arg in words or tail_of(arg) in words for arg in diagnostic.args)


def _distance(edit: FixHunk | NewLines, diagnostic: Diagnostic, source: ParsedSource) -> int | None:
    """Return how far an edit is from a diagnostic on one of its lines; None if on none of them."""
    offset, far = source.place_of(diagnostic), source.end_of(diagnostic)
    if offset is None:
        return None
    far = offset if far is None else max(offset, far)
    start, end = _span(edit, source)
    if source.line_of(end) < source.line_of(offset) or source.line_of(start) > source.line_of(far):
        return None
    return max(0, start - far, offset - end)


def _span(edit: FixHunk | NewLines, source: ParsedSource) -> tuple[int, int]:
    if isinstance(edit, FixHunk):
        return edit.start, edit.end
    starts = source.line_starts
    at = starts[edit.line] if edit.line < len(starts) else len(source.text)
    return at, at


def _text(edit: FixHunk | NewLines) -> str:
    return edit.new if isinstance(edit, FixHunk) else edit.text
