"""The parts of a text that are quoted: code fences, inline code, block quotes. What stands there is shown, not done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

QUOTE: Final = r"``*|~~~|\n {0,3}>"
"""Where something quoted may begin. Each alternative begins with one letter, so that the search for it is fast."""

_QUOTE = re.compile(QUOTE)
_CLOSERS: Final = {
    "`": re.compile(r"^ {0,3}(`{3,})[ \t\r]*$", re.MULTILINE),
    "~": re.compile(r"^ {0,3}(~{3,})[ \t\r]*$", re.MULTILINE),
}
_RUN = re.compile(r"`+|~+")
_WINDOW: Final = 1000
"""Inline code is shorter than this: a lone backtick must not make the search for its twin long."""


def skip_quote(text: str, at: int) -> int:
    """Give the end of what begins at `at`, a place of `QUOTE`. A fence that is never closed goes to the end."""
    run = _RUN.match(text, at)
    if run is None:
        return _end_of_line(text, at + 1)
    length = len(run.group())
    if (
        length >= 3
        and _begins_line(text, at)
        and "`" not in text[run.end() : _end_of_line(text, run.end())]
    ):
        return _end_of_fence(text, run)
    return _end_of_inline(text, run) if text[at] == "`" else run.end()


def unquoted_spans(text: str) -> Iterator[tuple[int, int]]:
    """Give the parts of the text that are not quoted, in order."""
    at = start_of_text(text)
    while (opening := _QUOTE.search(text, at)) is not None:
        yield at, opening.start()
        at = skip_quote(text, opening.start())
    yield at, len(text)


def start_of_text(text: str) -> int:
    """Give the end of a block quote in the first line, else 0: `QUOTE` finds the others by the line end before them."""
    return _end_of_line(text, 0) if text[:4].lstrip(" ").startswith(">") else 0


def _begins_line(text: str, at: int) -> bool:
    before = text[max(0, at - 4) : at]
    return not before.rpartition("\n")[2].strip(" ") and (at < 4 or "\n" in before)


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _end_of_fence(text: str, run: re.Match[str]) -> int:
    for closing in _CLOSERS[run.group()[0]].finditer(text, _end_of_line(text, run.end())):
        if len(closing.group(1)) >= len(run.group()):
            return closing.end()
    return len(text)


def _end_of_inline(text: str, ticks: re.Match[str]) -> int:
    stop = min(len(text), ticks.end() + _WINDOW)
    blank_line = text.find("\n\n", ticks.end(), stop)
    for closing in _RUN.finditer(text, ticks.end(), stop if blank_line < 0 else blank_line):
        if closing.group() == ticks.group():
            return closing.end()
    return ticks.end()
