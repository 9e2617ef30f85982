"""The kinds of nodes, as the grammars of tree-sitter name them, grouped by their role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ast_grep_py import SgNode

_FUNCTIONS: Final = """
function_declaration function_expression arrow_function method_definition function_definition
function_item method_declaration constructor_declaration compact_constructor_declaration
generator_function generator_function_declaration
lambda lambda_expression closure_expression func_literal
"""
_BLOCKS: Final = """
module program translation_unit source_file block statement_block compound_statement
statement_list constructor_body declaration_list
case_statement switch_case switch_default switch_block_statement_group
"""

FUNCTIONS: Final = frozenset(_FUNCTIONS.split())
"""Nodes with parameters and a body."""
BLOCKS: Final = frozenset(_BLOCKS.split())
"""Nodes whose children are statements that run one after another."""


def functions_in(nodes: Iterable[SgNode]) -> list[SgNode]:
    """Return the functions among nodes."""
    return [node for node in nodes if node.kind() in FUNCTIONS]
