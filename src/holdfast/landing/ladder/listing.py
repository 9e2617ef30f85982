"""The numbers that a listing puts before each line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing.ladder.reading import Unmangled
from holdfast.landing.text.lines import (
    Doc,
    contents_of,
    is_blank,
    text_of,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

_NUMBERED = lazy_pattern(r"[ \t]*(?:L|line )?(\d+)( ?[|│:→]|\t|\. )")


_BARE_NUMBER = lazy_pattern(r"[ \t]*(?:L|line )?\d+ ?[|│:→]?[ \t]*")


def out_of_listing(doc: Doc, reading: Unmangled) -> Unmangled | None:
    """Without the line numbers a listing puts before each line; they must count up by one."""
    lines = contents_of(reading.old)
    listing = listing_of(lines)
    if listing is None:
        return None

    style = _ListingStyle(
        marks=frozenset(number[2] for number in listing.numbers),
        gap=0,
        has_blanks=len(listing.numbers) < len(lines),
    )
    bare = set(map(str.rstrip, map(style.strip_number, lines)))
    if all(map(_has_gap, listing.numbers)) and not doc.bare_lines.issuperset(bare):
        style = replace(style, gap=1)
    old = text_of(map(style.strip_number, lines))
    new = text_of(map(style.strip_number, contents_of(reading.new)))
    return Unmangled(old, new, listing.start - 1)


@dataclass(frozen=True, slots=True)
class _Listing:
    """The number before each line that is not blank, and what that of the first line is."""

    numbers: list[re.Match[str]]
    start: int


def listing_of(lines: Sequence[str]) -> _Listing | None:
    """Return the numbers before the lines, if they count up by one."""
    numbers: list[re.Match[str]] = []
    starts: set[int] = set()
    for n, line in enumerate(lines):
        number = _NUMBERED.match(line)
        if number is not None:
            numbers.append(number)
            starts.add(int(number[1]) - n)
        elif not is_blank(line):
            return None

    if len(starts) != 1:
        return None
    return _Listing(numbers, starts.pop())


def is_numbered(line: str) -> bool:
    """Return whether the line begins as one of a listing."""
    return _NUMBERED.match(line) is not None


def without_numbers_from(start: int, text: str) -> str | None:
    """Return the text without the line numbers of a listing that begins with line `start`, or None."""
    reading = out_of_listing(Doc(""), Unmangled(text, text))
    if reading is None:
        return None
    if reading.near != start - 1:
        return None
    return reading.new


def ends_in_numbered_blank(text: str) -> bool:
    """Return whether the text is a listing whose last line is blank."""
    lines = contents_of(text)
    if listing_of(lines) is None:
        return False
    return _BARE_NUMBER.fullmatch(lines[-1]) is not None


@dataclass(frozen=True, slots=True)
class _ListingStyle:
    """How a listing writes its numbers."""

    marks: frozenset[str]
    """What is between the number and the line: `1. x` in the file is no line of a listing with bars."""
    gap: int
    """Blanks behind the mark that are not the file's."""
    has_blanks: bool
    """Blank lines have no mark behind their number, or no number."""

    def strip_number(self, line: str) -> str:
        found = _NUMBERED.match(line)
        if found and found[2] in self.marks:
            return line[found.end() + self.gap :]

        is_bare = _BARE_NUMBER.fullmatch(line) is not None
        if is_bare and self.has_blanks:
            return ""
        return line


def _has_gap(number: re.Match[str]) -> bool:
    """Return whether a blank that is not the file's may follow: listings put one behind a mark, not behind a tab."""
    if number[2] == "\t":
        return False
    behind = number.string[number.end() : number.end() + 1]
    return behind in {"", " "}
