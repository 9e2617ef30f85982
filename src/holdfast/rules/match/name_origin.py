"""The origin of a name: what is true of a caught error need not be true of a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.syntax.tree import span_of

if TYPE_CHECKING:
    from ast_grep_py import SgNode

PREFIX: Final = "from:"
"""The prefix of a kind that no grammar has: the kind of a name by its origin."""
_CAUGHT: Final[tuple[str, ...]] = (
    "catch_clause",
    "catch_formal_parameter",
    "except_clause",
    "as_pattern_target",
)
_GIVEN: Final[tuple[str, ...]] = (
    "parameter",
    "parameters",
    "parameter_declaration",
    "variadic_parameter",
)
_DECLARED: Final[tuple[str, ...]] = (
    "declarator",
    "assignment",
    "let_declaration",
    "short_var_declaration",
    "var_spec",
    "const_spec",
)
_WRAPS: Final = frozenset(
    {"pointer_declarator", "array_declarator", "reference_declarator", "mut_pattern"}
)
_LOOPED: Final[tuple[str, ...]] = (
    "for_in_statement",
    "for_in_clause",
    "for_statement",
    "range_clause",
    "for_expression",
)


def origin_of(node: SgNode) -> str:
    """Return the origin of the name that a node is or begins with: its nearest binding before it.

    A parameter can have any value of any caller. Without a binding the result is "".
    """
    first = node
    while not first.is_leaf():
        first = first.children()[0]
    if first.text() in {"self", "this"}:
        return PREFIX + "inside"
    for scope in first.ancestors():
        bound = [
            each for each in _bindings(scope, first.text()) if span_of(each)[0] < span_of(first)[0]
        ]
        if bound:
            return PREFIX + _kind_of(bound[-1])
    return ""


def _bindings(scope: SgNode, name: str) -> list[SgNode]:
    found = (each for each in scope.find_all(kind="identifier") if each.text() == name)
    return [each for each in found if _kind_of(each)]


def _kind_of(node: SgNode) -> str:
    parent = node.parent()
    while parent is not None and parent.kind() in _WRAPS:
        node, parent = parent, parent.parent()
    if parent is None:
        return ""
    kind = parent.kind()
    for word, kinds in (("catch", _CAUGHT), ("outside", _GIVEN)):
        if kind.endswith(kinds):
            return word
    first = next((each for each in parent.children() if each.is_named()), node)
    for word, kinds in (("loop", _LOOPED), ("inside", _DECLARED)):
        if kind.endswith(kinds) and span_of(first) == span_of(node):
            return word
    return ""
