"""A reply that is indented as a whole, as below an item of a list."""

from __future__ import annotations

from holdfast.landing.formats.detect import opens_notation
from holdfast.landing.text.lines import split_lines


def without_indentation(reply: str) -> str:
    r"""Return the reply with its edit at the margin, if all lines of the edit are indented as its first line.

    >>> without_indentation("1. So:\n   --- a/x\n   +++ b/x\n   @@\n   -a\n   +b\n")
    '1. So:\n--- a/x\n+++ b/x\n@@\n-a\n+b\n'
    """
    lines, ends = split_lines(reply)
    bare = [line.lstrip(" \t") for line in lines]
    first = _first_opening(bare)
    if first is None or lines[first] == bare[first]:
        return reply

    indent = lines[first].removesuffix(bare[first])
    last = len(lines) - 1
    while not lines[last].startswith(indent):
        last -= 1
    for i in range(first, last):
        if bare[i] and not lines[i].startswith(indent):
            return reply

    return "".join(
        f"{line.removeprefix(indent)}{end}" for line, end in zip(lines, ends, strict=True)
    )


def _first_opening(lines: list[str]) -> int | None:
    for i in range(len(lines)):
        if opens_notation(lines, i):
            return i
    return None
