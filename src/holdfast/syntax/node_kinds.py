"""The kinds of nodes, as the grammars of tree-sitter name them, grouped by their role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ast_grep_py import SgNode


def _kinds(*texts: str) -> frozenset[str]:
    return frozenset(" ".join(texts).split())


ANY: Final = "*"
CHARACTER: Final = "character"
"""A kind of no grammar: the only character, or the only escape sequence, of a string."""

# ------------------------------------------------------------------------- expressions and types

_OPERANDS: Final = """
identifier attribute field_expression member_expression scoped_identifier qualified_identifier
field_access subscript subscript_expression index_expression array_access call call_expression
method_invocation parenthesized_expression selector_expression this self macro_invocation
object_creation_expression new_expression integer float number number_literal integer_literal
float_literal decimal_integer_literal int_literal decimal_floating_point_literal string
string_literal raw_string_literal template_string interpreted_string_literal
"""
_OPERATIONS: Final = """
binary_operator binary_expression unary_operator unary_expression boolean_operator not_operator
comparison_operator conditional_expression ternary_expression pointer_expression
reference_expression cast_expression type_cast_expression list dictionary set tuple array
array_expression list_comprehension generator_expression dictionary_comprehension
set_comprehension object lambda await await_expression null none true false null_literal
boolean_literal char_literal character_literal non_null_expression as_expression
concatenated_string update_expression composite_literal nil
"""
_TYPES: Final = """
type primitive_type type_identifier predefined_type generic_type integral_type reference_type
array_type sized_type_specifier scoped_type_identifier floating_point_type boolean_type void_type
"""
_COMPREHENSIONS: Final = """
list_comprehension set_comprehension generator_expression dictionary_comprehension
"""

EXPRESSIONS: Final = _kinds(_OPERANDS, _OPERATIONS)
"""Nodes that have a value."""

# ------------------------------------------------------------------------------------- functions

_NAMED_FUNCTIONS: Final = """
function_declaration function_expression arrow_function method_definition function_definition
function_item method_declaration constructor_declaration
"""
_CLOSURES: Final = "lambda lambda_expression closure_expression func_literal"
_SIGNATURES: Final = """
method_signature abstract_method_signature function_signature_item method_elem
"""
_PLAIN_FUNCTIONS: Final = _kinds(_NAMED_FUNCTIONS, _CLOSURES, "compact_constructor_declaration")

FUNCTIONS: Final = _PLAIN_FUNCTIONS | {"generator_function", "generator_function_declaration"}
"""Nodes with parameters and a body."""
DECLARED_FUNCTIONS: Final = _kinds(
    _NAMED_FUNCTIONS, _SIGNATURES, "generator_function_declaration function"
)
"""Nodes that declare a function which others call, with a body or without."""
LOCAL_SCOPES: Final = (DECLARED_FUNCTIONS - {"function"}) | _kinds(_CLOSURES, "compound_statement")
"""A name declared in one of these nodes is visible only there."""

# ---------------------------------------------------------------------------------------- blocks

_STATEMENT_LISTS: Final = """
module program translation_unit source_file block statement_block compound_statement
statement_list constructor_body declaration_list
"""

BLOCKS: Final = _kinds(
    _STATEMENT_LISTS, "case_statement switch_case switch_default switch_block_statement_group"
)
"""Nodes whose children are statements that run one after another."""
LISTS: Final = _kinds(
    _STATEMENT_LISTS, "class_body interface_body enum_body field_declaration_list"
)
"""Nodes whose children are statements or members: which of them are neighbours has no meaning."""
_BODY_SUFFIXES: Final = ("block", "body", "compound_statement", "declaration_list")

# ---------------------------------------------------------------------------------- declarations

_JAVASCRIPT: Final = """
function_declaration generator_function_declaration class_declaration method_definition
variable_declarator
"""
_TYPESCRIPT: Final = """
interface_declaration type_alias_declaration enum_declaration abstract_class_declaration
abstract_method_signature method_signature property_signature public_field_definition
property_identifier enum_assignment internal_module
"""
_C: Final = """
function_definition struct_specifier enum_specifier union_specifier enumerator field_declaration
type_definition declaration preproc_def preproc_function_def
"""
_CPP: Final = "class_specifier namespace_definition alias_declaration concept_definition"
_RUST: Final = """
function_item function_signature_item struct_item enum_item enum_variant field_declaration
trait_item impl_item mod_item const_item static_item type_item union_item macro_definition
use_declaration
"""
_JAVA: Final = """
class_declaration interface_declaration enum_declaration record_declaration
annotation_type_declaration method_declaration constructor_declaration variable_declarator
enum_constant formal_parameter
"""
_GO: Final = """
function_declaration method_declaration type_spec type_alias field_declaration method_elem
const_spec var_spec
"""

DECLARATIONS: Final = {
    "python": ("function_definition", "class_definition", "assignment"),
    "javascript": (*_JAVASCRIPT.split(), "field_definition"),
    "typescript": (*_JAVASCRIPT.split(), *_TYPESCRIPT.split()),
    "tsx": (*_JAVASCRIPT.split(), *_TYPESCRIPT.split()),
    "c": tuple(_C.split()),
    "cpp": (*_C.split(), *_CPP.split()),
    "rust": tuple(_RUST.split()),
    "java": tuple(_JAVA.split()),
    "go": tuple(_GO.split()),
}
"""Nodes of each language that declare a name which others may use."""

_TYPESCRIPT_SCOPES: Final = """
class_declaration abstract_class_declaration interface_declaration enum_declaration
internal_module
"""
_C_SCOPES: Final = """
struct_specifier enum_specifier union_specifier class_specifier namespace_definition
type_definition
"""
_RUST_SCOPES: Final = """
struct_item enum_item enum_variant trait_item impl_item mod_item union_item
"""
_JAVA_SCOPES: Final = """
class_declaration interface_declaration enum_declaration record_declaration
annotation_type_declaration
"""

NAMED_SCOPES: Final = {
    "python": _kinds("class_definition"),
    "javascript": _kinds("class_declaration"),
    "typescript": _kinds(_TYPESCRIPT_SCOPES),
    "tsx": _kinds(_TYPESCRIPT_SCOPES),
    "c": _kinds(_C_SCOPES),
    "cpp": _kinds(_C_SCOPES),
    "rust": _kinds(_RUST_SCOPES),
    "java": _kinds(_JAVA_SCOPES),
    "go": _kinds("type_spec"),
}
"""Nodes of each language whose name qualifies the names declared in them."""

# ------------------------------------------------------------------------------ related kinds


def _related(group: frozenset[str]) -> dict[str, frozenset[str]]:
    return dict.fromkeys(group, group)


# With the same parts in the same order, between other brackets.
_RELATED: Final = _related(_kinds(_COMPREHENSIONS))
# Whole in any place, with no operator to split them: one may replace another.
_LOOSELY_RELATED: Final = {
    **_RELATED,
    **_related(_kinds(_OPERANDS)),
    **_related(_kinds(_TYPES)),
    **_related(_PLAIN_FUNCTIONS),
}


def is_related_kind(kind: str, kinds: tuple[str, ...], *, loose: bool) -> bool:
    """Return whether a pattern for nodes of `kinds` may match a node of this kind.

    `loose` is for a pattern that demands nothing of what is inside the node.
    """
    groups = _RELATED
    if loose:
        groups = _LOOSELY_RELATED
    group = groups.get(kind, frozenset())
    return not group.isdisjoint(kinds)


def is_block(node: SgNode) -> bool:
    """Return whether a node is the body of another."""
    return node.kind().endswith(_BODY_SUFFIXES)


def children_of(node: SgNode) -> list[SgNode]:
    """Return the children of a node, without annotations: a declaration is the same with them."""
    children: list[SgNode] = []
    for child in node.children():
        if child.kind() == "modifiers":
            modifiers = [modifier.kind() for modifier in child.children()]
            if all(kind.endswith("annotation") for kind in modifiers):
                continue
        children.append(child)
    return children


def is_character(node: SgNode) -> bool:
    """Return whether a node is the content of a string of one character."""
    kind = node.kind()
    if kind == "escape_sequence":
        return True
    if kind not in {"string_content", "string_fragment"}:
        return False
    return len(node.text()) == 1
