"""Parse the options of a program against a list of those that are allowed, as getopt does."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = re.compile(r"-\d+")


@dataclass(frozen=True, slots=True)
class ParsedOptions:
    """The names of the options and the other words, both in their order.

    `from_dashes` is the number of operands before a word `--`.
    """

    names: tuple[str, ...]
    operands: tuple[str, ...]
    from_dashes: int


@dataclass(frozen=True, slots=True)
class NotAllowed:
    """The first option that is not on the list, or whose value cannot be told from an option."""

    option: str


@cache
def _parse_list(allowed: str) -> dict[str, str]:
    """Return the allowed options; the value is "=" if one takes a value, "?" if it may have one."""
    options: dict[str, str] = {}
    for word in allowed.split():
        name = word.rstrip("=?")
        options[name] = word[len(name) :][-1:]
    return options


def parse_options(words: Sequence[str], allowed: str) -> ParsedOptions | NotAllowed:
    """Return the options and operands, or the first option that is not allowed.

    `allowed` has options such as `-n`, `-e=` and `--color=?`, and `-#` for `-5`. Long options are
    not abbreviated: only the program knows what an abbreviation stands for.

    >>> parse_options(["-in", "-e5", "a", "--color=no", "--", "-x"], "-i -n -e= --color=?")
    ParsedOptions(names=('-i', '-n', '-e', '--color'), operands=('a', '-x'), from_dashes=1)
    >>> parse_options(["-uf/etc/passwd"], "-u -R")
    NotAllowed(option='-f')
    """
    options = _parse_list(allowed)
    names: list[str] = []
    operands: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return ParsedOptions(tuple(names), (*operands, *rest), len(operands))
        if word == "-" or not word.startswith("-"):
            operands.append(word)
            continue
        if _NUMBER.fullmatch(word) and "-#" in options:
            names.append("-#")
            continue
        found = _parse_word(word, options)
        if isinstance(found, NotAllowed):
            return found
        names += found
        if not _wants_next(word, found[-1], options):
            continue
        # Where a program would take the next word for an option after all, it has to be judged.
        if not rest or rest[0].startswith("-"):
            return NotAllowed(found[-1])
        rest.pop(0)
    return ParsedOptions(tuple(names), tuple(operands), len(operands))


def _parse_word(word: str, options: dict[str, str]) -> list[str] | NotAllowed:
    """Return the options in one word."""
    if word.startswith("--"):
        name, equals, _ = word.partition("=")
        if name not in options or (equals and not options[name]):
            return NotAllowed(name)
        return [name]
    names: list[str] = []
    for letter in word[1:]:
        name = f"-{letter}"
        if name not in options:
            return NotAllowed(name)
        names.append(name)
        if options[name]:
            # The rest of the word is the value.
            break
    return names


def _wants_next(word: str, last: str, options: dict[str, str]) -> bool:
    """Return whether the value of the last option in a word is the next word."""
    if options[last] != "=":
        return False
    if word.startswith("--"):
        return "=" not in word
    return word.endswith(last[1]) and word.index(last[1]) == len(word) - 1
