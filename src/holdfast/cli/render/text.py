"""Text on a terminal: colours, escapes, warnings and diffs."""

from __future__ import annotations

import os
import sys
from datetime import datetime

import typer

from holdfast.vocab.lazy_pattern import lazy_pattern

# Not newline and tab. Text of a model can contain escape sequences, which a terminal executes. A
# surrogate is a byte that was not text, and cannot be printed. Characters that change the direction
# of text, part lines or are not seen would show another command than the one that is asked for.
_UNPRINTABLE = lazy_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
    "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\U000e0000-\U000e0fff"
    # Letters and marks of no width, or that look like a blank. Not the joiners of emoji.
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
_BYTE, _SHORT = 0x100, 0x10000
_SURROGATES = range(0xD800, 0xE000)
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def plain(words: str) -> str:
    r"""Return the words with escapes for control characters and for what cannot be printed.

    >>> plain("a\x1b[2J \u202eb")
    'a\\x1b[2J \\u202eb'
    """
    return _UNPRINTABLE.sub(lambda found: _escape(ord(found[0])), words)


def one_line(words: str) -> str:
    r"""Return the words in one line, with escapes for newlines and for what `plain` escapes.

    A value of another's settings must not look like a line of ours.

    >>> one_line("a\nb\x1b[2J")
    'a\\nb\\x1b[2J'
    """
    return plain(words).replace("\n", "\\n")


def _escape(number: int) -> str:
    if number < _BYTE or number in _SURROGATES:
        return f"\\x{number & 0xFF:02x}"
    if number < _SHORT:
        return f"\\u{number:04x}"
    return f"\\U{number:08x}"


def warn(words: str | None) -> None:
    """Print a message on standard error, so that the answer stays alone on standard output."""
    if words:
        print(f"holdfast: {plain(words)}", file=sys.stderr)


def write(
    words: str,
    colour: str | None = None,
    *,
    bold: bool = False,
    dim: bool = False,
    newline: bool = True,
    err: bool = False,
) -> None:
    """Print words, coloured on a terminal unless NO_COLOR is set; with `err` on standard error."""
    # Not rich: it expands tabs to spaces, and then a diff cannot be copied from the terminal.
    typer.secho(
        plain(words),
        fg=colour,
        bold=bold or None,
        dim=dim or None,
        color=False if os.environ.get("NO_COLOR") else None,
        nl=newline,
        err=err,
    )


def write_diff(diff: str) -> None:
    """Print a diff in its colours."""
    for line in diff_lines(diff):
        write_diff_line(line)


def write_diff_line(line: str, *, err: bool = False) -> None:
    """Print one line of a diff in its colour."""
    is_header = line.startswith(("--- ", "+++ "))
    write(line.removesuffix("\r"), diff_colour(line), bold=is_header, err=err)


def diff_lines(diff: str) -> list[str]:
    """Return the lines of a diff."""
    # Not str.splitlines: that also breaks at form feeds and U+2028, which are content here.
    if not diff:
        return []
    return diff.removesuffix("\n").split("\n")


def diff_colour(line: str) -> str | None:
    """Return the colour of a line of a diff, or None for a line of context."""
    return _COLOURS.get(line[:1])


def text_if(condition: object, text: str) -> str:
    """Return the text if the condition is true, else nothing."""
    if condition:
        return text
    return ""


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun: "1 file", "2 files"."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}s"


def time_since(moment: str, now: datetime) -> str:
    """Return how long ago a moment was, in the largest unit: "2 minutes ago"."""
    seconds = int((now - datetime.fromisoformat(moment)).total_seconds())
    for noun, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            return f"{count_of(seconds // size, noun)} ago"
    return "just now"
