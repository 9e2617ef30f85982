"""The names that a program binds itself: the next program need not have them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.syntax.tokens import COMMON, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource

_BINDING = re.compile(
    r".*(?:parameters?|parameter_list|declarator|declaration|for_in_clause|function_definition|"
    r"function_item|"
    r"class_definition|pattern_list|tuple_pattern)"
)
_ITSELF = frozenset({"self", "cls", "this", "super", "_"})
_FIRST_BINDS = frozenset(
    {"assignment", "assignment_expression", "named_expression", "for_statement", "for_in_statement"}
)


def own_names(source: ParsedSource) -> frozenset[str]:
    """Return the variables, parameters and functions that a text binds.

    >>> from holdfast.syntax.source import ParsedSource
    >>> source = ParsedSource("def f(count): total = len(count); return total", "python")
    >>> sorted(own_names(source))
    ['count', 'f', 'total']
    """
    if source.root is None:
        return frozenset()
    bound = frozenset(
        node.text() for node in source.root.find_all(kind="identifier") if binds(node)
    )
    return bound - COMMON - _ITSELF


def takes_own(new: Iterable[str], source: ParsedSource) -> str | None:
    """Return a name of this program that new text uses, or None.

    A name after a dot does not count.
    """
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
    """Return whether a name is bound here rather than used."""
    parent = node.parent()
    if parent is None:
        return False
    kind, first = (
        parent.kind(),
        next((child for child in parent.children() if child.is_named()), None),
    )
    starts = first is not None and first.range().start.index == node.range().start.index
    return _BINDING.fullmatch(kind) is not None or (kind in _FIRST_BINDS and starts)
