"""What the code of a text does, as facts: each call, name, constant, operator, guard and type.

A fact has the offset of its own word, so that the facts of an edit are those in its span. Two texts
with the same facts mean the same, as far as this package judges.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.declared_facts import declared_facts, parameter_name, parameters_of
from holdfast.preservation.fact import Fact
from holdfast.syntax.node_kinds import FUNCTIONS, functions_in
from holdfast.syntax.tree import (
    all_nodes,
    field_text,
    first_field,
    is_plain_string,
    leaves,
    node_kind,
    node_text,
    signs_of,
    span_of,
)
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource

_NOTATION: Final = lazy_pattern(r"^0[oO]?(?=\d)|[uUlLfFdDn]+$|_")
_HEXADECIMAL: Final = lazy_pattern(r"(0[xX][\da-fA-F_]+)[uUlLn]*")
"""In it `f` and `d` are digits."""
_NUMBER: Final = lazy_pattern(r"\s*\(?-?\d[\w.]*\)?\s*")
_STRING_TEXT: Final = frozenset({"string_content", "string_fragment"})
_WORD: Final = lazy_pattern(r"\w+")
_RESULT: Final = lazy_pattern(r"(?:return\s+)?\w+\s*(?:[!=<>]=*|is|is not)\s*[\w.\"']+")
"""The body of a function that only compares two things."""
_NO_RESULT: Final = lazy_pattern(r"-\d+")
_BLANK: Final = lazy_pattern(r"^\{?\s*return\b|\s+|^\{|\}$|;")
_CONSTANT: Final = lazy_pattern(r"\w+|[\d.]+|\"[^\"]*\"|'[^']*'")
_MACRO: Final = "preproc_function_def"
_SETS: Final = frozenset({"=", ":="})
_IMPORTED_AS: Final = lazy_pattern(r"(?P<thing>\w[\w.:]*)\s+as\s+(?P<name>\w+)")
_IMPORTED_PACKAGE: Final = lazy_pattern(r"(?m)^(?:import)?\s*(?P<name>\w+)\s+\"(?P<thing>[^\"]+)\"")
_WRAPPED: Final = lazy_pattern(r"^do\{\}while\(.*\)$|^\(*\(void\)\(*|^\(+|\)+$")
"""What a macro without effect has around its value."""
_IMPORTED_ANY: Final = lazy_pattern(r"\bAny as \w")


FactReader: TypeAlias = Callable[["SgNode"], "Iterator[Fact]"]


def _by_kind(*rows: tuple[Iterable[str], FactReader]) -> dict[str, list[FactReader]]:
    """Return the functions that read each kind of node."""
    table: dict[str, list[FactReader]] = {}
    for kinds, reader in rows:
        for kind in kinds:
            table.setdefault(kind, []).append(reader)

    return table


def facts_of(source: ParsedSource) -> list[Fact]:
    """Return the facts of the code that can run, in the order of the text."""
    found: list[Fact] = []
    type_end = skipped_end = 0
    for node in source.nodes:
        start, end = span_of(node)
        if start < skipped_end:
            continue

        if source.is_dead(start):
            continue

        kind = node.kind()
        if kind in tables.IMPORTS:
            skipped_end = end
            found += _import_facts(node)
            continue

        if kind in tables.LITERALS and is_plain_string(kind, node.children()):
            skipped_end = end

        if kind in tables.TYPES:
            type_end = max(type_end, end)

        found += declared_facts(node, source.language)
        if start < type_end:
            found += _type_facts(node, source.language)
        else:
            found += _code_facts(node, source.language)

    return found


def value_of(literal: str) -> str:
    """Return a constant without what only says its type, its notation or its format."""
    if literal[-1:] in {'"', "'", "`"}:
        return " ".join(_WORD.findall(literal.lstrip("rbfuRBFU")))

    hexadecimal = _HEXADECIMAL.fullmatch(literal)
    if hexadecimal is not None:
        return hexadecimal[1].replace("_", "").lower()

    return _NOTATION.sub("", literal)


def written_names(source: ParsedSource) -> set[str]:
    """Return the variables that a text sets, or whose contents it uses."""
    found: set[str] = set()
    for kind, field in tables.WRITES.items():
        for node in source.find(kind):
            text = field_text(node, field) if field else node.text()
            found.update(_WORD.findall(text))

    # `std::cin >> n`, `scan(&n)`
    found.update(re.findall(r"(?:>>|[(,=]\s*&)\s*(\w+)", source.text))
    return found


# --------------------------------------------------------------------------------------- types


def arguments_around(source: ParsedSource, offset: int) -> tuple[str, list[str]]:
    """Return the function of the innermost call with this offset among its arguments, and their texts; else "" and []."""
    for node in reversed(source.nodes_around(offset)):
        arguments = node.field("arguments")
        if arguments is None:
            continue

        start, end = span_of(arguments)
        if start <= offset <= end:
            named = [child.text() for child in arguments.children() if child.is_named()]
            return field_text(node, "function", "name"), named

    return "", []


def _type_facts(node: SgNode, language: str) -> Iterator[Fact]:
    text = node.text()
    start, _ = span_of(node)
    # The type `string` is of the kind of a string.
    if node.kind() in tables.LITERALS and not text.isidentifier():
        yield Fact("literal type", text, start)

    if node.children():
        return

    if text in tables.UNIONS:
        yield Fact("wider type", text, start)

    # The constraint of a type parameter is no wide type: `[T any]`.
    is_constraint = "type_parameter_declaration" in map(node_kind, node.ancestors())
    if text in tables.WIDE_TYPES[language] and not is_constraint:
        yield Fact("wide type", text, start)


def _import_facts(node: SgNode) -> Iterator[Fact]:
    """Yield what an import gives another name."""
    start, _ = span_of(node)
    text = node.text()
    if _IMPORTED_ANY.search(text):
        yield Fact("wide type", "Any", start)
        return

    for pattern in (_IMPORTED_AS, _IMPORTED_PACKAGE):
        for found in pattern.finditer(text):
            renamed = f"{found['name']}\0{found['thing']}"
            yield Fact("import alias", renamed, start + found.start("name"))


# ---------------------------------------------------------------------------------------- code


def _code_facts(node: SgNode, language: str) -> Iterator[Fact]:
    """Yield what a node is by its kind, by its text and by its parts."""
    kind = node.kind()
    start, _ = span_of(node)
    for fact, word in tables.FACTS_BY_KIND.get(kind, ()):
        yield Fact(fact, word or _literal_text(node), start)

    if node.text() == "Any":
        yield Fact("wide type", "Any", start)

    yield from _pattern_facts(node)
    if kind in tables.CALLEES:
        yield from _call_facts(node, language)

    for reader in _READERS.get(kind, ()):
        yield from reader(node)


def _block_facts(block: SgNode) -> Iterator[Fact]:
    """Yield a block that is only there to end the life of what is in it."""
    holders = list(map(node_kind, block.ancestors()))
    if holders[:1] == ["expression_statement"]:
        del holders[0]

    start, _ = span_of(block)
    if not tables.BLOCKS.isdisjoint(holders[:1]):
        yield Fact("evasion", "{ }", start)


def _pattern_facts(node: SgNode) -> Iterator[Fact]:
    """Yield what the text of a node shows."""
    start, _ = span_of(node)
    for pattern, fact, word in tables.PATTERNS.get(node.kind(), ()):
        # `re` compiles a pattern when the first such node is seen, and keeps it.
        found = re.match(pattern, node.text(), re.DOTALL)
        if found is not None:
            group = found.re.groups
            yield Fact(fact, word or found[group], start + found.start(group))


def _literal_text(node: SgNode) -> str:
    """Return the text of a constant; of a string, without the code in it."""
    kind = node.kind()
    children = node.children()
    if "string" not in kind:
        return node.text()

    if is_plain_string(kind, children):
        return node.text()

    parts = [child.text() for child in children if child.kind() in _STRING_TEXT]
    text = "".join(parts)
    return f'"{text}"'


def _call_facts(node: SgNode, language: str) -> Iterator[Fact]:
    field = tables.CALLEES[node.kind()]
    callee = node.field(field)
    if callee is None:
        return

    last = _last_part(callee)
    name = last.text()
    start, _ = span_of(last)
    yield Fact("call", name, start)
    if name in tables.EVADING_CALLS[language]:
        yield Fact("evasion", name, start)


def _last_part(node: SgNode) -> SgNode:
    """Return the last name of a dotted or generic one."""
    inner = first_field(node, *tables.LAST_PARTS)
    while inner is not None:
        node = inner
        inner = first_field(node, *tables.LAST_PARTS)

    return node


def _operator_facts(node: SgNode) -> Iterator[Fact]:
    parts = [" ".join(child.text().split()) for child in node.children()]
    for child, text in zip(node.children(), parts, strict=True):
        start, _ = span_of(child)
        sign = tables.ASSIGNING.get(text, text)
        if sign in tables.OPERATORS and not child.is_named():
            yield Fact(tables.OPERATORS[sign], sign, start)

    start, _ = span_of(node)
    match parts:
        case [_, sign, _] if sign in tables.ORDERED:
            text = "\0".join(parts)
            yield Fact("order", text, start)


def _binding_facts(node: SgNode) -> Iterator[Fact]:
    """Yield a definition without meaning: `y = None`, an empty function."""
    left, right = tables.BINDINGS[node.kind()]
    # In C the name of a function is in its declarator.
    name, value = first_field(node, left, "declarator"), node.field(right)
    if name is None:
        return

    if node.field("superclasses") is not None:
        return

    function = _function_in(value) or node
    if function is not node:
        value = function.field("body")

    text = ""
    if value is not None:
        text = _BLANK.sub("", value.text())

    if node.kind() == _MACRO:
        text = _WRAPPED.sub("", text)

    start, _ = span_of(name)
    if text in tables.NOTHING or _is_stub(function, text):
        yield Fact("nothing", name.text(), start)

    # `x += 1` gives no value, it only changes one.
    signs = set(map(node_text, node.children()))
    gives_value = node.kind() == "preproc_def" or not _SETS.isdisjoint(signs)
    if value is not None and gives_value:
        # In C the name is in a declarator.
        declarator = name.text().partition("(")[0]
        words = _WORD.findall(declarator)
        yield from _value_facts("".join(words[-1:]), value)


def _function_in(value: SgNode | None) -> SgNode | None:
    """Return the function without a name that is a value; in Go the value is in a list."""
    if value is None:
        return None

    if value.kind() == "expression_list":
        value = value.child(0) or value

    if value.kind() in FUNCTIONS:
        return value

    return None


def _enumeration_facts(names: SgNode) -> Iterator[Fact]:
    """Yield what the only name of an enumeration is: one of several has a meaning by its place."""
    found = [child for child in names.named_children() if child.kind() == "enumerator"]
    if len(found) == 1:
        yield from _binding_facts(found[0])


def _value_facts(name: str, value: SgNode) -> Iterator[Fact]:
    """Yield whether the value of a variable is written out, or computed by a call."""
    start, _ = span_of(value)
    text = value.text().strip()
    if _is_written_out(value):
        yield Fact("constant", name, start)

    if _is_name(value):
        yield Fact("alias", f"{name}\0{text}", start)

    if not tables.CALLEES.keys().isdisjoint(map(node_kind, all_nodes(value))):
        yield Fact("computed", name, start)


def _is_written_out(value: SgNode) -> bool:
    # The grammar does not read the value of a macro.
    if value.kind() == "preproc_arg":
        return _NUMBER.fullmatch(value.text()) is not None

    return value.kind() in tables.LITERALS


def _is_name(value: SgNode) -> bool:
    # The grammar does not read the value of a macro, and leaves the blanks around it.
    if value.kind() == "preproc_arg":
        return value.text().strip().isidentifier()

    return value.kind() in tables.NAMES


def _is_stub(node: SgNode, body: str) -> bool:
    """Return whether a function, and no method, returns only a constant or what it was passed."""
    if node.kind() not in FUNCTIONS and node.kind() != _MACRO:
        return False

    holders = "/".join(map(node_kind, islice(node.ancestors(), 2)))
    if holders.startswith(tables.MEMBER_LISTS):
        return False

    listed = parameters_of(node)
    if listed is not None and body.isidentifier():
        names = _WORD.findall(listed.text())
        return body in names

    return _CONSTANT.fullmatch(body) is not None


def _result_facts(statement: SgNode) -> Iterator[Fact]:
    """Yield a result from a constant: whether it is one, and a parameter that nothing uses."""
    start, _ = span_of(statement)
    values = statement.named_children()
    if len(values) != 1:
        return

    value = values[0]
    compares = _compares_with_constant(value)
    if not compares and _is_made_up(value):
        yield Fact("made up", statement.text(), start)

    if not compares and value.kind() not in tables.LITERALS:
        return

    for function in functions_in(statement.ancestors())[:1]:
        for unused in islice(unused_parameters(function), 1):
            yield Fact("constant result", unused, start)


def _is_made_up(value: SgNode) -> bool:
    """Return whether a value is more than variables: it has a constant, a call or a negation.

    A negative number says that there is no result.
    """
    if _NO_RESULT.fullmatch(value.text()):
        return False

    return not tables.MADE_UP.isdisjoint(map(node_kind, all_nodes(value)))


def _compares_with_constant(value: SgNode) -> bool:
    """Return whether a value is the comparison of something with a constant."""
    if value.kind() not in tables.OPERATIONS:
        return False

    if tables.COMPARISONS.isdisjoint(signs_of(value)):
        return False

    return not tables.LITERALS.isdisjoint(map(node_kind, value.named_children()))


def unused_parameters(function: SgNode) -> Iterator[str]:
    """Yield the parameters that the body of a function does not use."""
    listed = parameters_of(function)
    body = function.field("body")
    if listed is None:
        return

    if body is None:
        return

    used = set(tables.RECEIVERS)
    used.update(map(node_text, leaves(body)))
    for parameter in listed.named_children():
        name = parameter_name(parameter)
        if name.isidentifier() and name not in used:
            yield name


def _statement_facts(statement: SgNode) -> Iterator[Fact]:
    """Yield a statement that is only a string with code in it, and no documentation."""
    text = statement.text()
    start, _ = span_of(statement)
    kinds = set(map(node_kind, statement.named_children()))
    if not tables.TEXTS.issuperset(kinds):
        return

    if "(" in text and not _is_documentation(statement):
        yield Fact("idle string", text, start)


def _is_documentation(statement: SgNode) -> bool:
    """Return whether a statement is the first one of a text, a function or a class."""
    if statement.prev() is not None:
        return False

    # The one around is a block, or the text itself.
    around = list(map(node_kind, statement.ancestors()))
    return "".join(around[1:2]) in tables.DOCUMENTED


def _body_facts(statement: SgNode) -> Iterator[Fact]:
    """Yield a condition or a loop whose body is empty: what follows runs in any case."""
    parts = statement.children()
    start, end = span_of(parts[-1])
    if end - start == 1 and parts[-1].text() == ";":
        yield Fact("idle body", parts[0].text(), start)


def _macro_facts(macro: SgNode) -> Iterator[Fact]:
    """Yield a macro of Rust that expands to nothing, or to a constant."""
    name = macro.field("name")
    if name is None:
        return

    bodies: list[str] = []
    for rule in macro.find_all(kind="macro_rule"):
        result = field_text(rule, "right")
        # Without the brackets around it.
        body = _BLANK.sub("", result[1:-1])
        bodies.append(body.strip("()"))

    start, _ = span_of(macro)
    if all(map(_is_nothing, bodies)):
        yield Fact("nothing", name.text(), start)


def _is_nothing(text: str) -> bool:
    return text in tables.NOTHING or _NUMBER.fullmatch(text) is not None


_READERS: Final = _by_kind(
    (tables.BLOCKS, _block_facts),
    (tables.OPERATIONS, _operator_facts),
    (tables.BINDINGS.keys() - {"enumerator"}, _binding_facts),
    ({"enumerator_list"}, _enumeration_facts),
    (tables.CONDITIONED, _body_facts),
    ({"macro_definition"}, _macro_facts),
    ({"return_statement"}, _result_facts),
    ({"expression_statement"}, _statement_facts),
)
"""What reads the facts of a node, by its kind."""
