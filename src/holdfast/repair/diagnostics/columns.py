"""Columns: each tool counts in its own unit; `SourceLines` converts them to characters."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from holdfast.vocab.diagnostics import Area
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

ColumnUnit: TypeAlias = Literal["characters", "bytes", "utf16", "tabs8"]
"""The unit of a column: characters, bytes of UTF-8, or UTF-16 units.

`tabs8` is UTF-16 units where a tab reaches to the next multiple of 8.
"""

_BREAK = lazy_pattern(r"\r\n|\n|\r")
_LARGEST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SourceLines:
    """The checked texts, by the path that the tool uses for them."""

    texts: Mapping[str, str] = field(default_factory=dict)
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def line(self, path: str, number: int) -> str | None:
        """Return a line by its 1-based number; None if the file or the line is unknown."""
        if path not in self.texts:
            return None

        if path not in self._lines:
            self._lines[path] = _BREAK.split(self.texts[path])

        lines = self._lines[path]
        if not 1 <= number <= len(lines):
            return None

        return lines[number - 1]

    def column(self, path: str, line: int, column: int, unit: ColumnUnit) -> int:
        """Return a 1-based column in characters; unchanged if the line is unknown."""
        if unit == "characters":
            return column

        text = self.line(path, line)
        if text is None:
            return column

        at = 1
        for count, character in enumerate(text):
            if at >= column:
                return count + 1
            at = _next_column(character, at, unit)

        # A column beyond the end of the line stays as far beyond it.
        return len(text) + 1 + max(column - at, 0)

    def area(
        self, path: str, begin: tuple[object, object], end: tuple[object, object], unit: ColumnUnit
    ) -> Area | None:
        """Return the area between two 1-based places (line, column); None if `begin` is invalid.

        An end that is missing, or before the begin, is the begin.
        """
        first = self._place(path, begin, unit)
        if first is None:
            return None

        last = self._place(path, end, unit)
        if last is None or last < first:
            last = first

        return Area(*first, *last)

    def _place(
        self, path: str, place: tuple[object, object], unit: ColumnUnit
    ) -> tuple[int, int] | None:
        line, column = place
        # A bool is an int, and `true` is no line number.
        if type(line) is not int or type(column) is not int:
            return None
        if not 1 <= line <= _LARGEST:
            return None
        if not 1 <= column <= _LARGEST:
            return None

        return line, self.column(path, line, column, unit)


NO_SOURCES: Final = SourceLines()


def _next_column(character: str, at: int, unit: ColumnUnit) -> int:
    """Return the column after a character that is at column `at`."""
    if unit == "bytes":
        return at + _byte_width(character)
    if unit == "tabs8" and character == "\t":
        return at + 8 - (at - 1) % 8
    if ord(character) > 0xFFFF:
        return at + 2

    return at + 1


def _byte_width(character: str) -> int:
    """Return how many bytes a character has in the file."""
    number = ord(character)
    # A byte that is not UTF-8 is a lone surrogate in our text (PEP 383), and one byte in the file.
    if 0xDC80 <= number <= 0xDCFF:
        return 1
    return 1 + (number > 0x7F) + (number > 0x7FF) + (number > 0xFFFF)
