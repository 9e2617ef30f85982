"""The quoted parts of a text: code fences, inline code, block quotes. Calls there are examples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.syntax.spans import find_or_end
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTE: Final = r"``*|~~~|\n {0,3}>"
"""Where a quoted part may begin. Each alternative begins with a literal, so the search is fast."""

FENCE: Final = lazy_pattern(r" {0,3}(?P<run>`{3,}|~{3,})(?P<label>[^\n`]*)\n")
"""The line that opens a fence."""
OPEN_FENCE: Final = lazy_pattern(r" {0,3}(?:`{1,2}|~{1,2}|(?:`{3,}|~{3,})[^\n`]*)\Z")
"""The end of a text that may go on as such a line."""

_QUOTE = lazy_pattern(QUOTE)
_CLOSERS: Final = {
    "`": lazy_pattern(r"^ {0,3}(`{3,})[ \t\r]*$", re.MULTILINE),
    "~": lazy_pattern(r"^ {0,3}(~{3,})[ \t\r]*$", re.MULTILINE),
}
_INDENT = lazy_pattern(r"^ {0,3}\Z", re.MULTILINE)
_RUN = lazy_pattern(r"`+|~+")
_WINDOW: Final = 1000
"""The longest inline code. Bounds the search for the closing twin of a lone backtick."""


def skip_quote(text: str, at: int) -> int:
    """Return the end of the quoted part that begins at `at`, a match of `QUOTE`.

    A fence that is never closed extends to the end of the text.
    """
    run = _RUN.match(text, at)
    if run is None:
        return find_or_end(text, "\n", at + 1)
    if _opens_fence(text, run):
        return _end_of_fence(text, run)
    if text[at] == "`":
        return _end_of_inline(text, run)

    return run.end()


def fence_closer(run: str) -> re.Pattern[str]:
    """Return the pattern of a line that closes the fence which `run` opens."""
    return re.compile(rf" {{0,3}}{run[0]}{{{len(run)},}}[ \t\r]*")


def unquoted_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each part of the text that is not quoted, in order."""
    at = start_of_text(text)
    while (opening := _QUOTE.search(text, at)) is not None:
        yield at, opening.start()
        at = skip_quote(text, opening.start())
    yield at, len(text)


def fences(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each code fence, in order. A fence may be open at the end."""
    at = start_of_text(text)
    while (opening := _QUOTE.search(text, at)) is not None:
        at = skip_quote(text, opening.start())
        run = _RUN.match(text, opening.start())
        if run is not None and _opens_fence(text, run):
            yield run.start(), at


def start_of_text(text: str) -> int:
    """Return the end of a block quote in the first line, else 0.

    `QUOTE` finds other block quotes by the line break before them; the first line has none.
    """
    if text[:4].lstrip(" ").startswith(">"):
        return find_or_end(text, "\n", 0)
    return 0


def _opens_fence(text: str, run: re.Match[str]) -> bool:
    if len(run.group()) < 3:
        return False
    if not _INDENT.search(text, max(0, run.start() - 3), run.start()):
        return False
    info = text[run.end() : find_or_end(text, "\n", run.end())]
    return "`" not in info


def _end_of_fence(text: str, run: re.Match[str]) -> int:
    first_line_end = find_or_end(text, "\n", run.end())
    closers = _CLOSERS[run.group()[0]]
    for closing in closers.finditer(text, first_line_end):
        if len(closing.group(1)) >= len(run.group()):
            return closing.end()
    return len(text)


def _end_of_inline(text: str, ticks: re.Match[str]) -> int:
    stop = min(len(text), ticks.end() + _WINDOW)
    blank_line = text.find("\n\n", ticks.end(), stop)
    if blank_line >= 0:
        stop = blank_line

    for closing in _RUN.finditer(text, ticks.end(), stop):
        if closing.group() == ticks.group():
            return closing.end()

    return ticks.end()
