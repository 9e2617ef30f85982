"""Kinds of nodes that do the same work in a program, whatever a grammar calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ast_grep_py import SgNode

ANY: Final = "*"
CHARACTER: Final = "character"
"""No grammar's: the one character, or the one escape, that a string holds."""

_EXPRESSIONS = """
identifier attribute field_expression member_expression scoped_identifier qualified_identifier field_access
subscript subscript_expression index_expression array_access call call_expression method_invocation
parenthesized_expression selector_expression this self macro_invocation object_creation_expression new_expression
integer float number number_literal integer_literal float_literal decimal_integer_literal int_literal
decimal_floating_point_literal string string_literal raw_string_literal template_string interpreted_string_literal
"""
_OPERATIONS = """
binary_operator binary_expression unary_operator unary_expression boolean_operator not_operator comparison_operator
conditional_expression ternary_expression pointer_expression reference_expression cast_expression type_cast_expression
list dictionary set tuple array array_expression list_comprehension generator_expression dictionary_comprehension
set_comprehension object lambda await await_expression null none true false null_literal boolean_literal char_literal
character_literal non_null_expression as_expression concatenated_string update_expression composite_literal nil
"""
_TYPES = """
type primitive_type type_identifier predefined_type generic_type integral_type reference_type array_type
sized_type_specifier scoped_type_identifier floating_point_type boolean_type void_type
"""
_FUNCTIONS = """
function_declaration function_expression arrow_function method_definition function_definition
function_item method_declaration constructor_declaration
compact_constructor_declaration lambda lambda_expression closure_expression func_literal
"""
_GENERATORS = "generator_function generator_function_declaration"
_COMPREHENSIONS = (
    "list_comprehension set_comprehension generator_expression dictionary_comprehension"
)
_LISTS = """
block statement_block compound_statement class_body interface_body enum_body constructor_body
field_declaration_list declaration_list module program translation_unit source_file statement_list
"""

EXPRESSIONS: Final = frozenset((_EXPRESSIONS + _OPERATIONS).split())
"""What has a value."""
FUNCTIONS: Final = frozenset((_FUNCTIONS + _GENERATORS).split())
"""What has parameters and a body."""
LISTS: Final = frozenset(_LISTS.split())
"""Statements or members in a row: which of them are neighbours says nothing."""
_BRACKETS: Final = ("block", "body", "compound_statement", "declaration_list")

# A variable that stood for one of these may stand for another: they are whole in any place, with no operator to split.
_WHOLE: Final = tuple(frozenset(words.split()) for words in (_EXPRESSIONS, _TYPES, _FUNCTIONS))
# Those with the same parts in the same order, between other brackets.
_KIN: Final = (frozenset(_COMPREHENSIONS.split()),)


def is_block(node: SgNode) -> bool:
    """Whether a node is the body of something."""
    return node.kind().endswith(_BRACKETS)


def children_of(node: SgNode) -> list[SgNode]:
    """Give what a node is made of, without annotations: they are added to a declaration and no part of it."""
    return [each for each in node.children() if not _is_annotation(each)]


def _is_annotation(node: SgNode) -> bool:
    return node.kind() == "modifiers" and all(
        each.kind().endswith("annotation") for each in node.children()
    )


def is_kin(kind: str, kinds: tuple[str, ...], *, loose: bool) -> bool:
    """Whether a node of this kind may stand for those; `loose` if nothing is said of what is in it."""
    return any(
        kind in group and not group.isdisjoint(kinds)
        for group in (*_KIN, *(_WHOLE if loose else ()))
    )


def is_character(node: SgNode) -> bool:
    """Whether a node is what a string of one character holds."""
    kind = node.kind()
    return kind == "escape_sequence" or (
        kind in {"string_content", "string_fragment"} and len(node.text()) == 1
    )
