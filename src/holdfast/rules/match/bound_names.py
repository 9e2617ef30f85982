"""The names that a program binds itself: what a fix takes from among them, the next program need not have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from holdfast.syntax.source import ParsedSource
from holdfast.syntax.tokens import COMMON, tokenize

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_BINDING = re.compile(
    r".*(?:parameters?|parameter_list|declarator|declaration|for_in_clause|function_definition|function_item|"
    r"class_definition|pattern_list|tuple_pattern)"
)
_ITSELF = frozenset({"self", "cls", "this", "super", "_"})
_FIRST_BINDS = frozenset(
    {"assignment", "assignment_expression", "named_expression", "for_statement", "for_in_statement"}
)


def own_names(source: ParsedSource) -> frozenset[str]:
    r"""Give the variables, parameters and functions that a text binds.

    >>> sorted(own_names(SourceText("def f(count):\n    total = len(count)\n    return total", "python")))
    ['count', 'f', 'total']
    """
    if source.root is None:
        return frozenset()
    bound = frozenset(
        node.text() for node in source.root.find_all(kind="identifier") if binds(node)
    )
    return bound - COMMON - _ITSELF


def takes_own(new: Iterable[str], source: ParsedSource) -> str | None:
    """Give a name of this very program that new text takes; what is behind a dot is no name of its own."""
    own: frozenset[str] | None = None
    for text in new:
        tokens = tokenize(text, source.language)
        for number, token in enumerate(tokens):
            member = number > 0 and tokens[number - 1].text in {".", "->", "::"}
            if token.kind == "name" and not member:
                own = own_names(source) if own is None else own
                if token.text in own:
                    return token.text
    return None


def binds(node: SgNode) -> bool:
    """Whether a name is bound here, not used."""
    parent = node.parent()
    if parent is None:
        return False
    kind, first = (
        parent.kind(),
        next((child for child in parent.children() if child.is_named()), None),
    )
    starts = first is not None and first.range().start.index == node.range().start.index
    return _BINDING.fullmatch(kind) is not None or (kind in _FIRST_BINDS and starts)
