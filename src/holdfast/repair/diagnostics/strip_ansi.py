"""A tool's output as plain lines, without colours and carriage returns."""

from __future__ import annotations

from holdfast.vocab.lazy_pattern import lazy_pattern

_ESCAPES = lazy_pattern(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")


def plain_lines(output: str) -> list[str]:
    r"""Return the lines of an output, without colours and line endings.

    >>> plain_lines("\x1b[31ma.c\x1b[0m\r\nb\n")
    ['a.c', 'b', '']
    """
    # Not str.splitlines: that also breaks at form feeds and U+2028, which a compiler repeats from
    # the source.
    return _ESCAPES.sub("", output).replace("\r\n", "\n").split("\n")
