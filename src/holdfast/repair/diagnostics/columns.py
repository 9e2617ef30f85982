"""Columns: every tool counts its own way; here they become characters, for which the line itself is needed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from holdfast.vocab.diagnostics import Area

ColumnUnit: TypeAlias = Literal["characters", "bytes", "utf16", "tabs8"]
"""What a column counts: characters; bytes of UTF-8; UTF-16 units; or UTF-16 units with each tab up to the next of 8."""

_BREAK = re.compile(r"\r\n|\n|\r")
_LARGEST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SourceLines:
    """The texts that were checked, by the path the tool knows them by."""

    texts: Mapping[str, str] = field(default_factory=dict)
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def line(self, path: str, number: int) -> str | None:
        """Give a line, the first is 1; None if the file or the line is not known."""
        if path not in self.texts:
            return None
        if path not in self._lines:
            self._lines[path] = _BREAK.split(self.texts[path])
        lines = self._lines[path]
        return lines[number - 1] if 1 <= number <= len(lines) else None

    def column(self, path: str, line: int, column: int, unit: ColumnUnit) -> int:
        """Give a 1-based column in characters. Of a line that is not known, the column as it was told."""
        if unit == "characters" or (text := self.line(path, line)) is None:
            return column
        before = 1
        for count, character in enumerate(text):
            if before >= column:
                return count + 1
            before = _after(character, before, unit)
        # What is beyond the line's end stays as far beyond it.
        return len(text) + 1 + max(column - before, 0)

    def area(
        self, path: str, begin: tuple[object, object], end: tuple[object, object], unit: ColumnUnit
    ) -> Area | None:
        """Give the area from one line and column to another, both 1-based; None if that is no place.

        An end that is missing, or before the begin, is the begin.
        """
        first = self._place(path, begin, unit)
        if first is None:
            return None
        last = self._place(path, end, unit)
        return Area(*first, *(last if last is not None and last > first else first))

    def _place(
        self, path: str, place: tuple[object, object], unit: ColumnUnit
    ) -> tuple[int, int] | None:
        line, column = place
        # A bool is an int, and what says `true` for a line is nonsense.
        if type(line) is not int or type(column) is not int:
            return None
        if not (1 <= line <= _LARGEST and 1 <= column <= _LARGEST):
            return None
        return line, self.column(path, line, column, unit)


def _after(character: str, before: int, unit: ColumnUnit) -> int:
    number = ord(character)
    if unit == "bytes":
        # A byte that is not UTF-8 is a lone surrogate in our text (PEP 383), and one byte in the file.
        is_byte = 0xDC80 <= number <= 0xDCFF
        return before + (
            1 if is_byte else 1 + (number > 0x7F) + (number > 0x7FF) + (number > 0xFFFF)
        )
    if unit == "tabs8" and character == "\t":
        return before + 8 - (before - 1) % 8
    return before + (2 if number > 0xFFFF else 1)
