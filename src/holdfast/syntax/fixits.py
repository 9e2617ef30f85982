"""The fixes that a compiler itself proposes, applied to a text."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.syntax.source import ParsedSource
from holdfast.syntax.tokens import line_starts
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt


@dataclass(frozen=True, slots=True)
class _Splice:
    start: int
    end: int
    text: str


class Lines:
    """The offsets where the lines of a text begin: compilers report lines and columns."""

    def __init__(self, text: str) -> None:
        """Find the line breaks."""
        self._size = len(text)
        self._starts = line_starts(text)
        # Compilers also report the first column of the line after the last one.
        self._bounds = [*self._starts, self._size, self._size]

    def span(self, area: Area) -> tuple[int, int] | None:
        """Return the offsets where an area begins and ends; None if it is not in the text."""
        start = self._offset(area.line, area.column)
        end = self._offset(area.end_line, area.end_column)
        if 0 <= start <= end:
            return start, end

        return None

    def line_at(self, offset: int) -> int:
        """Return the number of the line (1-based) of an offset."""
        return bisect_right(self._starts, offset)

    def _offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column, or -1 if the text has no such place."""
        if not 1 <= line < len(self._bounds):
            return -1

        start = self._bounds[line - 1]
        offset = start + column - 1
        if start <= offset < self._bounds[line] or offset == self._size:
            return offset

        return -1


def apply_fixits(
    text: str, path: str, diagnostics: Sequence[Diagnostic], *, guessed: bool
) -> str | None:
    """Return the text with the first fix-it of each error that overlaps no other; None without one.

    With `guessed`, fix-its that the compiler does not call safe are applied too.
    """
    lines = Lines(text)
    accepted: list[_Splice] = []
    for diagnostic in diagnostics:
        if diagnostic.severity != "error":
            continue
        for fixit in diagnostic.fixits:
            if not fixit.safe and not guessed:
                continue
            splices = _splices(fixit, path, diagnostic.path, lines)
            if not splices:
                continue
            if not _overlap([*accepted, *splices]):
                accepted += splices
                break

    newline = "\n"
    if "\r\n" in text:
        newline = "\r\n"

    fixed = _splice(text, accepted, newline)
    if fixed == text:
        return None

    return fixed


def drops_explained_code(before: str, after: str, language: str) -> bool:
    """Return whether a fix drops a comment together with the code that the comment explains.

    The comment may say why the code is there, which no compiler knows. A comment that is dropped
    alone is what the compiler complains about.
    """
    old, new = ParsedSource(before, language), ParsedSource(after, language)
    lost = Counter(_comment_texts(old)) - Counter(_comment_texts(new))
    if not lost:
        return False

    return len(new.tokens) < len(old.tokens)


def _comment_texts(source: ParsedSource) -> list[str]:
    return [node.text() for node in source.comments()]


def _splices(fixit: FixIt, path: str, diagnostic_path: str, lines: Lines) -> list[_Splice]:
    """Return the edits of a fix-it; none if one is for another file or not in the text."""
    splices: list[_Splice] = []
    for edit in fixit.edits:
        if edit.path not in {path, diagnostic_path, ""}:
            return []
        span = lines.span(edit.area)
        if span is None:
            return []
        splice = _Splice(*span, edit.text)
        if splice not in splices:
            splices.append(splice)

    return splices


def _overlap(splices: Iterable[_Splice]) -> bool:
    ordered = sorted(splices, key=lambda splice: (splice.start, splice.end))
    for one, other in pairwise(ordered):
        if one.end > other.start:
            return True
        if (one.start, one.end) == (other.start, other.end):
            return True

    return False


def _splice(text: str, splices: Iterable[_Splice], newline: str) -> str:
    for splice in sorted(splices, key=lambda splice: splice.start, reverse=True):
        new = splice.text.replace("\r\n", "\n").replace("\n", newline)
        text = text[: splice.start] + new + text[splice.end :]
    return text
