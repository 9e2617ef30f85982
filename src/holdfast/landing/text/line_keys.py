"""What two lines are compared by.

The same key, the same line but for white space and typography.
"""

from __future__ import annotations

import operator
import unicodedata
from functools import reduce
from itertools import filterfalse

from holdfast.vocab.lazy_pattern import lazy_pattern

QUOTES = {"\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2032": "'"} | {
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
    "\u201f": '"',
    "\u2033": '"',
}
DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
SPACES = dict.fromkeys(
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    " ",
)
ELLIPSIS = {"\u2026": "..."}
_MARKS = filterfalse(str.isalnum, map(chr, range(0x21, 0x7F)))
WIDE = {chr(ord(mark) + 0xFEE0): mark for mark in _MARKS}
"""Full-width punctuation."""
UNSEEN = dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", "")

CLASSES: tuple[dict[str, str], ...] = (QUOTES, DASHES, SPACES, ELLIPSIS, UNSEEN, WIDE)
"""Typographic characters by class: a model that writes one of a class may write any of it."""

PLAIN: dict[str, str] = reduce(operator.or_, CLASSES)
"""For each typographic character the plain one."""
_TABLE = str.maketrans(PLAIN)


def fold(text: str) -> str:
    """Return the text with plain punctuation, composed, and without what cannot be seen.

    Line endings stay.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text.translate(_TABLE))


def key_of(line: str) -> str:
    r"""Return the line's key: folded, white space runs as one blank, none at the ends.

    >>> key_of("\tprint(\u201chi\u201d)  ")
    'print("hi")'
    """
    return " ".join(fold(line).split())


_RARE_SPACES = "\x0b\x0c\x1c\x1d\x1e\x1f\x85\u1680\u2028\u2029"


def keys_of(lines: list[str], folded: str) -> list[str]:
    """Return the keys of the lines of a folded text.

    The same as `key_of` of each, and several times as fast.
    """
    if any(map(folded.__contains__, _RARE_SPACES)):
        return list(map(" ".join, map(str.split, lines)))

    if "\t" in folded:
        # A tab as two blanks: then two blanks are all there is to look for.
        lines = [line.replace("\t", "  ") for line in lines]

    bare = map(str.strip, lines)
    # As one expression: there may be millions of lines.
    return [" ".join(line.split()) if "  " in line else line for line in bare]


_QUOTED = lazy_pattern(r"""(["'`])(?:\\.|(?!\1).)*\1""")


def loose_key_of(line: str) -> str:
    r"""Looser: no white space outside quotes, and one kind of quote.

    Enough to say that a removed line is this line. The inside of a string is content.

    >>> loose_key_of("f( 'a' )") == loose_key_of('f("a")')
    True
    >>> loose_key_of("f('a b')") == loose_key_of("f('ab')")
    False
    """
    key = key_of(line)
    out: list[str] = []
    at = 0
    for quoted in _QUOTED.finditer(key):
        out += ("".join(key[at : quoted.start()].split()), quoted.group())
        at = quoted.end()

    out.append("".join(key[at:].split()))
    return "".join(out).replace('"', "'")


_WHITE = " \t" + "".join(SPACES)
TAB_WIDTH = 8


def indent_of(line: str) -> str:
    """Return the white space that a line begins with: all that a key folds, not only blanks and tabs."""
    return line[: len(line) - len(line.lstrip(_WHITE))]


def width_of(indent: str) -> int:
    """Return the columns of an indentation; what cannot be seen has none."""
    return len(fold(indent).replace("\t", " " * TAB_WIDTH))


def indent_width(line: str) -> int:
    """Return the columns that a line is indented by."""
    return width_of(indent_of(line))
