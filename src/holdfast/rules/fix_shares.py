"""Split a fix into shares: the part that answers one diagnostic, with the imports it needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.rules.import_block import is_import
from holdfast.syntax.edits import Edit, edits_between
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
    imports = [edit for edit in edits if _is_import(edit, after, language)]
    groups = _groups([edit for edit in edits if edit not in imports], before)
    shares: list[FixShare] = []
    for group in groups:
        needed = [edit for edit in imports if _is_needed(edit, group, after)]
        part = _applied(before, after, [*needed, *group])
        shares.append(FixShare(part, _nearest(group, before, diagnostics)))
    used = [edit for edit in imports if any(_is_needed(edit, each, after) for each in groups)]
    unused = [edit for edit in imports if edit not in used]
    shares += [FixShare(_applied(before, after, [edit]), tuple(diagnostics)) for edit in unused]
    return shares


def _is_import(edit: Edit, after: str, language: str) -> bool:
    lines = [line for line in after[edit.new_start : edit.new_end].split("\n") if line.strip()]
    added = edit.start == edit.end and bool(lines)
    return added and all(is_import(line, language) for line in lines)


def _groups(edits: Sequence[Edit], before: str) -> list[list[Edit]]:
    """Return the edits in groups; edits of the same line belong together."""
    groups: list[list[Edit]] = []
    for edit in edits:
        if groups and "\n" not in before[groups[-1][-1].end : edit.start]:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups


def _is_needed(edit: Edit, group: Sequence[Edit], after: str) -> bool:
    """Return whether new code uses a name of an import."""
    names = set(re.findall(r"\w+", after[edit.new_start : edit.new_end]))
    for each in group:
        words = re.findall(r"\w+", after[each.new_start : each.new_end])
        if names.intersection(words):
            return True
    return False


def _applied(before: str, after: str, edits: Sequence[Edit]) -> str:
    text = before
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        start, end = edit.start, edit.end
        new = after[edit.new_start : edit.new_end]
        if start == end:
            new = _with_blanks(new, after, edit, before)
        text = text[:start] + new + text[end:]
    return text


def _with_blanks(new: str, after: str, edit: Edit, before: str) -> str:
    """Return inserted text with the blanks that follow it, or that are before it at an end."""
    rest = after[edit.new_end :]
    following = rest[: len(rest) - len(rest.lstrip())]
    if before[edit.start :].strip() or not before:
        return new + following
    head = after[: edit.new_start]
    return head[len(head.rstrip()) :] + new


def _nearest(
    group: Sequence[Edit], before: str, diagnostics: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    lines = Lines(before)
    first, last = lines.line_at(group[0].start), lines.line_at(group[-1].end)

    def distance(diagnostic: Diagnostic) -> int:
        if diagnostic.area is None:
            return len(before)
        line = diagnostic.area.line
        return max(first - line, line - last, 0)

    return tuple(sorted(diagnostics, key=distance))
