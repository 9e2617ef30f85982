"""The facts of declarations: who may use a name, how a function is called, what has a type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.fact import Fact
from holdfast.syntax.node_kinds import FUNCTIONS, functions_in
from holdfast.syntax.tree import field_text, first_field, node_kind, span_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

_OWN: Final = frozenset({"self", "cls", "self_parameter", "&self", "&mut self"})


def declared_facts(node: SgNode, language: str) -> Iterator[Fact]:
    """Yield the facts of one node that declares something, or says who may use it."""
    kind = node.kind()
    text = node.text()
    start, _ = span_of(node)
    if text in tables.VISIBILITY_WORDS[language]:
        yield Fact("visibility", text, start)

    if kind == "private_property_identifier":
        yield Fact("visibility", "private", start)

    if kind in tables.DECLARING:
        yield from _declarations(node)

    if kind in FUNCTIONS:
        yield from _function_facts(node, language)

    if kind == "method_declaration":
        yield from _receiver_facts(node)

    if language == "python" and kind == "assignment":
        outer = list(map(node_kind, node.ancestors()))
        # `class A: x: int = 1`
        if outer[2:3] == ["class_definition"]:
            yield _typed(node, node.field("left"), node.field("type"))


def _declarations(node: SgNode) -> Iterator[Fact]:
    """Yield the names that others may use: types, and values that are not in a function."""
    name = node.field(tables.DECLARED_VALUES.get(node.kind(), "name"))
    if name is None:
        return

    if _is_local(node):
        return

    text = name.text()
    start, _ = span_of(name)
    yield Fact("declared", text, start)
    if name.kind() == "type_identifier":
        yield Fact("name", text, start)

    if text == "__all__":
        for listed in node.find_all(kind="string"):
            yield Fact("exported", listed.text().strip("\"'"), span_of(listed)[0])


def _is_local(node: SgNode) -> bool:
    if node.kind().endswith("_specifier"):
        return node.field("body") is None

    if node.kind() in tables.DECLARED_TYPES:
        return False

    return bool(functions_in(node.ancestors()))


def _function_facts(function: SgNode, language: str) -> Iterator[Fact]:
    named, listed = _name_node(function), parameters_of(function)
    if named is None:
        return

    if listed is None:
        return

    name = named.text()
    yield Fact("function", name, span_of(named)[0])
    place = 0
    for parameter in listed.named_children():
        text = parameter_name(parameter)
        if text in _OWN:
            continue

        if "comment" in parameter.kind():
            continue

        fact = f"{name} {place} {text}"
        yield Fact("parameter", fact, span_of(parameter)[0])
        default = first_field(parameter, "default_value", "value")
        if default is not None or parameter.kind() in tables.OPTIONAL_PARAMETERS:
            yield Fact("default", fact, span_of(default or parameter)[0])

        place += 1
        if language == "python":
            yield _typed(function, parameter, parameter.field("type"))

    if language == "python":
        yield _typed(function, None, function.field("return_type"))


def _name_node(function: SgNode) -> SgNode | None:
    """Return the node of the name of a function; in C it is in its declarator."""
    node: SgNode | None = function
    while node is not None and not node.kind().endswith("identifier"):
        name = node.field("name")
        if name is not None:
            return name

        node = node.field("declarator")

    return node


def parameters_of(function: SgNode) -> SgNode | None:
    """Return the node of the parameters of a function; in C they are in its declarator."""
    node: SgNode | None = function
    while node is not None and node.field("parameters") is None:
        node = node.field("declarator")

    return first_field(node, "parameters")


def parameter_name(parameter: SgNode) -> str:
    """Return the name of a parameter."""
    if parameter.kind() == "identifier":
        return parameter.text()

    name = field_text(parameter, "name", "pattern", "declarator").lstrip("*&")
    inner = parameter.find(kind="identifier") or parameter
    return name or inner.text()


def _typed(holder: SgNode, name: SgNode | None, kept: SgNode | None) -> Fact:
    """Return whether a parameter, a result or a field of Python has a type."""
    what = "result"
    if name is not None:
        what = parameter_name(name)

    named = _name_node(holder)
    text = what
    if named is not None:
        text = f"{named.text()} {what}"

    if kept is None:
        return Fact("no type", text, span_of(name or holder)[0])

    return Fact("type", text, span_of(kept)[0])


def _receiver_facts(method: SgNode) -> Iterator[Fact]:
    """Yield the type whose method a function of Go is."""
    receiver = method.field("receiver")
    if receiver is None:
        return

    named = receiver.find(kind="type_identifier")
    if named is not None:
        start, _ = span_of(named)
        yield Fact("name", named.text(), start)
