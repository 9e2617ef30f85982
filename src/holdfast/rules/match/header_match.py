"""Find the declaration whose header a rule changes, and the places in that header."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.node_classes import kind_around
from holdfast.syntax.tree import field_text, first_field, span_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.rules.rule import HeaderRewrite
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

FUNCTION: Final = lazy_pattern("function|method_|lambda|arrow|constructor_")
TYPE: Final = lazy_pattern("(?:struct|enum|class|trait|record|interface)_")
"""The kinds of nodes that have a header."""
PLACES: Final = ("after parameters", "before type", "before name", "above", "start")
"""Where words may go: beside a field, on a line of their own above all of it, or before it."""
_SETS: Final = lazy_pattern("declarator|assignment|^pair$|field_definition|const_item|let_")
_NAME_FIELDS: Final = ("name", "declarator")
_LAST_NAME: Final = lazy_pattern(r"(\w+)\s*(?:\(|$)")


@dataclass(frozen=True, slots=True)
class HeaderMatch:
    """A function or a type: its span, its name, and the offset of a place in its header."""

    span: tuple[int, int]
    name: str
    at: int


def find_headers(
    rewrite: HeaderRewrite, source: ParsedSource, diagnostic: Diagnostic
) -> list[HeaderMatch]:
    """Return the declaration around a diagnostic, or those that the diagnostic names."""
    nodes = source.find(rewrite.pattern)
    if rewrite.inside:
        nodes = [node for node in nodes if role_of(node) in rewrite.inside]

    if rewrite.named:
        names = set(re.findall(r"\w+", " ".join(diagnostic.args)))
        if not TYPE.match(rewrite.pattern):
            names = called_names(source, diagnostic)
        nodes = [node for node in nodes if name_of(node) in names]
    else:
        place = source.place_of(diagnostic)
        nodes = [node for node in nodes if place is not None and is_around(node, place)][-1:]

    found: list[HeaderMatch] = []
    for node in nodes:
        at = offset_of(node, rewrite.place)
        if at is not None:
            found.append(HeaderMatch(_span_with_body(node), name_of(node), at))

    return found


def _span_with_body(node: SgNode) -> tuple[int, int]:
    """Return the span of a function; of a declarator of C++, with its type and its body."""
    parent = node.parent()
    if parent is None or "declarator" not in node.kind():
        return span_of(node)
    return span_of(parent)


def role_of(node: SgNode) -> str:
    """Return `value` if a variable or a member is set to a function, else what is around it."""
    kind = kind_around(node)
    if _SETS.search(kind):
        return "value"
    return kind


def offset_of(node: SgNode, place: str) -> int | None:
    """Return the offset of a place in a header; None if it has no such place."""
    start, _ = span_of(node)
    side, _, field = place.partition(" ")
    if not field:
        return start

    child = first_field(node, field)
    if child is None:
        return None

    low, high = span_of(child)
    return high if side == "after" else low


def name_of(node: SgNode) -> str:
    """Return the name of a function or a type; "" if it has none."""
    found = _LAST_NAME.search(field_text(node, *_NAME_FIELDS))
    return "" if found is None else found[1]


def called_names(source: ParsedSource, diagnostic: Diagnostic) -> set[str]:
    """Return the names before a bracket in a message, and in the code that it is about."""
    texts = list(diagnostic.args)
    start = source.place_of(diagnostic)
    if start is not None:
        line_end = source.line_end(source.line_of(start))
        texts.append(source.text[start : source.end_of(diagnostic) or line_end])

    return set(re.findall(r"(\w+)\s*\(", " ".join(texts)))


def is_around(node: SgNode, offset: int) -> bool:
    """Return whether an offset is in a node."""
    start, end = span_of(node)
    return start <= offset <= end
