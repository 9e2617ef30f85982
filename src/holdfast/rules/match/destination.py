"""What becomes of the value of an expression: what it is beside, what it is for, who gets it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.context import owners_at
from holdfast.rules.match.node_classes import (
    BLOCKS,
    CALLS,
    LISTS,
    class_of_name,
    is_literal,
    is_operation,
)
from holdfast.syntax.tree import all_nodes, span_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ast_grep_py import SgNode

    from holdfast.rules.rule import Rewrite
    from holdfast.syntax.source import ParsedSource

_BINDINGS: Final = re.compile("declarator$|^let_declaration$|^assignment$")
_RETURNS: Final = re.compile("^return_")
_FRACTIONS: Final = re.compile(r"\b(?:float|double|f32|f64|Float|Double|Decimal)\b")
_ARITHMETIC: Final = frozenset("+-*/%")
_TARGET: Final = re.compile(r"([^\W\d]\w*)\s*(?::[^=]*)?=[^=]*$")
_DECIMALS: Final = re.compile(r"%\d*\.\d+[efg]|:[^{}]*\.\d+[efg]?\}|\.toFixed\(")
_CALLED: Final = re.compile(r"(\w+)\(([^()]*)\)")
_NAMES: Final = re.compile(r"[^\W\d]\w*")
_LOOPS: Final = re.compile("^(?:for|while|do|loop|enhanced_for)_")
_BRANCHES: Final = frozenset({"if_statement", "if_expression", "switch_statement", "switch_block"})
_STRING: Final = re.compile("string")


def form_of_result(source: ParsedSource, span: tuple[int, int]) -> str:
    """Return what the value at a span is for: a `pointer`, a `fraction` or another `value`.

    That is told by the declaration of the variable that it initializes, or of the function that
    returns it; without one of them it is "".
    """
    for node in reversed(source.nodes_around(span[0])):
        low, high = span_of(node)
        if span[0] <= low and high <= span[1]:
            continue
        if _RETURNS.match(node.kind()):
            owners = owners_at(source, span[0])
            return _form_of(owners[-1]) if owners else ""
        if _BINDINGS.search(node.kind()):
            return _form_of(node)
        if not _is_calculation(node) and node.kind() not in LISTS:
            return ""
    return ""


def _is_calculation(node: SgNode) -> bool:
    """Return whether the value of a node is computed from those of its parts, which it is like."""
    if not is_operation(node.kind()):
        return False
    signs = {child.text() for child in node.children() if not child.is_named()}
    return not signs.isdisjoint(_ARITHMETIC) or node.kind() == "cast_expression"


def _form_of(declared: SgNode) -> str:
    """Return the form of what a function returns, or of a variable."""
    declarator = declared.field("declarator")
    if declarator is not None and declarator.kind() == "pointer_declarator":
        return "pointer"
    kind = declared.field("return_type") or declared.field("type")
    parent = declared.parent()
    if kind is None and parent is not None:
        kind = parent.field("type")
    if kind is None:
        return ""
    return "fraction" if _FRACTIONS.search(kind.text()) else "value"


def uses_of_target(source: ParsedSource, span: tuple[int, int]) -> Iterator[str]:
    """Yield what the variable that gets the value at a span is used for afterwards.

    A number whose bits are taken apart is a code, and no amount: `(color >> 16) & 255`. One that is
    shown with decimals is no integer.
    """
    line_start = source.text.rfind("\n", 0, span[0]) + 1
    target = _TARGET.search(source.text[line_start : span[0]])
    if target is None:
        return
    owners = owners_at(source, span[0])
    low, high = span_of(owners[-1]) if owners else (0, len(source.text))
    for line in source.text[max(low, span[1]) : high].split("\n"):
        if not re.search(rf"\b{target[1]}\b", line):
            continue
        if re.search(rf"\b{target[1]}\s*(?:&(?!&)|>>)", line):
            yield "bits"
        if _DECIMALS.search(line):
            yield "decimals"


def is_overwritten(source: ParsedSource, span: tuple[int, int]) -> bool:
    """Return whether each turn of a loop sets a variable to a value: only the last one counts."""
    target = ""
    for node in reversed(source.nodes_around(span[0])):
        if node.kind() in _BRANCHES:
            return False
        left, right = node.field("left"), node.field("right")
        if node.kind() == "assignment_expression" and left is not None and right is not None:
            is_new = left.text() not in _NAMES.findall(right.text())
            is_value = span_of(right)[0] <= span[1] and span[0] <= span_of(right)[1]
            target = left.text() if is_new and is_value else ""
        if target and _LOOPS.search(node.kind()):
            return _NAMES.findall(node.text()).count(target) == 1
    return False


def is_result_dropped(source: ParsedSource, span: tuple[int, int]) -> bool:
    """Return whether the call at a span is a statement: nothing uses its result."""
    for node in source.nodes_around(span[0]):
        if span_of(node) == span and node.kind() in CALLS:
            parent = node.parent()
            return parent is not None and parent.kind() in {*BLOCKS, "expression_statement"}
    return False


def kind_beside(source: ParsedSource, start: int) -> str:
    """Return what the operand at an offset is combined with: a `text` or a `value`.

    A variable that is set to a text is one. Without an operation it is "".
    """
    for node in reversed(source.nodes_around(start)):
        if not re.search("binary_", node.kind()):
            continue
        for operand in node.named_children():
            low, high = span_of(operand)
            if not low <= start <= high:
                return _kind_of_operand(operand, source)
        return ""
    return ""


def _kind_of_operand(operand: SgNode, source: ParsedSource) -> str:
    if is_literal(operand):
        return "text" if _STRING.search(operand.kind()) else "value"
    text = re.escape(operand.text())
    is_text = re.search(rf"\b{text}(?::[^=\n]*)?\s*=\s*[\"']", source.text)
    return "text" if is_text else "value"


def constants_in(holes: Mapping[str, str]) -> Iterator[str]:
    """Yield the holes that are named constants."""
    for hole, text in holes.items():
        if text.isidentifier() and class_of_name(text) == "constant":
            yield hole


def passed_functions(source: ParsedSource, holes: Mapping[str, str]) -> Iterator[str]:
    """Yield the holes that are names of functions which the program passes on as values."""
    for hole, text in holes.items():
        if not text.isidentifier():
            continue
        declared = re.search(rf"\b(?:def|fn|func|function)\s+{text}\b", source.text)
        if declared and re.search(rf"[(,]\s*{text}\s*[,)]", source.text):
            yield hole


def other_calls(rewrite: Rewrite, source: ParsedSource) -> Iterator[str]:
    """Yield how the program calls a function that the fix writes with fewer or more arguments."""
    written = {}
    for name, listed in _CALLED.findall(rewrite.fix):
        if f"{name}(" not in rewrite.pattern:
            written[name] = listed.count(",") + bool(listed.strip())
    if source.root is None or not written:
        return
    for node in all_nodes(source.root):
        listed = node.field("arguments")
        if node.kind() not in CALLS or listed is None:
            continue
        name = re.split(r"\W", node.text().partition("(")[0])[-1]
        count = len(listed.named_children())
        if written.get(name, count) != count:
            yield f"{name} {count}"
