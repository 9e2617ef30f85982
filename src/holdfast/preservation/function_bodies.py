"""What the body of a function does, from nothing to work."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from holdfast.syntax.dead_code import ends
from holdfast.syntax.tree import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource


class BodyEffect(IntEnum):
    """What a body, or a statement of it, does."""

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
    r".*(?:string|literal|integer|float|number|character).*|true|false|none|null|nil|undefined|"
    r"ellipsis|nullptr|unit_expression"
)
_CONSTANTS: Final = re.compile(
    r"[Nn]one|NULL|null|nil|nullptr|undefined|[Tt]rue|[Ff]alse|TRUE|FALSE|"
    r"(?:\w+::)?Default::default\(\)|(?:Vec|String|HashMap|HashSet)::new\(\)|vec!\[\]|"
    r"(?:List|Set|Map)\.of\(\)|\{\}|\[\]|\(\)"
)
_SETS: Final = frozenset(
    {"assignment", "assignment_expression", "assignment_statement", "short_var_declaration"}
)
_DECLARES: Final = frozenset(
    {"variable_declarator", "init_declarator", "let_declaration", "var_spec", "const_spec"}
)
_NAMES: Final = frozenset({"identifier", "expression_list", "blank_identifier", "_"})


def effect_of(body: SgNode, reading: ParsedSource) -> BodyEffect:
    """Return what a body does, without its dead code."""
    effects = [
        _effect(statement, tail=statement.range() == body.range())
        for statement in _statements(body, reading)
    ]
    tail = _tail(body, reading)
    if tail is not None and effects:
        effects[-1] = _value(tail)
    for effect in (
        BodyEffect.WORK,
        BodyEffect.RAISE,
        BodyEffect.NAME,
        BodyEffect.CONSTANT,
        BodyEffect.RETURN,
    ):
        if effect in effects:
            return effect
    return BodyEffect.NOTHING


def is_emptied(then: BodyEffect, now: BodyEffect) -> bool:
    """Return whether a body that did something does almost nothing now.

    `return name` may become a constant (`EXIT_SUCCES`, 0) or a bare `return`, and a body that did
    nothing may raise (an abstract method). A body that worked must still work, and a body that
    returned a value must not raise or be empty.
    """
    if then is BodyEffect.WORK:
        return now not in {BodyEffect.WORK, BodyEffect.NAME}
    if then is BodyEffect.NAME:
        return now in {BodyEffect.NOTHING, BodyEffect.RAISE}
    return then is BodyEffect.CONSTANT and now is BodyEffect.RAISE


def does_nothing(block: SgNode, reading: ParsedSource) -> bool:
    """Return whether no statement of a block does anything."""
    return effect_of(block, reading) is BodyEffect.NOTHING


def does_work(statement: SgNode) -> bool:
    """Return whether a statement is more than a constant, a bare name or a raised error."""
    return _effect(statement, tail=False) is BodyEffect.WORK


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
    """Return the last expression of a Rust block, which is its value."""
    if reading.language != "rust":
        return None
    last = next(
        (node for node in reversed(body.named_children()) if "comment" not in node.kind()), None
    )
    if last is None or last.kind().endswith(("_statement", "_declaration", "_item")):
        return None
    return last


def _effect(statement: SgNode, *, tail: bool) -> BodyEffect:
    kind = statement.kind()
    if kind in _EMPTY:
        return BodyEffect.NOTHING
    if kind in _RETURNS:
        inner = statement.named_children()
        return _value(inner[0]) if inner else BodyEffect.RETURN
    if kind in _RAISES:
        return BodyEffect.RAISE
    if tail:
        return _value(statement)
    if ends(statement):
        return BodyEffect.RAISE
    if kind == "expression_statement":
        inner = [node for node in statement.named_children() if "comment" not in node.kind()]
        if not inner:
            return BodyEffect.NOTHING
        if len(inner) > 1:
            return BodyEffect.WORK
        return _effect_of_expression(inner[0])
    return _effect_of_expression(statement)


def _effect_of_expression(node: SgNode) -> BodyEffect:
    kind = node.kind()
    if kind in _RETURNS or kind in _RAISES:
        return _effect(node, tail=False)
    if is_constant(node) or kind == "identifier" or is_discarded(node):
        return BodyEffect.NOTHING
    if kind in _SETS:
        return BodyEffect.NOTHING if _sets_constant(node, "left", "right") else BodyEffect.WORK
    if kind in {
        "lexical_declaration",
        "variable_declaration",
        "declaration",
        "local_variable_declaration",
    }:
        parts = [part for part in node.named_children() if part.kind() in _DECLARES]
        return (
            BodyEffect.NOTHING
            if all(_sets_constant(part, "name", "value") for part in parts)
            else BodyEffect.WORK
        )
    if kind == "let_declaration":
        return BodyEffect.NOTHING if _sets_constant(node, "pattern", "value") else BodyEffect.WORK
    return BodyEffect.WORK


def _value(node: SgNode) -> BodyEffect:
    """Return what a statement does that returns this value."""
    if ends(node) or node.kind() in _RAISES:
        return BodyEffect.RAISE
    if is_constant(node):
        return BodyEffect.CONSTANT
    inner = node.named_children()
    if node.kind() in {"expression_list", "parenthesized_expression"} and len(inner) == 1:
        return _value(inner[0])
    return BodyEffect.NAME if node.kind() in {"identifier", "self", "this"} else BodyEffect.WORK


def is_constant(node: SgNode) -> bool:
    """Return whether a value consists of literals: `-1`, `[]`, `null!`, `Default::default()`."""
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
    """Return whether a name is used only to look used: `(void)x`, `void x`, `let _ = x`."""
    text = node.text().rstrip(";")
    return re.fullmatch(r"(?:\(void\)|void\s|(?:let\s+)?_\s*=)\s*&?[A-Za-z_]\w*", text) is not None


def _sets_constant(node: SgNode, left: str, right: str) -> bool:
    name, value = node.field(left) or node.field("declarator"), node.field(right)
    if value is None:
        return node.kind() in _DECLARES or node.kind() == "assignment"
    return name is not None and name.kind() in _NAMES and is_constant(value)
