"""Find the declaration whose header a rule changes, and the places in that header."""

from __future__ import annotations

import re
from operator import methodcaller
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.node_classes import kind_around
from holdfast.syntax.tree import field_text, first_field, leaves, node_kind, span_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.rules.rule import HeaderRewrite
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

TYPE: Final = lazy_pattern("(?:struct|enum|class|trait|record|interface)_")
DECLARATION: Final = lazy_pattern(
    rf".*(?:function|method_de|lambda|arrow|constructor_|closure_e)|{TYPE.pattern}"
)
"""The kinds of nodes that have a header: functions and types."""
PLACES: Final = (
    "after parameters",
    "before type",
    "before name",
    "before self",
    "before fn",
    "above",
    "start",
)
"""Where words may go: beside a field or a word, on a line of their own above all, or before it."""
_SETS: Final = lazy_pattern("declarator|assignment|^pair$|field_definition|const_item|let_")
_LAST_NAME: Final = lazy_pattern(r"(\w*)\s*(?:\(|$)")


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
    found: list[HeaderMatch] = []
    for node in _declarations(rewrite, source, diagnostic):
        at = offset_of(node, rewrite.place)
        if at is None:
            continue

        if role_of(node) == rewrite.inside:
            found.append(HeaderMatch(span_of(node), name_of(node), at))

    return found


def _declarations(
    rewrite: HeaderRewrite, source: ParsedSource, diagnostic: Diagnostic
) -> list[SgNode]:
    """Return the declarations of the kind of a rewrite that a diagnostic is about."""
    if rewrite.named:
        names = _named(rewrite, source, diagnostic)
        return [node for node in source.find(rewrite.pattern) if name_of(node) in names]

    around = source.nodes_around(source.place_of(diagnostic) or 0)
    return [node for node in around if node.kind() == rewrite.pattern][-1:]


def role_of(node: SgNode) -> tuple[str, ...]:
    """Return what is around a function without a name; `value` if something is set to it."""
    if name_of(node):
        return ()

    kind = kind_around(node)
    return ("value" if _SETS.search(kind) else kind,)


def offset_of(node: SgNode, place: str) -> int | None:
    """Return the offset of a place in a header; None if it has no such place."""
    side, _, word = place.partition(" ")
    start, end = span_of(node)
    if not word:
        return start

    words = [leaf for leaf in leaves(node) if leaf.text() == word]
    beside = first_field(node, word) or next(iter(words), None)
    body = first_field(node, "body")
    if body is not None:
        end, _ = span_of(body)

    if beside is None or span_of(beside)[0] > end:
        return None

    low, high = span_of(beside)
    return high if side == "after" else low


def name_of(node: SgNode) -> str:
    """Return the name of a function or a type; "" if it has none."""
    found = _LAST_NAME.search(field_text(node, "name", "declarator"))
    return found[1] if found else ""


def declarations_at(source: ParsedSource, offset: int) -> list[SgNode]:
    """Return the functions and types around an offset, the outer ones first."""
    # A keyword is a node, too.
    named = filter(methodcaller("is_named"), source.nodes_around(offset))
    return [node for node in named if DECLARATION.match(node_kind(node))]


def _named(rewrite: HeaderRewrite, source: ParsedSource, diagnostic: Diagnostic) -> set[str]:
    """Return the types or functions that a message names, or the functions that its code calls."""
    texts = " ".join(diagnostic.args)
    names = set(re.findall(r"\w+", texts))
    if TYPE.match(rewrite.pattern):
        return names

    plain = names.intersection(diagnostic.args)
    start = source.place_of(diagnostic) or 0
    end = source.end_of(diagnostic) or source.line_end(source.line_of(start))
    return plain.union(re.findall(r"(\w+)\s*\(", f"{texts} {source.text[start:end]}"))
