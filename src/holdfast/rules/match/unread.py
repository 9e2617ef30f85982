"""The variables of a function that nothing reads: what a program was to use, and does not.

A loop that does not use its element, or a collection that is filled and never read: a fix that
leaves it so is for another program.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.loops import LOOPS
from holdfast.rules.match.node_classes import CALLS, MEMBERS
from holdfast.syntax.tree import all_nodes, field_text, first_field, parent_kind, span_of

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.rules.match.surroundings import Site

_WORD: Final = re.compile(r"[^\W\d]\w*")
_DECLARING: Final = re.compile(
    "^(?:variable|init|pointer|array|reference)_declarator$|^declaration$|^let_declaration$"
    "|^assignment$|^var_spec$|^(?:enhanced_)?for_"
)
_SETTING: Final = re.compile("assign|^update_expression$")
_FILLING: Final = re.compile(
    r"(?:\.|->)(?:add|addAll|push|push_back|emplace_back|append|extend|insert|put|set|update)\("
)
"""How a collection gets one more element."""


def has_unread_variable(site: Site) -> bool:
    """Return whether nothing reads a variable of the function that is declared elsewhere.

    The element or the number of a loop counts if the place is in the body of that loop.
    """
    start, end = site.span
    known = {*_WORD.findall(site.source.text[start:end]), *site.diagnostic.args}
    declared: set[str] = set()
    read: set[str] = set()
    for function in site.functions[:1]:
        for node in all_nodes(function):
            if node.kind() != "identifier":
                continue

            if _is_local(node, site):
                declared.add(node.text())
            elif _is_read(node):
                read.add(node.text())

    return any(not name.startswith("_") for name in declared - read - known)


def _is_local(name: SgNode, site: Site) -> bool:
    """Return whether a name is declared on another line, or for a loop with the place in it."""
    parent = name.parent()
    if parent is None or not _DECLARING.search(parent.kind()):
        return False

    declared = first_field(parent, "name", "pattern", "left", "declarator")
    if declared is not None and span_of(declared) != span_of(name):
        return False

    for node in name.ancestors():
        if "parameter" in node.kind():
            return False

        if LOOPS.search(node.kind()) and _is_in_head(name, node):
            body, high = span_of(first_field(node, "body") or node)
            return body <= site.span[0] <= high

    first, last = map(site.source.line_of, site.span)
    return not first <= site.source.line_of(span_of(name)[0]) <= last


def _is_read(name: SgNode) -> bool:
    """Return whether a name is more than what is set, what is filled, or the counter of a loop."""
    node, parent = name, name.parent()
    while parent is not None and parent.kind() in MEMBERS | CALLS:
        if span_of(parent)[0] != span_of(name)[0]:
            return True

        node, parent = parent, parent.parent()

    if parent_kind(node) == "expression_statement":
        return _FILLING.search(node.text()) is None

    if node is not name or parent is None:
        return True

    if _SETTING.search(parent.kind()):
        return field_text(parent, "right") == name.text()

    return not any(_counts(name, loop) for loop in name.ancestors())


def _counts(name: SgNode, loop: SgNode) -> bool:
    """Return whether a name is in the head of a loop that changes it in each turn."""
    if name.text() not in _WORD.findall(field_text(loop, "update", "increment")):
        return False

    return _is_in_head(name, loop)


def _is_in_head(name: SgNode, loop: SgNode) -> bool:
    body = first_field(loop, "body")
    return body is not None and span_of(name)[1] <= span_of(body)[0]
