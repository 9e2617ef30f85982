"""The values around a place: what nothing reads, and what a value is combined with.

A fix that makes a variable mutable, or writes another name for a member, is right if that variable
is the one that was meant. Another one that is left over says that it was not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.node_classes import is_literal, is_operation
from holdfast.rules.match.site import ASSIGNED, is_declaration
from holdfast.rules.rule import TokenRewrite
from holdfast.syntax.tree import all_nodes, first_field, node_kind, node_text, span_of
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.rules.match.site import Site

_NAMED: Final = lazy_pattern(r"[^\W\d_]")
_GIVEN: Final = frozenset({"self", "cls", "this", "args", "argv", "argc"})
"""The parameters that the language gives, and nobody has chosen."""
_LOOPS: Final = lazy_pattern("^(?:for|while|do|loop|enhanced_for)_")
_WORD: Final = lazy_pattern(r"[^\W\d]\w*")
_INDEX: Final = lazy_pattern("subscript|index|array_access")
_FILLING: Final = "add|addAll|push|push_back|emplace_back|append|extend|insert|put|set|update"
_NOT_READ: Final = "|".join(
    (
        ASSIGNED,
        r"(?<![.>])\bNAME\s*(?:\+\+|--)(?!\s*[<>=!&|?])",
        r"(?:\+\+|--)NAME\b",
        rf"^[ \t]*NAME(?:\.|->)(?:{_FILLING})\(",
        rf"\)[ \t]*NAME(?:\.|->)(?:{_FILLING})\(",
        r"[\w>\]*&](?<!return)(?<!await)(?<!throw)[ \t]+[*&]*NAME\s*(?:\[\w*\]\s*)?;",
        r"\bfor\b[^\n;]*?\bNAME\s*(?::(?!:)|in\b|of\b)",
        r"\bfor\s*\([^;{}]*;[^;{}]*;[^{}()]*\bNAME\b[^{}()]*\)",
    )
)
"""The places of a variable that read no value of it: it is declared, set, filled, or counts."""


def has_unread_variable(site: Site) -> bool:
    """Return whether nothing reads a variable of the function that is declared elsewhere.

    The element or the number of a loop counts if the place is in the body of that loop.
    """
    if isinstance(site.rewrite, TokenRewrite):
        # A sign is missing, whatever the variables are.
        return False

    start, end = site.span
    known = {*_WORD.findall(site.source.text[start:end]), *site.diagnostic.args}
    for function in site.functions[:1]:
        text = function.text()
        declared = filter(is_declaration, all_nodes(function))
        names = {node.text() for node in declared if _is_elsewhere(node, site)}
        for name in filter(_NAMED.match, names - known):
            rest = re.sub(_NOT_READ.replace("NAME", name), "", text, flags=re.MULTILINE)
            if name not in _WORD.findall(rest):
                return True

    return False


def has_unused_parameter(site: Site) -> bool:
    """Return whether nothing uses a parameter of the function: it may be what is meant."""
    for function in site.functions[-1:]:
        words = _WORD.findall(function.text())
        parameters = filter(_is_parameter, all_nodes(function))
        names = set(map(node_text, parameters))
        for name in names - _GIVEN:
            if words.count(name) == 1:
                return True

    return False


def _is_parameter(node: SgNode) -> bool:
    kinds = " ".join(map(node_kind, node.ancestors()))
    if "parameter" not in kinds:
        return False

    return is_declaration(node)


def _is_elsewhere(name: SgNode, site: Site) -> bool:
    """Return whether a variable is declared on another line, or for a loop with the place in it."""
    for node in name.ancestors():
        body = first_field(node, "body")
        if body is None or not _LOOPS.search(node.kind()):
            continue

        start, end = span_of(body)
        _, name_end = span_of(name)
        if name_end <= start:
            return start <= site.span[0] <= end

    return name.text() not in _WORD.findall(site.texts["lines"])


def is_write_lost(site: Site) -> bool:
    """Return whether nothing reads a variable after the statement that changes it.

    The fix is in the declaration of that variable, the diagnostic in the statement.
    """
    place = site.source.place_of(site.diagnostic) or 0
    declared = set(site.names.values()).intersection(site.diagnostic.args)
    if not declared or place <= site.span[1]:
        return False

    text = site.source.text
    start, _ = _repeated_span(site, place)
    line = text.rfind("\n", 0, place), text.find("\n", place)
    read = _WORD.findall(text[start : line[0]] + text[line[1] : site.function_span[1]])
    return declared.isdisjoint(read)


def _repeated_span(site: Site, place: int) -> tuple[int, int]:
    """Return the span of the outermost loop around an offset and after the declaration.

    Without such a loop, it is the offset itself.
    """
    _, declared_end = site.span
    for node in site.source.nodes_around(place):
        start, end = span_of(node)
        if start < declared_end:
            continue

        if _LOOPS.search(node.kind()):
            return start, end

    return place, place


def kind_beside(site: Site) -> Iterator[str]:
    """Yield what the operand that changes is combined with: a `text` or a `value`.

    A variable that is set to a text is one.
    """
    for node in reversed(site.source.nodes_around(site.start)):
        if "binary_" not in node.kind():
            continue

        for operand in node.named_children():
            low, high = span_of(operand)
            if not low <= site.start <= high:
                yield _kind_of_operand(operand, site)

        return


def _kind_of_operand(operand: SgNode, site: Site) -> str:
    is_text = "string" in operand.kind()
    if not is_literal(operand):
        name = re.escape(operand.text())
        is_text = re.search(rf"\b{name}(?::[^=\n]*)?\s*=\s*[\"']", site.source.text) is not None

    return "text" if is_text else "value"


def position_of(site: Site) -> Iterator[str]:
    """Yield what the construct that changes is: an index, or an operation in another operation."""
    start, end = site.span
    own, around = "", ""
    begins_around = False
    for node in site.source.nodes_around(start):
        low, high = span_of(node)
        if (low, high) == site.span:
            own = f"{own} {node.kind()}"
        elif high >= end:
            around = node.kind()
            begins_around = low == start

    if _INDEX.search(around) and not begins_around:
        yield "index"

    if is_operation(around) and is_operation(own):
        yield "operand"


def is_given_away_again(site: Site) -> bool:
    """Return whether a loop around moves a variable that is not declared in it."""
    if "move" not in site.rewrite.fix:
        return False

    for node in site.source.nodes_around(site.start):
        if not _LOOPS.search(node.kind()):
            continue

        declared = filter(is_declaration, all_nodes(node))
        names = set(map(node_text, declared))
        if names.isdisjoint(site.names.values()):
            return True

    return False
