"""What a fix lets the program change: whether anything reads the change, and what else may change.

A fix that makes a variable mutable, or passes its address, is right if that variable is the one to
change. A change that nothing reads is lost: the program means something else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.loops import LOOPS
from holdfast.rules.match.node_classes import is_literal
from holdfast.syntax.tree import field_text, first_field, span_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.rules.match.surroundings import Site

_WORD: Final = re.compile(r"[^\W\d]\w*")
_ASSIGNMENTS: Final = re.compile("assign|^update_expression$")
_DECLARATIONS: Final = re.compile("declarator$|^let_declaration$")
_FROZEN: Final = re.compile(r"\b(?:const|constexpr|final|readonly)\b")
_SET_AFTER: Final = re.compile(r"\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|\s*(?:\+\+|--)")
_SET_BEFORE: Final = re.compile(r"(?:\+\+|--|&|&mut)\s*$")


def is_write_lost(site: Site) -> bool:
    """Return whether nothing reads a variable after the statement that changes it.

    The fix is in the declaration of that variable, the diagnostic in the statement.
    """
    place = site.source.place_of(site.diagnostic) or 0
    declared = set(site.names.values()).intersection(site.diagnostic.args)
    if not declared:
        return False

    if place <= site.span[1]:
        return False

    if not site.owners:
        return False

    text = site.source.text
    line_start, line_end = text.rfind("\n", 0, place), text.find("\n", place)
    start, _ = _repeated_span(site, place)
    _, end = span_of(site.owners[-1])
    read = _WORD.findall(text[start:line_start] + text[line_end:end])
    return declared.isdisjoint(read)


def _repeated_span(site: Site, place: int) -> tuple[int, int]:
    """Return the span of the outermost loop around an offset and after the declaration.

    Without such a loop, it is the offset itself.
    """
    span = place, place
    for node in reversed(site.source.nodes_around(place)):
        start, end = span_of(node)
        if start >= site.span[1] and LOOPS.search(node.kind()):
            span = start, end

    return span


def has_idle_variable(site: Site) -> bool:
    """Return whether another variable may be what the statement of the diagnostic is to set.

    It has a number to start with and may change, and nothing has changed it until then.
    """
    place = site.source.place_of(site.diagnostic) or 0
    around = site.source.nodes_around(place)
    if not any(_ASSIGNMENTS.search(node.kind()) for node in around):
        return False

    if place <= site.span[1]:
        return False

    _, end = _repeated_span(site, place)
    text = site.source.text
    for name, declared in _numbers_to_change(site):
        if declared < place and not _is_set(name, text[declared:end]):
            return True

    return False


def _numbers_to_change(site: Site) -> Iterator[tuple[str, int]]:
    """Yield the other variables that start with a number, with the end of their declaration."""
    for node in site.nodes:
        value = first_field(node, "value")
        if site.contains(node) or value is None or not is_literal(value):
            continue

        if _DECLARATIONS.search(node.kind()) and _may_change(node):
            yield field_text(node, "pattern", "name", "declarator"), span_of(node)[1]


def _may_change(declared: SgNode) -> bool:
    if declared.kind() == "let_declaration":
        return any(child.kind() == "mutable_specifier" for child in declared.children())

    parent = declared.parent()
    return parent is not None and _FROZEN.search(parent.text()) is None


def _is_set(name: str, text: str) -> bool:
    """Return whether a text sets a variable, or passes its address."""
    for found in re.finditer(rf"\b{re.escape(name)}\b", text):
        if _SET_AFTER.match(text, found.end()):
            return True

        if _SET_BEFORE.search(text[: found.start()]):
            return True

    return False
