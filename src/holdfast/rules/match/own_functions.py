"""The functions of a program that a rule has to respect: what they take, and what their names say.

A function of the program has parameters that no example from a library shows; it may be the very
conversion that is missing; and the language may say how it has to be declared.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.context import owners_at
from holdfast.rules.rule import plain_type, value_in
from holdfast.syntax.tree import all_nodes, span_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ast_grep_py import SgNode

    from holdfast.rules.rule import Rewrite
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

_FUNCTION: Final = re.compile("^(?:function|method)_(?:item|definition|declaration)$")
_SPECIAL: Final = re.compile("__[a-z]+__")
_CALLED: Final = re.compile(r"([^\W\d]\w*)\s*\(")
_CALLED_HOLE: Final = re.compile(r"(?<![\w$.])\$([A-Z]\w*)\(")
_NAMED_HOLE: Final = re.compile(r"\$([A-Z]\w*)\(")
_BODY_HOLE: Final = re.compile(r"\s*try\b\W*?\$\$\$([A-Z]\w*)")
_PARTS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def functions_at(
    rewrite: Rewrite, source: ParsedSource, holes: Mapping[str, str]
) -> frozenset[str]:
    """Return what tells the functions of a match from those of other programs.

    `own` is a function of the program whose arguments the fix changes, `special` one whose header
    the language prescribes (`__init__`).
    """
    found = set()
    for hole in _NAMED_HOLE.findall(rewrite.pattern):
        if _SPECIAL.fullmatch(holes.get(hole, "")):
            found.add("special")
    for hole in _CALLED_HOLE.findall(rewrite.pattern):
        name = holes.get(hole, "")
        is_own = name.isidentifier() and value_in(name, source.text) == "<function>"
        if is_own and _changes_arguments(rewrite, hole):
            found.add("own")
    return frozenset(found)


def _changes_arguments(rewrite: Rewrite, hole: str) -> bool:
    """Return whether a fix calls the same function, with other arguments."""
    head, _, old = rewrite.pattern.partition(f"${hole}(")
    new_head, called, new = rewrite.fix.partition(f"${hole}(")
    return bool(called) and head == new_head and old != new


def guarded_calls(rewrite: Rewrite, holes: Mapping[str, str]) -> frozenset[str]:
    """Return the functions that are called in the guarded block, if a rule is for a `try`."""
    found = _BODY_HOLE.match(rewrite.pattern)
    if found is None:
        return frozenset()
    return frozenset(_CALLED.findall(holes.get(found[1], "")))


def has_own_conversion(source: ParsedSource, diagnostic: Diagnostic) -> bool:
    """Return whether the program has a function for the conversion that a message is about.

    It takes one of the two types and returns the other, and is named after things at the place:
    `hash_password` where a `password_hash` gets a `password`.
    """
    place = source.place_of(diagnostic)
    if place is None or len(diagnostic.args) < 2:
        return False
    types = {_spelled(each) for each in diagnostic.args}
    line = source.line_of(place)
    code = source.text[source.line_starts[line] : source.line_end(line)]
    there = _parts(code)
    around = {span_of(node) for node in owners_at(source, place)}
    for name, taken, returned, span in _signatures(source):
        if span in around or returned not in types or not types - {returned} & taken:
            continue
        # What is called there is no other way to convert.
        if _parts(name) <= there and f"{name}(" not in code:
            return True
    return False


def _parts(text: str) -> set[str]:
    return {part.lower() for part in _PARTS.findall(text)}


def _spelled(text: str) -> str:
    return plain_type(text).replace(" ", "").lstrip(":")


def _signatures(source: ParsedSource) -> Iterator[tuple[str, set[str], str, tuple[int, int]]]:
    """Yield the name, the types of the parameters, the type of the result and the span of each."""
    if source.root is None:
        return
    for node in all_nodes(source.root):
        if not _FUNCTION.match(node.kind()):
            continue
        returned = node.field("return_type") or node.field("type")
        inner = node.field("declarator") or node
        name = inner.field("name") or inner.field("declarator")
        parameters = inner.field("parameters")
        if returned is not None and name is not None and parameters is not None:
            taken = set(_types_in(parameters))
            yield name.text(), taken, _spelled(returned.text()), span_of(node)


def _types_in(parameters: SgNode) -> Iterator[str]:
    for each in parameters.children():
        kind = each.field("type")
        if kind is not None:
            yield _spelled(kind.text())
