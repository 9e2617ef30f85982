"""What else than in the examples a place may mean: the program has another thing of that name.

A string in quotes may be the variable of that name, a variable that is called the function named
after it, a pointer with a number beside it no text but data.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.own_functions import functions_of, parts_of_name
from holdfast.syntax.tree import all_nodes, field_text, first_field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.rules.match.surroundings import Site

_HOLES: Final = re.compile(r"\$([A-Z]\w*)")
_WORD: Final = re.compile(r"[^\W\d]\w*")
_QUOTED_NAME: Final = re.compile(r"[\"'`]([^\W\d]\w*)[\"'`]")
_POINTER: Final = re.compile(r"\*\s*(\w+)$")
_WHOLE_NUMBER: Final = re.compile(
    r"(?:unsigned |signed )?(?:char|short|int|long|long long|size_t|unsigned|u?int\d+_t) "
    r"(?!.*[*\[])"
)
_RETURNS: Final = re.compile("^return_")
_SPECIAL_NUMBER: Final = re.compile(r"-\s*\d+")
_CALLED: Final = re.compile(r"(\w+)\s*\(")


def names_in_quotes(site: Site) -> Iterator[str]:
    """Yield the holes that are a string with the name of a variable of the function around."""
    names: set[str] = set()
    for owner in site.owners[-1:]:
        names.update(node.text() for node in all_nodes(owner) if node.kind() == "identifier")

    for hole, text in site.holes.items():
        quoted = _QUOTED_NAME.fullmatch(text)
        if quoted and quoted[1] in names:
            yield hole


def is_named_like_function(site: Site) -> bool:
    """Return whether a name that is called at a place is a part of the name of a function."""
    start, end = site.span
    name = site.source.text[start:end]
    is_called = name.isidentifier() and site.source.text[end:].lstrip().startswith("(")
    if not is_called:
        return False

    return any(parts_of_name(name) < parts_of_name(each.name) for each in functions_of(site.source))


def data_with_length(site: Site) -> Iterator[str]:
    """Yield the holes that are a pointer of C with a whole number beside it: data, and no text."""
    for owner in site.owners[-1:]:
        parameters = [node for node in all_nodes(owner) if node.kind() == "parameter_declaration"]
        texts = [node.text() for node in parameters]
        for pointer, number in pairwise(texts):
            found = _POINTER.search(pointer)
            if found and _WHOLE_NUMBER.match(number):
                yield from (hole for hole, text in site.names.items() if text == found[1])


def has_special_result(site: Site) -> bool:
    """Return whether a value was computed by a function of the program with a special result.

    Such a function returns a negative number in one case, and something else in another.
    """
    called: set[str] = set()
    for owner in site.owners[-1:]:
        for node in all_nodes(owner):
            name = field_text(node, "pattern", "name", "declarator", "left")
            if name in site.names.values():
                called.update(_CALLED.findall(field_text(node, "value", "right")))

    functions = [each for each in functions_of(site.source) if each.name in called]
    return any(_has_special_result(each.node) for each in functions)


def _has_special_result(function: SgNode) -> bool:
    results = list(_results(function))
    special = [text for text in results if _SPECIAL_NUMBER.fullmatch(text)]
    return 0 < len(special) < len(results)


def _results(function: SgNode) -> Iterator[str]:
    """Yield the expressions that a function returns."""
    for node in all_nodes(function):
        if _RETURNS.match(node.kind()):
            yield from (value.text() for value in node.named_children()[:1])

    body = first_field(function, "body")
    if body is not None:
        yield from (last.text() for last in body.named_children()[-1:])


def sources_returned(site: Site) -> Iterator[str]:
    """Yield the holes that are computed from what the function returns, if the fix drops a name.

    `cleaned = title.strip()` before `return title`: the name that nothing uses was to be returned.
    """
    dropped = set(_HOLES.findall(site.rewrite.pattern)) - set(_HOLES.findall(site.rewrite.fix))
    if not dropped:
        return

    returned: set[str] = set()
    for owner in site.owners[-1:]:
        for node in all_nodes(owner):
            if _RETURNS.match(node.kind()):
                returned.update(value.text() for value in node.named_children()[:1])

    for hole in site.holes.keys() - dropped:
        if not returned.isdisjoint(_WORD.findall(site.holes[hole])):
            yield hole
