"""What the body of a function does: something, or as good as nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from holdfast.syntax.dead_code import ends
from holdfast.syntax.tree import leaves

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource


class Deed(IntEnum):
    """What a body, or a statement of it, comes to."""

    NOTHING = 0
    RETURN = 1
    CONSTANT = 2
    NAME = 3
    RAISE = 4
    WORK = 5


_RAISES: Final = frozenset({"raise_statement", "throw_statement", "throw_expression"})
_RETURNS: Final = frozenset({"return_statement", "return_expression"})
_LISTS: Final = frozenset({"statement_list", "block", "statement_block", "compound_statement"})
_EMPTY: Final = frozenset({"pass_statement", "empty_statement", "ellipsis", "comment"})
_LITERALS: Final = re.compile(
    r".*(?:string|literal|integer|float|number|character).*|true|false|none|null|nil|undefined|ellipsis|nullptr|unit_expression"
)
_CONSTANTS: Final = re.compile(
    r"[Nn]one|NULL|null|nil|nullptr|undefined|[Tt]rue|[Ff]alse|TRUE|FALSE|(?:\w+::)?Default::default\(\)|(?:Vec|String|HashMap|HashSet)::new\(\)|vec!\[\]|"
    r"(?:List|Set|Map)\.of\(\)|\{\}|\[\]|\(\)"
)
_SETS: Final = frozenset(
    {"assignment", "assignment_expression", "assignment_statement", "short_var_declaration"}
)
_DECLARES: Final = frozenset(
    {"variable_declarator", "init_declarator", "let_declaration", "var_spec", "const_spec"}
)
_NAMES: Final = frozenset({"identifier", "expression_list", "blank_identifier", "_"})


def deed_of(body: SgNode, reading: ParsedSource) -> Deed:
    """Say what a body comes to, without its dead code."""
    deeds = [
        _deed(statement, tail=statement.range() == body.range())
        for statement in _statements(body, reading)
    ]
    tail = _tail(body, reading)
    if tail is not None and deeds:
        deeds[-1] = _value(tail)
    for deed in (Deed.WORK, Deed.RAISE, Deed.NAME, Deed.CONSTANT, Deed.RETURN):
        if deed in deeds:
            return deed
    return Deed.NOTHING


def is_emptied(then: Deed, now: Deed) -> bool:
    """Whether a body that did something does as good as nothing any more.

    The line: `return name` may become a constant (`EXIT_SUCCES`, 0) or a bare `return`, and what did nothing may raise
    (an abstract method); what worked must work, and what gave a value must not raise or be empty.
    """
    if then is Deed.WORK:
        return now not in {Deed.WORK, Deed.NAME}
    if then is Deed.NAME:
        return now in {Deed.NOTHING, Deed.RAISE}
    return then is Deed.CONSTANT and now is Deed.RAISE


def does_nothing(block: SgNode, reading: ParsedSource) -> bool:
    """Whether a block holds no statement that does anything."""
    return deed_of(block, reading) is Deed.NOTHING


def does_work(statement: SgNode) -> bool:
    """Whether one statement is more than a constant, a bare name or a raised error."""
    return _deed(statement, tail=False) is Deed.WORK


def _statements(body: SgNode, reading: ParsedSource) -> Iterator[SgNode]:
    if body.kind() not in _LISTS and body.kind() != "constructor_body":
        yield body  # an arrow function's expression
        return
    for child in body.named_children():
        if "comment" in child.kind() or reading.is_dead(child.range().start.index):
            continue
        if child.kind() in {"statement_list", "block", "compound_statement", "statement_block"}:
            yield from _statements(child, reading)
        else:
            yield child


def _tail(body: SgNode, reading: ParsedSource) -> SgNode | None:
    """Give the last expression of a Rust block, which is its value."""
    if reading.language != "rust":
        return None
    last = next(
        (node for node in reversed(body.named_children()) if "comment" not in node.kind()), None
    )
    if last is None or last.kind().endswith(("_statement", "_declaration", "_item")):
        return None
    return last


def _deed(statement: SgNode, *, tail: bool) -> Deed:
    kind = statement.kind()
    if kind in _EMPTY:
        return Deed.NOTHING
    if kind in _RETURNS:
        inner = statement.named_children()
        return _value(inner[0]) if inner else Deed.RETURN
    if kind in _RAISES:
        return Deed.RAISE
    if tail:
        return _value(statement)
    if ends(statement):
        return Deed.RAISE
    if kind == "expression_statement":
        inner = [node for node in statement.named_children() if "comment" not in node.kind()]
        return (
            _deed_of_expression(inner[0])
            if len(inner) == 1
            else Deed.NOTHING
            if not inner
            else Deed.WORK
        )
    return _deed_of_expression(statement)


def _deed_of_expression(node: SgNode) -> Deed:
    kind = node.kind()
    if kind in _RETURNS or kind in _RAISES:
        return _deed(node, tail=False)
    if is_constant(node) or kind == "identifier" or is_discarded(node):
        return Deed.NOTHING
    if kind in _SETS:
        return Deed.NOTHING if _sets_constant(node, "left", "right") else Deed.WORK
    if kind in {
        "lexical_declaration",
        "variable_declaration",
        "declaration",
        "local_variable_declaration",
    }:
        parts = [part for part in node.named_children() if part.kind() in _DECLARES]
        return (
            Deed.NOTHING
            if all(_sets_constant(part, "name", "value") for part in parts)
            else Deed.WORK
        )
    if kind == "let_declaration":
        return Deed.NOTHING if _sets_constant(node, "pattern", "value") else Deed.WORK
    return Deed.WORK


def _value(node: SgNode) -> Deed:
    """Say what it comes to, to give back a value."""
    if ends(node) or node.kind() in _RAISES:
        return Deed.RAISE
    if is_constant(node):
        return Deed.CONSTANT
    inner = node.named_children()
    if node.kind() in {"expression_list", "parenthesized_expression"} and len(inner) == 1:
        return _value(inner[0])
    return Deed.NAME if node.kind() in {"identifier", "self", "this"} else Deed.WORK


def is_constant(node: SgNode) -> bool:
    """Whether a value is written out, whole: `0`, `-1`, `[]`, `null!`, `Default::default()`."""
    if node.kind() in {"as_expression", "non_null_expression", "type_assertion", "cast_expression"}:
        inner = node.named_children()
        return any(is_constant(part) for part in inner)
    if node.kind() in {"lambda", "arrow_function", "function_expression"}:
        return False
    if _CONSTANTS.fullmatch(node.text()):
        return True
    return all(
        _LITERALS.fullmatch(leaf.kind()) is not None
        or _CONSTANTS.fullmatch(leaf.text()) is not None
        for leaf in leaves(node)
        if leaf.is_named()
    )


def is_discarded(node: SgNode) -> bool:
    """Whether a name is only spoken, to look used: `(void)x`, `void x`, `_ = x`, `let _ = x`."""
    text = node.text().rstrip(";")
    return re.fullmatch(r"(?:\(void\)|void\s|(?:let\s+)?_\s*=)\s*&?[A-Za-z_]\w*", text) is not None


def _sets_constant(node: SgNode, left: str, right: str) -> bool:
    name, value = node.field(left) or node.field("declarator"), node.field(right)
    if value is None:
        return node.kind() in _DECLARES or node.kind() == "assignment"
    return name is not None and name.kind() in _NAMES and is_constant(value)
