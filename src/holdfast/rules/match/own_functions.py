"""The functions of a program that a rule has to respect: what they take, and what their names say.

A function of the program has parameters that no example from a library shows; it may be the very
conversion that is missing; and the language may say how it has to be declared.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.rule import plain_type, value_in
from holdfast.syntax.tree import field_text, first_field, span_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.rules.match.surroundings import Site
    from holdfast.rules.rule import Rewrite
    from holdfast.syntax.source import ParsedSource

_FUNCTION: Final = re.compile("^(?:function|method)_(?:item|definition|declaration)$")
_SPECIAL: Final = re.compile("__[a-z]+__")
_CALLED: Final = re.compile(r"([^\W\d]\w*)\s*\(")
_CALLED_HOLE: Final = re.compile(r"(?<![\w$.])\$([A-Z]\w*)\(")
_NAMED_HOLE: Final = re.compile(r"\$([A-Z]\w*)\(")
_BODY_HOLE: Final = re.compile(r"\s*try\b\W*?\$\$\$([A-Z]\w*)")
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

    for hole in _CALLED_HOLE.findall(site.rewrite.pattern):
        name = site.names.get(hole, "")
        is_own = value_in(name, site.source.text) == "<function>"
        if is_own and _changes_arguments(site.rewrite, hole):
            yield "own"


def _changes_arguments(rewrite: Rewrite, hole: str) -> bool:
    """Return whether a fix calls the same function, with other arguments."""
    head, called, old = rewrite.pattern.partition(f"${hole}(")
    new_head, new_called, new = rewrite.fix.partition(f"${hole}(")
    if (head, called) != (new_head, new_called):
        return False

    return old != new


def guarded_calls(site: Site) -> list[str]:
    """Return the functions that are called in the guarded block, if a rule is for a `try`."""
    found = _BODY_HOLE.match(site.rewrite.pattern)
    if found is None:
        return []

    return _CALLED.findall(site.holes.get(found[1], ""))


def has_own_conversion(site: Site) -> bool:
    """Return whether the program has a function for the conversion that a message is about.

    It takes one of the two types and returns the other, and is named after things at the place:
    `hash_password` where a `password_hash` gets a `password`.
    """
    types = set(map(_spelled, site.diagnostic.args))
    code = site.source.line_at(site.diagnostic)
    there = parts_of_name(code)
    around = [span_of(node) for node in site.owners]
    for function in functions_of(site.source):
        if span_of(function.node) in around:
            continue

        if not function.converts(types):
            continue

        # What is called there is no other way to convert.
        if parts_of_name(function.name) <= there and f"{function.name}(" not in code:
            return True

    return False


def conversions_named(site: Site) -> set[str]:
    """Return the ways to convert a number that the names of a place and its function speak of.

    What is `rounded` is not cut off, and a `hex` text has no decimal digits.
    """
    start, end = site.source.line_of(site.span[0]), site.source.line_of(site.span[1])
    low, high = site.source.line_starts[start], site.source.line_end(end)
    heads = [node.text().partition("(")[0] for node in site.owners[-1:]]
    parts = parts_of_name(" ".join([*heads, site.source.text[low:high]]))
    return {way for way in _WAYS if any(part.startswith(way) for part in parts)}


def parts_of_name(text: str) -> set[str]:
    """Return the words of a name, in lower case: `hash` and `password` of `hash_password`."""
    return set(map(str.lower, _PARTS.findall(text)))


def _spelled(text: str) -> str:
    return plain_type(text).replace(" ", "").lstrip(":")


@dataclass(frozen=True, slots=True)
class OwnFunction:
    """A function of a program: its name, the types that it takes and returns, and its node."""

    name: str
    taken: frozenset[str]
    returned: str
    node: SgNode

    def converts(self, types: set[str]) -> bool:
        """Return whether the function takes one of these types and returns another."""
        if self.returned not in types:
            return False

        return not self.taken.isdisjoint(types - {self.returned})


def functions_of(source: ParsedSource) -> Iterator[OwnFunction]:
    """Yield the functions of a program that have a type."""
    for node in source.nodes:
        if not _FUNCTION.match(node.kind()):
            continue

        inner = node.field("declarator") or node
        parameters = first_field(inner, "parameters")
        if parameters is None:
            continue

        types = [field_text(each, "type") for each in parameters.children()]
        yield OwnFunction(
            name=field_text(inner, "name", "declarator"),
            taken=frozenset(map(_spelled, filter(None, types))),
            returned=_spelled(field_text(node, "return_type", "type")),
            node=node,
        )
