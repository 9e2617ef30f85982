"""The parts of a construct: which of them are operands, and of what kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.syntax.tree import field_text, parent_kind
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from ast_grep_py import SgNode

REFERENCE: Final = "reference"
EXPRESSION: Final = "expression"

BLOCKS: Final = frozenset(
    {
        "block",
        "statement_block",
        "compound_statement",
        "class_body",
        "declaration_list",
        "function_body",
        "module",
        "program",
        "translation_unit",
        "source_file",
        "interface_body",
        "enum_body",
        "field_declaration_list",
    }
)
"""Nodes that hold a list of statements or members."""
LISTS: Final = frozenset(
    {
        "argument_list",
        "arguments",
        "parameters",
        "formal_parameters",
        "parameter_list",
        "parenthesized_expression",
        "expression_list",
        "token_tree",
        "subscript_argument_list",
        "type_arguments",
        "parameter_declaration",
    }
)
"""Nodes that are only a part of a construct."""
PARAMETERS: Final = frozenset({"parameters", "formal_parameters", "parameter_list"})
_REFERENCES: Final = frozenset(
    {
        "identifier",
        "attribute",
        "subscript",
        "field_expression",
        "member_expression",
        "field_access",
        "selector_expression",
        "subscript_expression",
        "index_expression",
        "array_access",
    }
)
MEMBERS: Final = frozenset(
    {
        "attribute",
        "field_expression",
        "member_expression",
        "field_access",
        "method_invocation",
        "selector_expression",
        "scoped_identifier",
        "qualified_identifier",
    }
)
_AFTER_CALLEE: Final = frozenset({"argument_list", "arguments", "!"})
CALLS: Final = frozenset(
    {
        "call",
        "call_expression",
        "method_invocation",
        "new_expression",
        "object_creation_expression",
        "macro_invocation",
    }
)
_EXPRESSIONS: Final = lazy_pattern(
    r"(?<!parenthesized)_expression$|_operator$|comprehension$"
    r"|^(?:subscript|attribute|list|dictionary|set|tuple|array|object|lambda|arrow_function"
    r"|field_access|array_access|conditional_expression|generator_expression)$"
)
_OPERATIONS: Final = lazy_pattern(
    "binary|unary|comparison|boolean_operator|not_operator|ternary|conditional_expression|cast"
    "|lambda|arrow_function|await|as_expression"
)
_LITERALS: Final = lazy_pattern(r"string|number|integer|float|char_literal|decimal|_literal$")
_NAMES: Final = lazy_pattern(r"^(?:identifier|(?:field|property|shorthand_property)_identifier)$")
_NEVER_FREE: Final = frozenset({"null", "true", "false", "none", "null_literal"})
_FIXED_NAMES: Final = frozenset({"self", "cls", "this", "super"})


def kind_of(node: SgNode) -> str:
    """Return the kind of an operand: its node kind, or `reference` for a name with its members."""
    is_reference = node.kind() in _REFERENCES and "(" not in node.text()
    if is_reference:
        return REFERENCE

    return node.kind()


def exact_kind_of(node: SgNode) -> str:
    """Return the kind of an operand with its class: `reference:constant`, `string:empty`."""
    kind, text = kind_of(node), node.text()
    if is_literal(node):
        return f"{kind}:{class_of_literal(text)}"

    if kind == REFERENCE:
        return f"{kind}:{class_of_name(text)}"

    if kind in CALLS:
        return f"{kind}:{called_name(node)}"

    return kind


def called_name(call: SgNode) -> str:
    """Return what is called, without its receiver."""
    called = field_text(call, "name", "function", "macro", "constructor", "type")
    return re.split(r"\.|::|->|\s", called)[-1]


def is_operation(kind: str) -> bool:
    """Return whether a node kind is that of an operator with its operands."""
    return _OPERATIONS.search(kind) is not None


def class_of_name(text: str) -> str:
    """Return what the spelling of a name says: a constant, a type, or a variable."""
    if text.isupper() and len(text) > 1:
        return "constant"

    if text[:1].isupper():
        return "type"

    return "variable"


def class_of_literal(text: str) -> str:
    """Return what is special about a literal: zero, an empty string, digits, bytes, a format."""
    string = _STRING.fullmatch(text)
    classes, content, usual = _NUMBERS, text, "number"
    if string is not None:
        classes, content, usual = _CONTENTS, string["inner"], "text"

    for name, pattern in classes.items():
        if pattern.search(content):
            return name

    return usual


_STRING: Final = lazy_pattern(
    r"""[a-zA-Z]{0,3}(?P<quote>\"{3}|'{3}|["'`])(?P<inner>.*)(?P=quote)""", re.DOTALL
)
_NUMBERS: Final = {
    "fraction": lazy_pattern(r"\A\d*\.\d*[1-9]"),
    "zero": lazy_pattern(r"\A(?:0[xXbBoO][0_]*[uUlLn]*|[0._]*0[0._]*[fFuUlLdDn]*)\Z"),
}
_BYTES: Final = lazy_pattern(r"(?<!\\)(?:\\\\)*\\(?:x[0-9a-fA-F]|[0-7])")
"""A character that is written as a number: the string is data, and not a text."""
_CONTENTS: Final = {
    "empty": lazy_pattern(r"\A\Z"),
    "blank": lazy_pattern(r"\A(?:\s|\\[nrt])+\Z"),
    "digits": lazy_pattern(r"\A[ +.,-]*\d+[ +.,-]*\Z"),
    "bytes": _BYTES,
    "format": lazy_pattern(r"%[-+ 0-9.l]*[a-z]|\{"),
}
"""What is special about the inside of a string; the first that fits counts."""


