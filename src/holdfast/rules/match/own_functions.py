"""The functions of a program that a rule has to respect: what they take, and what their names say.

A function of the program has parameters that no example from a library shows; it may be the very
conversion that is missing; and the language may say how it has to be declared.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.rule import value_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.rules.match.site import Site

_SPECIAL: Final = re.compile("__[a-z]+__")
_CALLED: Final = re.compile(r"([^\W\d]\w*)\s*\(")
_CALLED_HOLE: Final = re.compile(r"(?<![\w$.])\$([A-Z]\w*)\((.*)")
_NAMED_HOLE: Final = re.compile(r"\$([A-Z]\w*)\(")
_BODY_HOLE: Final = re.compile(r"\s*try\b\W*?\$\$\$([A-Z]\w*)")
_DEFINED: Final = re.compile(
    r"\b(?:def|fn|func|function|[\w>\]]+[&*]*)\s+(\w+)\s*\([^;{}]*\)[^;(){}]*[{:]"
)
"""A function of the program."""
_WAYS: Final = ("round", "nearest", "ceil", "floor", "trunc", "hex", "octal", "binary")
_PARTS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def functions_at(site: Site) -> Iterator[str]:
    """Yield what tells the functions of a match from those of other programs.

    `own` is a function of the program whose arguments the fix changes, `special` one whose header
    the language prescribes (`__init__`).
    """
    named = _NAMED_HOLE.findall(site.rewrite.pattern)
    if any(_SPECIAL.fullmatch(site.holes.get(hole, "")) for hole in named):
        yield "special"

    new = dict(_CALLED_HOLE.findall(site.rewrite.fix))
    for hole, listed in _CALLED_HOLE.findall(site.rewrite.pattern):
        is_own = value_in(site.names.get(hole, ""), site.source.text) == "<function>"
        if is_own and new.get(hole, listed) != listed:
            yield "own"


def guarded_calls(site: Site) -> list[str]:
    """Return the functions that are called in the guarded block, if a rule is for a `try`."""
    bodies = [site.holes.get(hole, "") for hole in _BODY_HOLE.findall(site.rewrite.pattern)]
    return _CALLED.findall("".join(bodies))


def has_own_conversion(site: Site) -> bool:
    """Return whether the program has a function that is named after things at the place.

    `hash_password` where a `password_hash` gets a `password`.
    """
    line = site.source.line_at(site.diagnostic)
    around = _DEFINED.findall("".join(owner.text() for owner in site.owners[-1:]))[:1]
    known = {*_CALLED.findall(line), *around}
    names = set(_DEFINED.findall(site.source.text)) - known
    return any(_parts_of_name(name) <= _parts_of_name(line) for name in names)


def conversions_named(site: Site) -> set[str]:
    """Return the ways to convert a number that the names of a place and its function speak of.

    What is `rounded` is not cut off, and a `hex` text has no decimal digits.
    """
    heads = [node.text().partition("(")[0] for node in site.owners[-1:]]
    parts = _parts_of_name(" ".join([*heads, site.texts["lines"]]))
    return {way for way in _WAYS if any(part.startswith(way) for part in parts)}


def _parts_of_name(text: str) -> set[str]:
    """Return the words of a name, in lower case: `hash` and `password` of `hash_password`."""
    return set(map(str.lower, _PARTS.findall(text)))
