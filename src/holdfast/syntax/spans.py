"""Positions in a text: the end of a match, the span of the next one, the end of a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re


def skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Return the end of the match of `pattern` at `at`; without a match, `at`."""
    found = pattern.match(text, at)
    if found is None:
        return at
    return found.end()


def next_span(pattern: re.Pattern[str], text: str, at: int) -> tuple[int, int]:
    """Return the span of the first match from `at` on; without one, the empty span at the end."""
    found = pattern.search(text, at)
    if found is None:
        return len(text), len(text)
    return found.span()


def find_or_end(text: str, part: str, at: int) -> int:
    """Return the position of the first `part` from `at` on; without one, the end of the text."""
    found = text.find(part, at)
    if found < 0:
        return len(text)
    return found
