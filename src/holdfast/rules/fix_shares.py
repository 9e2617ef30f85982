"""Split a fix into shares: the part that answers one diagnostic, with the imports it needs."""

from __future__ import annotations

import re
from itertools import filterfalse
from typing import TYPE_CHECKING

from holdfast.rules.import_block import import_lines
from holdfast.syntax.edits import Edit, edits_between, parts_of, with_edits
from holdfast.syntax.fixits import Lines
from holdfast.vocab.diagnostics import Area
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class FixShare:
    """A part of a fix: the text after it alone, and the diagnostics that it may answer."""

    after: str
    diagnostics: tuple[Diagnostic, ...]


def split_fix(
    before: str, after: str, diagnostics: Sequence[Diagnostic], language: str
) -> list[FixShare]:
    """Return the shares of a fix, each with the diagnostics nearest to it first."""
    imports: list[Edit] = []
    others: list[Edit] = []
    for edit in edits_between(before, after, language):
        is_import = bool(import_lines(edit, after, language))
        (imports if is_import else others).append(edit)

    groups = _groups(others, before, after, diagnostics, language)
    distances = [min(_distances(group, before, diagnostics), default=1) for group in groups]
    if any(distances):
        # Nothing says that a part of the fix is right without the others.
        groups = [others]

    named = set[str]().union(*(diagnostic.args for diagnostic in diagnostics))
    takes_all = len(groups) == 1 and named.isdisjoint(_new_words(imports, after))
    shares: list[FixShare] = []
    left = list(imports)
    for group in groups:
        words = set(_new_words(group, after))
        needed = imports
        if not takes_all:
            needed = [edit for edit in imports if words.intersection(_new_words([edit], after))]

        left = list(filterfalse(needed.__contains__, left))
        part = with_edits(before, after, [*needed, *group], language)
        shares.append(FixShare(part, _nearest(group, before, diagnostics)))

    for edit in left:
        part = with_edits(before, after, [edit], language)
        shares.append(FixShare(part, tuple(diagnostics)))

    return shares


def _new_words(edits: Sequence[Edit], after: str) -> list[str]:
    """Return the words that edits add."""
    texts = [after[edit.new_start : edit.new_end] for edit in edits]
    return re.findall(r"\w+", " ".join(texts))


def _groups(
    edits: Sequence[Edit],
    before: str,
    after: str,
    diagnostics: Sequence[Diagnostic],
    language: str,
) -> list[list[Edit]]:
    """Return the edits in groups: those of a line together, unless each has its diagnostic."""
    lines = Lines(before)
    groups: dict[tuple[int, ...], list[Edit]] = {}
    for edit in edits:
        parts = parts_of(edit, before, after, language)
        alone = all(_is_at_diagnostic(part, lines, diagnostics) for part in parts)
        line = lines.line_at(edit.start)
        if alone:
            groups.update({(line, part.start): [part] for part in parts})
        else:
            groups.setdefault((line,), []).append(edit)

    return list(groups.values())


def _is_at_diagnostic(edit: Edit, lines: Lines, diagnostics: Sequence[Diagnostic]) -> bool:
    areas = filter(None, (diagnostic.area for diagnostic in diagnostics))
    spans = filter(None, map(lines.span, areas))
    return any(edit.start <= start <= edit.end for start, _ in spans)


def _nearest(
    group: Sequence[Edit], before: str, diagnostics: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics, the nearest first; of those, the ones that name what changes."""
    removed = [before[edit.start : edit.end] for edit in group]
    words = set(re.findall(r"\w+", " ".join(removed)))
    others = [words.isdisjoint(diagnostic.args) for diagnostic in diagnostics]
    keys = list(zip(_distances(group, before, diagnostics), others, strict=True))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return tuple(diagnostics[number] for number in order)


def _distances(group: Sequence[Edit], before: str, diagnostics: Sequence[Diagnostic]) -> list[int]:
    """Return how many lines are between edits and each diagnostic."""
    lines = Lines(before)
    first, last = lines.line_at(group[0].start), lines.line_at(group[-1].end)
    found: list[int] = []
    for diagnostic in diagnostics:
        area = diagnostic.area or _NOWHERE
        found.append(max(first - area.end_line, area.line - last, 0))

    return found


_NOWHERE = Area(1 << 30, 1, 1 << 30, 1)
"""The place of a diagnostic that has none: far from all edits."""
