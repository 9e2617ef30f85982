"""What becomes of the value of an expression: what it is beside, what it is for, who gets it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.context import types_in
from holdfast.rules.match.node_classes import (
    CALLS,
    LISTS,
    class_of_name,
    is_literal,
    is_operation,
)
from holdfast.rules.type_text import is_number
from holdfast.syntax.tree import field_text, first_field, signs_of, span_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.rules.match.surroundings import Site

_BINDINGS: Final = re.compile("declarator$|^let_declaration$|^assignment$")
_RETURNS: Final = re.compile("^return_")
_FRACTIONS: Final = re.compile(r"\b(?:float|double|f32|f64|Float|Double|Decimal)\b")
_ARITHMETIC: Final = frozenset("+-*/%")
_TARGET: Final = re.compile(r"([^\W\d]\w*)\s*(?::[^=]*)?=[^=]*$")
_DECIMALS: Final = re.compile(r"%\d*\.\d+[efg]|:[^{}]*\.\d+[efg]?\}|\.toFixed\(")
_CALLED: Final = re.compile(r"(\w+)\(([^()]*)\)")
_NAMES: Final = re.compile(r"[^\W\d]\w*")
_NUMBER: Final = re.compile(r"(?<![\w.$])\d[\w.]*")
_POINTERS: Final = frozenset({"c", "cpp"})


def form_of_result(site: Site) -> Iterator[str]:
    """Yield what a value of C is for: a `pointer` or another `value`."""
    declared = _declaration_for(site)
    if declared is None:
        return

    if site.source.language not in _POINTERS:
        return

    declarator = declared.field("declarator")
    if declarator is not None and declarator.kind() == "pointer_declarator":
        yield "pointer"
    elif _is_value(declared):
        yield "value"


def is_fraction(site: Site) -> bool:
    """Return whether a value is for something that is declared as a fraction."""
    declared = _declaration_for(site)
    if declared is None:
        return False

    return _FRACTIONS.search(_type_of(declared)) is not None


def _declaration_for(site: Site) -> SgNode | None:
    """Return the variable that a value initializes, or the function that returns it."""
    for node in site.outer:
        if site.contains(node):
            continue

        if _is_part(node):
            continue

        if _RETURNS.match(node.kind()):
            return next(reversed(site.owners), None)

        if _BINDINGS.search(node.kind()):
            return node

        return None

    return None


def _is_part(node: SgNode) -> bool:
    """Return whether the value of a node is computed from those of its parts, which it is like."""
    if node.kind() in LISTS:
        return True

    if node.kind() == "cast_expression":
        return True

    if not is_operation(node.kind()):
        return False

    return not _ARITHMETIC.isdisjoint(signs_of(node))


def _is_value(declared: SgNode) -> bool:
    kind = _type_of(declared)
    if not bool(kind):
        return False

    return not _FRACTIONS.search(kind)


def _type_of(declared: SgNode) -> str:
    """Return the type of a variable, or of what a function returns."""
    return field_text(declared, "return_type", "type") or field_text(declared.parent(), "type")


def uses_of_target(site: Site) -> Iterator[str]:
    """Yield what the variable that gets the value at a place is used for afterwards.

    A number whose bits are taken apart is a code, and no amount: `(color >> 16) & 255`. One that is
    shown with decimals is no integer. One that is compared with zero may stand for nothing.
    """
    text = site.source.text
    line_start = text.rfind("\n", 0, site.span[0]) + 1
    target = _TARGET.search(text[line_start : site.span[0]])
    if target is None:
        return

    ends = [span_of(owner)[1] for owner in site.owners] or [len(text)]
    following = text[site.span[1] : ends[-1]].split("\n")
    lines = [line for line in following if target[1] in _NAMES.findall(line)]
    if re.search(rf"\b{target[1]}\s*(?:&(?!&)|>>)", "\n".join(lines)):
        yield "bits"

    if re.search(rf"\b{target[1]}\s*[!=]=\s*0\b", "\n".join(lines)):
        yield "zero"

    if any(map(_DECIMALS.search, lines)):
        yield "decimals"


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


def types_missing(site: Site) -> set[str]:
    """Return the types of numbers in a message that no variable at the place has.

    In `(char) (letter + 1)` a letter becomes a letter again; the sum of two digits is none.
    """
    types = set(site.diagnostic.args)
    if not all(map(is_number, types - {"char"})):
        return set()

    start, end = site.span
    declared = types_in(site.source, site.source.text[start:end], start)
    return types.difference(_NAMES.findall(" ".join(declared)))


def numbers_beside(site: Site) -> list[str]:
    """Return the numbers on the lines of a place, if the fix writes a number of its own.

    The number may belong to a formula: `4 / 3 * r ** 3` is no `r ** 2`.
    """
    written = set(_NUMBER.findall(site.rewrite.fix))
    if written.issubset(_NUMBER.findall(site.rewrite.pattern)):
        return []

    source = site.source
    first, last = map(source.line_of, site.span)
    before = source.text[source.line_starts[first] : site.span[0]]
    return _NUMBER.findall(before + source.text[site.span[1] : source.line_end(last)])


def _kind_of_operand(operand: SgNode, site: Site) -> str:
    is_text = "string" in operand.kind()
    if not is_literal(operand):
        name = re.escape(operand.text())
        is_text = re.search(rf"\b{name}(?::[^=\n]*)?\s*=\s*[\"']", site.source.text) is not None

    if is_text:
        return "text"

    return "value"


def constants_in(site: Site) -> Iterator[str]:
    """Yield the holes that are named constants."""
    for hole, text in site.names.items():
        if class_of_name(text) == "constant":
            yield hole


def passed_functions(site: Site) -> Iterator[str]:
    """Yield the holes that are names of functions which the program passes on as values."""
    for hole, text in site.names.items():
        declared = re.search(rf"\b(?:def|fn|func|function)\s+{text}\b", site.source.text)
        if declared and re.search(rf"[(,]\s*{text}\s*[,)]", site.source.text):
            yield hole


def other_calls(site: Site) -> Iterator[str]:
    """Yield how the program calls a function that the fix writes with fewer or more arguments."""
    written = {}
    for name, listed in _CALLED.findall(site.rewrite.fix):
        if f"{name}(" not in site.rewrite.pattern:
            written[name] = len(re.findall(r"[^,\s][^,]*", listed))

    for node in site.source.nodes:
        arguments = first_field(node, "arguments")
        if node.kind() not in CALLS:
            continue

        if arguments is None:
            continue

        name = re.split(r"\W", node.text().partition("(")[0])[-1]
        count = len(arguments.named_children())
        if written.get(name, count) != count:
            yield f"{name} {count}"
