"""The indentation of new lines in the levels of the file.

A request whose old lines are the file's own does not show that its new lines have levels of another width, or none. The
file does: below a line that ends so it indents by four blanks, and the new text by two.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.projection.levels import FileLevels, is_closer, step_between
from holdfast.landing.text.edit_script import script_of
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.lines import Doc, solid_lines, split_lines
from holdfast.landing.text.shared_ends import shared_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.outcomes import Refused

_SEVERAL = 2
_SAMPLE = 30_000
"""Characters of the file that are looked at: the time does not grow with it."""
_BESIDE = 2_000
"""Characters above the change in which the line above it is."""


def in_file_levels(before: str, after: str, path: str | None) -> str | Refused:
    """Return the text after an edit with its new lines in the levels of the file, or the refusal of lines without any."""
    if path is None or kind_of(path) == "prose":
        return after
    head, tail = shared_ends(before, after)
    start = after.rfind("\n", 0, head) + 1
    newline = after.find("\n", len(after) - tail)
    stop = newline + 1
    if newline < 0:
        stop = len(after)
    lines, ends = split_lines(after[start:stop])
    if len(solid_lines(lines)) < _SEVERAL:
        return after

    old = split_lines(before[start : len(before) - (len(after) - stop)])[0]
    beside = split_lines(after[max(0, start - _BESIDE) : start])[0]
    levels = FileLevels(Doc(before[:_SAMPLE], language_of(path)))
    for edit in script_of(old, lines).edits:
        above = next(filter(str.strip, reversed([*beside, *lines[: edit.n1]])), "")
        run = lines[edit.n1 : edit.n2]
        flat = _flat_line(levels, solid_lines(run))
        if flat:
            return refusals.lost_indentation(flat)
        lines[edit.n1 : edit.n2] = levels.written(above, run)

    middle = "".join(line + end for line, end in zip(lines, ends, strict=True))
    return after[:start] + middle + after[stop:]


def _flat_line(levels: FileLevels, lines: Sequence[str]) -> str:
    """Return a line that is no deeper than the one above it, where the file always is, if no line is deeper; else ""."""
    flat = ""
    for above, line in pairwise(lines):
        if step_between(above, line):
            return ""
        if is_closer(line):
            continue
        if levels.always_steps(above):
            flat = line
    return flat.strip()
