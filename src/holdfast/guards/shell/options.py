"""Parse the options of a program against a list of those that are allowed, as getopt does."""

from __future__ import annotations

import re
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = lazy_pattern(r"-\d+")
_OPTION = lazy_pattern(r"-.", re.DOTALL)


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
    """Return the allowed options, each with what is behind its name in the list.

    An option that may have a value is also there as `--name=`.
    """
    options: dict[str, str] = {}
    for word in allowed.split():
        name = word.rstrip("=?")
        options[name] = word[len(name) :]
        if options[name]:
            options[f"{name}="] = "?"

    return options


def parse_options(
    words: Sequence[str], allowed: str, *, stops: bool = False
) -> ParsedOptions | NotAllowed:
    """Return the options and operands, or the first option that is not allowed.

    `allowed` has options such as `-n`, `-e=` with a value in the same word or the next, `--color=?`
    with one in the same word only, and `-#` for `-5`. Long options are not abbreviated: only the
    program knows what an abbreviation stands for. `stops`: the first operand ends the options.

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
        if not _OPTION.match(word):
            operands.append(word)
            if stops:
                before = list(takewhile("--".__ne__, rest))
                operands += [*before, *rest[len(before) + 1 :]]
                return ParsedOptions(tuple(names), tuple(operands), len(before) + 1)
            continue
        if _NUMBER.fullmatch(word) and "-#" in options:
            names.append("-#")
            continue
        found = _parse_word(word, options)
        if isinstance(found, NotAllowed):
            return found
        names += found.names
        if found.wants_next:
            value, rest = "".join(rest[:1]), rest[1:]
            # Where a program would take it for an option after all, it has to be judged.
            if value.startswith("-"):
                return NotAllowed(found.names[-1])

    return ParsedOptions(tuple(names), tuple(operands), len(operands))


@dataclass(frozen=True, slots=True)
class _OptionWord:
    """The options in one word. `wants_next`: the next word is the value of the last one."""

    names: list[str]
    wants_next: bool


def _parse_word(word: str, options: dict[str, str]) -> _OptionWord | NotAllowed:
    if word.startswith("--"):
        return _parse_long(word, options)

    names: list[str] = []
    rest = word[1:]
    while rest:
        name, rest = f"-{rest[0]}", rest[1:]
        if name not in options:
            return NotAllowed(name)
        names.append(name)
        if options[name]:
            # The rest of the word is the value.
            return _OptionWord(names, wants_next=options[name] == "=" and not rest)

    return _OptionWord(names, wants_next=False)


def _parse_long(word: str, options: dict[str, str]) -> _OptionWord | NotAllowed:
    name, equals, _ = word.partition("=")
    takes = options.get(name + equals)
    if takes is None:
        return NotAllowed(name)
    return _OptionWord([name], wants_next=takes == "=")
