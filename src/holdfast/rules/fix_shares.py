"""Split a fix into shares: the part that answers one diagnostic, with the imports it needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.rules.import_block import import_lines
from holdfast.syntax.edits import Edit, edits_between, parts_of, with_edits
from holdfast.syntax.fixits import Lines
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
    edits = edits_between(before, after, language)
    imports: list[Edit] = []
    others: list[Edit] = []
    for edit in edits:
        if import_lines(edit, after, language):
            imports.append(edit)
        else:
            others.append(edit)

    groups = _groups(_finest(others, before, after, diagnostics, language), before, diagnostics)
    if not all(_has_diagnostic(group, before, diagnostics) for group in groups):
        # Nothing says that a part of the fix is right without the others.
        groups = [others]

    takes_all = len(groups) == 1 and not _names_import(diagnostics, imports, after)
    shares: list[FixShare] = []
    used: set[Edit] = set()
    for group in groups:
        needed = imports
        if not takes_all:
            needed = [edit for edit in imports if _is_needed(edit, group, after)]

        used.update(needed)
        part = with_edits(before, after, [*needed, *group], language)
        shares.append(FixShare(part, _nearest(group, before, diagnostics)))

    for edit in sorted(set(imports) - used, key=lambda edit: edit.start):
        part = with_edits(before, after, [edit], language)
        shares.append(FixShare(part, tuple(diagnostics)))

    return shares


def _names_import(diagnostics: Sequence[Diagnostic], imports: Sequence[Edit], after: str) -> bool:
    """Return whether a diagnostic is about a name that is imported."""
    named = set[str]().union(*(diagnostic.args for diagnostic in diagnostics))
    return not named.isdisjoint(_new_words(imports, after))


def _new_words(edits: Sequence[Edit], after: str) -> list[str]:
    """Return the words that edits add."""
    return re.findall(r"\w+", " ".join(after[edit.new_start : edit.new_end] for edit in edits))


def _finest(
    edits: Sequence[Edit],
    before: str,
    after: str,
    diagnostics: Sequence[Diagnostic],
    language: str,
) -> list[Edit]:
    """Return the edits, those with several diagnostics in parts if each part has its own."""
    found: list[Edit] = []
    for edit in edits:
        parts = parts_of(edit, before, after, language)
        single = all(_is_at_diagnostic(part, before, diagnostics) for part in parts)
        found += parts if single else [edit]

    return found


def _is_at_diagnostic(edit: Edit, before: str, diagnostics: Sequence[Diagnostic]) -> bool:
    areas = filter(None, (diagnostic.area for diagnostic in diagnostics))
    spans = filter(None, map(Lines(before).span, areas))
    return any(edit.start <= start <= edit.end for start, _ in spans)


def _groups(
    edits: Sequence[Edit], before: str, diagnostics: Sequence[Diagnostic]
) -> list[list[Edit]]:
    """Return the edits in groups: those of a line together, unless each has its diagnostic."""
    groups: list[list[Edit]] = []
    previous_alone = True
    for edit in edits:
        alone = _is_at_diagnostic(edit, before, diagnostics)
        same_line = bool(groups) and "\n" not in before[groups[-1][-1].end : edit.start]
        if same_line and not (alone and previous_alone):
            groups[-1].append(edit)
        else:
            groups.append([edit])

        previous_alone = alone

    return groups


def _is_needed(edit: Edit, group: Sequence[Edit], after: str) -> bool:
    """Return whether new code uses a name of an import."""
    return not set(_new_words([edit], after)).isdisjoint(_new_words(group, after))


def _has_diagnostic(group: Sequence[Edit], before: str, diagnostics: Sequence[Diagnostic]) -> bool:
    return any(_distance(group, before, diagnostic) == 0 for diagnostic in diagnostics)


def _nearest(
    group: Sequence[Edit], before: str, diagnostics: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics, the nearest first; of those, the ones that name what changes."""
    words = set(re.findall(r"\w+", "".join(before[edit.start : edit.end] for edit in group)))

    def key(diagnostic: Diagnostic) -> tuple[int, bool]:
        return _distance(group, before, diagnostic), words.isdisjoint(diagnostic.args)

    return tuple(sorted(diagnostics, key=key))


def _distance(group: Sequence[Edit], before: str, diagnostic: Diagnostic) -> int:
    """Return how many lines are between an edit and a diagnostic."""
    if diagnostic.area is None:
        return len(before)

    lines = Lines(before)
    first, last = lines.line_at(group[0].start), lines.line_at(group[-1].end)
    return max(first - diagnostic.area.end_line, diagnostic.area.line - last, 0)
