"""Another token on a line: what makes a line another line."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Final, TypeAlias

from bench.landing import words
from bench.landing.grammar import (
    identifiers,
    misspelled,
    numbers,
    other_name,
    other_number,
    swap_at,
)

Mutate: TypeAlias = Callable[[str, Random], str | None]
"""(line, rng) -> the line with one token changed; None where it has no such token."""

_OPPOSITE: Final = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">": "<=",
    "<=": ">",
    ">=": "<",
    "+": "-",
    "and": "or",
    "or": "and",
    "True": "False",
    "False": "True",
    "true": "false",
    "false": "true",
}
_OPERATOR: Final = re.compile(
    r"(?<= )(?:[=!<>]=|[<>+])(?= )|(?<!\w)(?:and|or|True|False|true|false)(?!\w)"
)


def mutate_name(text: str, rng: Random) -> str | None:
    """The line with another name in it."""
    found = identifiers(text)
    if not found:
        return None
    one = rng.choice(found)
    return swap_at(text, one, other_name(rng, one.group()))


def mutate_number(text: str, rng: Random) -> str | None:
    """The line with another number in it."""
    found = numbers(text)
    if not found:
        return None
    one = rng.choice(found)
    return swap_at(text, one, other_number(rng, one.group()))


def mutate_call(text: str, rng: Random) -> str | None:
    """The line with one more argument."""
    spots = [found.end() for found in re.finditer(r"\w\((?=\w)", text)]
    if not spots:
        return None
    at = rng.choice(spots)
    return f"{text[:at]}{words.noun(rng)}_{words.noun(rng)}, {text[at:]}"


def mutate_case(text: str, rng: Random) -> str | None:
    """The line with a name in the other case."""
    found = identifiers(text)
    if not found:
        return None
    one = rng.choice(found)
    name = one.group()
    return swap_at(text, one, rng.choice((name[0].swapcase() + name[1:], name.swapcase())))


def mutate_operator(text: str, rng: Random) -> str | None:
    """The line with the opposite comparison, sum or truth."""
    found = [one for one in _OPERATOR.finditer(text) if one.group() in _OPPOSITE]
    if not found:
        return None
    one = rng.choice(found)
    return swap_at(text, one, _OPPOSITE[one.group()])


def mutate_string(text: str, rng: Random) -> str | None:
    """The line with another word in a string."""
    found = list(re.finditer(r"""(?<=["'])[a-z]{4,}(?=["'])""", text))
    if not found:
        return None
    one = rng.choice(found)
    return swap_at(text, one, misspelled(rng, one.group()))