def fits_kind(node: SgNode, kinds: tuple[str, ...]) -> bool:
    """Return whether a node has one of these kinds; a literal is no `expression`."""
    if not {kind_of(node), exact_kind_of(node), node.kind()}.isdisjoint(kinds):
        return True

    if EXPRESSION in kinds and is_expression(node):
        return True

    # A declarator without a value is only its name.
    children = node.children()
    if len(children) != 1:
        return False

    return fits_kind(children[0], kinds)


def node_kinds(kinds: tuple[str, ...], *, is_named: bool) -> list[str]:
    """Return the kinds of the nodes that an operand may be; one that `is_named` may be a member."""
    found = {"identifier", *(kind.partition(":")[0] for kind in kinds)}
    found.update(("field_identifier", "property_identifier") * is_named)
    if not found.isdisjoint({REFERENCE, EXPRESSION}):
        found |= _REFERENCES

    return sorted(found)


def is_literal(node: SgNode) -> bool:
    """Return whether a node is a value that is written out: a number or a string."""
    kind = node.kind()
    # `number` is also the keyword of a type.
    if not node.is_named():
        return False

    if kind in _NEVER_FREE:
        return False

    return _LITERALS.search(kind) is not None


def is_name(node: SgNode) -> bool:
    """Return whether a node is a name that a program may choose."""
    if _NAMES.match(node.kind()) is None:
        return False

    return node.text() not in _FIXED_NAMES


def is_expression(node: SgNode) -> bool:
    """Return whether a node is an operand that is computed."""
    if is_name(node):
        return True

    if node.kind() in CALLS:
        return True

    return _EXPRESSIONS.search(node.kind()) is not None


def is_callee_or_member(node: SgNode) -> bool:
    """Return whether a node is what a call calls, or the name of a member."""
    following = node.next()
    if following is not None and following.kind() in _AFTER_CALLEE:
        return parent_kind(node) in CALLS

    if parent_kind(node) not in MEMBERS:
        return False

    return node.prev() is not None


def is_type(node: SgNode) -> bool:
    """Return whether a node is a type, or the name of one."""
    if _TYPES.search(node.kind()):
        return True

    if not is_name(node):
        return False

    return parent_kind(node) == "type"


_TYPES: Final = lazy_pattern("_type$|^type_identifier$|^sized_type_specifier$")
_STATEMENT_LISTS: Final = BLOCKS | {"expression_statement", "statement_list"}
STATEMENT: Final = "statement"
"""What is around a node that is a statement of its own."""


def is_statement(node: SgNode) -> bool:
    """Return whether a node is a statement of its own, or all of one."""
    return parent_kind(node) in _STATEMENT_LISTS


def construct_around(node: SgNode) -> str:
    """Return the kind of the construct that a node is an operand of, or `statement`."""
    for above in node.ancestors():
        if above.kind() in LISTS:
            continue

        if above.kind() in _STATEMENT_LISTS:
            return STATEMENT

        return above.kind()

    return STATEMENT


def kind_around(node: SgNode) -> str:
    """Return the kind of the construct that a node is in: a call, a condition, a declaration.

    Lists and parentheses belong to their construct, a block to the function or the loop.
    """
    kind = ""
    for above in node.ancestors():
        kind = above.kind()
        if kind not in LISTS | _STATEMENT_LISTS:
            return kind

    return kind
