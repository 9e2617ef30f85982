"""The marks of a diff before each line of both texts."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from holdfast.landing.ladder.reading import Unmangled
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import (
    Doc,
    solid_lines,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def without_diff_marks(doc: Doc, old: Sequence[str], new: Sequence[str]) -> Unmangled | None:
    """Return the reading without the marks of a diff before each line, or None.

    Only if the file has the old lines so, and not as they are; and no line that begins with `+`.
    """
    widths = _widths_of_marks(old, new)
    if not widths:
        return None
    text = _bare_text(doc.lines)
    if "\n+" in text:
        return None
    if _bare_text(old) in text:
        return None

    for width in widths:
        bare = [line[width:] for line in old]
        if _are_of_file(doc, bare, old):
            bare_new = _new_without_marks(bare, new, width)
            return Unmangled(text_of(bare), text_of(bare_new))

    return None


def _new_without_marks(bare: Sequence[str], new: Sequence[str], width: int) -> Sequence[str]:
    """Return the new lines without marks of this width, if they have any; `bare` are the old lines without theirs."""
    bare_new = [line[width:] for line in new]
    if "\n+" in _bare_text(new):
        return bare_new
    # What a diff shows with a blank before it is a line that stays: other lines have no marks.
    stays = set(map(str.rstrip, bare))
    if stays.issuperset(bare_new):
        return bare_new
    return new


def _are_of_file(doc: Doc, bare: Sequence[str], old: Sequence[str]) -> bool:
    """Return whether the file has these lines in a row, or most of them with their indentation and none of the old ones."""
    solid = solid_lines(bare)
    keys = list(map(key_of, solid))
    if doc.runs(keys):
        return True
    if any(map(doc.has_line, solid_lines(old))):
        return False

    known = list(filter(doc.has_line, solid))
    return 2 * len(known) > len(solid)


def _bare_text(lines: Sequence[str]) -> str:
    """Return the lines without trailing blanks, with a newline before each and behind the last."""
    return "\n" + text_of(map(str.rstrip, lines))


_DIFF_MARKS = (("  ", "--", "++"), ("  ", "- ", "+ "), (" ", "-", "+"))
"""What is before a line that stays, goes and comes: marks twice, with a blank behind them, and as they are."""


def _widths_of_marks(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """Return how many characters the marks of a diff before the lines may have; [] without marks."""
    old_lines, new_lines = solid_lines(old), solid_lines(new)
    widths: list[int] = []
    for stays, goes, comes in _DIFF_MARKS:
        beginning = itemgetter(slice(len(stays)))
        marks = set(map(beginning, old_lines))
        new_marks = set(map(beginning, new_lines))
        if not marks <= {stays, goes}:
            continue
        if not new_marks <= {stays, comes}:
            continue
        if not marks | new_marks <= {stays}:
            widths.append(len(stays))

    return widths
