"""The fixes that a compiler itself proposes, applied to a text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt


@dataclass(frozen=True, slots=True)
class _Splice:
    start: int
    end: int
    text: str


class Lines:
    """Where the lines of a text begin: a compiler speaks of lines and columns, a text of places."""

    def __init__(self, text: str) -> None:
        """Count the lines."""
        self._size = len(text)
        # Not str.splitlines: no compiler ends a line at a form feed.
        self._starts = [0, *(at + 1 for at, mark in enumerate(text) if mark == "\n")]

    def span(self, area: Area) -> tuple[int, int] | None:
        """Give start and end; None if the area is not in the text."""
        start, end = (
            self._place(area.line, area.column),
            self._place(area.end_line, area.end_column),
        )
        return None if start is None or end is None or end < start else (start, end)

    def line_at(self, place: int) -> int:
        """Give the number of the line, from 1, on which a place is."""
        return bisect_right(self._starts, place)

    def _place(self, line: int, column: int) -> int | None:
        if line == len(self._starts) + 1 and column == 1:
            return self._size
        if not 1 <= line <= len(self._starts) or column < 1:
            return None
        place = self._starts[line - 1] + column - 1
        following = self._starts[line] if line < len(self._starts) else self._size + 1
        return place if place < following or place == self._size else None


def apply_fixits(
    text: str, path: str, diagnostics: Sequence[Diagnostic], *, guessed: bool
) -> str | None:
    """Give the text with the first fix-it of each error that does not touch another's; None if there is none.

    `guessed` takes those too that the compiler does not call safe.
    """
    lines = Lines(text)
    taken: list[_Splice] = []
    for diagnostic in diagnostics:
        for fixit in _usable(diagnostic, guessed=guessed):
            splices = _splices(fixit, path, diagnostic.path, lines)
            if splices and not _touch([*taken, *splices]):
                taken += splices
                break
    fixed = _splice(text, taken, "\r\n" if "\r\n" in text else "\n")
    return fixed if fixed != text else None


def deleted_by_fixits(
    text: str, path: str, diagnostics: Sequence[Diagnostic]
) -> list[tuple[str, str]]:
    """Give the old and new texts of every place that the compiler itself would change."""
    lines = Lines(text)
    return [
        (text[splice.start : splice.end], splice.text)
        for diagnostic in diagnostics
        for fixit in _usable(diagnostic, guessed=True)[:1]
        for splice in _splices(fixit, path, diagnostic.path, lines)
    ]


def _usable(diagnostic: Diagnostic, *, guessed: bool) -> tuple[FixIt, ...]:
    if diagnostic.severity != "error":
        return ()
    return tuple(fixit for fixit in diagnostic.fixits if fixit.safe or guessed)


def _splices(fixit: FixIt, path: str, said: str, lines: Lines) -> list[_Splice]:
    """Give the edits as splices; none at all if one is for another file, or not in the text."""
    splices: list[_Splice] = []
    for edit in fixit.edits:
        span = lines.span(edit.area)
        if edit.path not in {path, said, ""} or span is None:
            return []
        splice = _Splice(*span, edit.text)
        if splice not in splices:
            splices.append(splice)
    return splices


def _touch(splices: Iterable[_Splice]) -> bool:
    ordered = sorted(splices, key=lambda splice: (splice.start, splice.end))
    return any(
        one.end > other.start or (one.start, one.end) == (other.start, other.end)
        for one, other in pairwise(ordered)
    )


def _splice(text: str, splices: Iterable[_Splice], newline: str) -> str:
    for splice in sorted(splices, key=lambda one: one.start, reverse=True):
        new = splice.text.replace("\r\n", "\n").replace("\n", newline)
        text = text[: splice.start] + new + text[splice.end :]
    return text
