"""Text on a terminal: colours, escapes, warnings and diffs."""

from __future__ import annotations

import os
import re
import sys
from datetime import datetime

import typer

# Not newline and tab. Text of a model can contain escape sequences, which a terminal executes. A
# surrogate is a byte that was not text, and cannot be printed.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def plain(words: str) -> str:
    """Return the words with escapes for control characters and for what cannot be printed."""
    return _UNPRINTABLE.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", words)


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
