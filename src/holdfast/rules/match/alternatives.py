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
    from collections.abc import Iterable, Iterator

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
    names = _texts_of(site, "identifier")
    for hole, text in site.holes.items():
        quoted = _QUOTED_NAME.fullmatch(text)
        if quoted and quoted[1] in names:
            yield hole


def _texts_of(site: Site, kind: str) -> list[str]:
    """Return the texts of the nodes of a kind in the function around a place."""
    return [node.text() for node in site.nodes if node.kind() == kind]


def is_named_like_function(site: Site) -> bool:
    """Return whether a name that is called at a place is a part of the name of a function."""
    start, end = site.span
    name = site.source.text[start:end]
    following = site.source.text[end:].lstrip()
    if not name.isidentifier():
        return False

    if not following.startswith("("):
        return False

    return any(parts_of_name(name) < parts_of_name(each.name) for each in functions_of(site.source))


def data_with_length(site: Site) -> Iterator[str]:
    """Yield the pointers of C that have a whole number beside them: data, and no text."""
    parameters = _texts_of(site, "parameter_declaration")
    for text, following in pairwise(parameters):
        pointer = _POINTER.search(text)
        if pointer is None or pointer[1] not in site.names.values():
            continue

        if _WHOLE_NUMBER.match(following):
            yield "with length"


def has_special_result(site: Site) -> bool:
    """Return whether a value was computed by a function of the program with a special result.

    Such a function returns a negative number in one case, and something else in another.
    """
    called: set[str] = set()
    for node in site.nodes:
        name = field_text(node, "pattern", "name", "declarator", "left")
        if name in site.names.values():
            called.update(_CALLED.findall(field_text(node, "value", "right")))

    for function in functions_of(site.source):
        if function.name in called and _has_special_result(function.node):
            return True

    return False


def _has_special_result(function: SgNode) -> bool:
    results = list(_returned(all_nodes(function)))
    body = first_field(function, "body")
    if body is not None:
        results += (last.text() for last in body.named_children()[-1:])

    special = list(filter(_SPECIAL_NUMBER.fullmatch, results))
    return 0 < len(special) < len(results)


def _returned(nodes: Iterable[SgNode]) -> Iterator[str]:
    """Yield the expressions after `return`."""
    for node in nodes:
        if _RETURNS.match(node.kind()):
            yield from (value.text() for value in node.named_children()[:1])


def sources_returned(site: Site) -> Iterator[str]:
    """Yield the holes that are computed from what the function returns, if the fix drops a name.

    `cleaned = title.strip()` before `return title`: the name that nothing uses was to be returned.
    """
    dropped = set(_HOLES.findall(site.rewrite.pattern)) - set(_HOLES.findall(site.rewrite.fix))
    if not dropped:
        return

    returned = set(_returned(site.nodes))
    for hole in site.holes.keys() - dropped:
        if not returned.isdisjoint(_WORD.findall(site.holes[hole])):
            yield hole
