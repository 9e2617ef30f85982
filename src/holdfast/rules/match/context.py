"""What surrounds a place in a program and says what is meant there.

A rule cannot read a comment, and does not know what a variable is for. Where its fix is a choice,
these are compared with the examples: the comments about the place, and how a variable is used.
"""

from __future__ import annotations

import re
from operator import methodcaller
from typing import TYPE_CHECKING, Final

from holdfast.syntax.tree import node_text, signs_of, span_of
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource

_OWNER: Final = lazy_pattern(
    "function|method_de|constructor|class|struct|interface|impl_item|enum|lambda|arrow"
)
"""The kinds of nodes that a comment or a docstring describes."""
_BETWEEN: Final = lazy_pattern(
    r"[ \t]*\n(?:[ \t]*(?://|/?\*|@|#(?!include|define|if|el|endif)).*\n)*"
)
"""The lines between a comment and what the comment is about: more comment, or a decorator."""
_DOCSTRING: Final = lazy_pattern("[rRuUbB]*[\"']")


def comments_at(source: ParsedSource, start: int, end: int) -> str:
    """Return the comments and docstrings about a place.

    Those are the comments in the function around the place, directly above it or above its class,
    and on the lines that declare a name of the place.
    """
    owners = owners_at(source, start)
    spans = [(start, end), *map(span_of, owners)]
    first_line, last_line = map(source.line_of, spans[-1])
    heads = [source.line_starts[source.line_of(low)] for low, _ in spans]
    names = set(re.findall(r"[^\W\d]\w*", source.text[start:end]))
    found: list[str] = []
    for node in source.comments():
        at, text = span_of(node)[0], node.text().strip()
        inside = first_line <= source.line_of(at) <= last_line
        above = any(_BETWEEN.fullmatch(source.text, at + len(text), head) for head in heads)
        code = source.text[:at].rpartition("\n")[2]
        if inside or above or not names.isdisjoint(re.findall(r"[^\W\d]\w*", code)):
            found.append(text)

    for node in owners:
        found += _docstrings(node)

    return "\n".join(found)


def owners_at(source: ParsedSource, offset: int) -> list[SgNode]:
    """Return the functions and types around an offset, the outer ones first."""
    # The keyword `function` is a node of that kind, too.
    around = filter(methodcaller("is_named"), source.nodes_around(offset))
    return [node for node in around if _OWNER.search(node.kind())]


def _docstrings(node: SgNode) -> list[str]:
    """Return the docstring of a Python function or class."""
    body = node.field("body")
    if body is None:
        return []

    if body.kind() != "block":
        return []

    code = list(map(node_text, body.children()))
    return list(filter(_DOCSTRING.match, code[:1]))


def uses_of(source: ParsedSource, name: str, start: int, end: int) -> tuple[str, ...]:
    """Return how the function around a place uses a name after that place.

    A use is the kind of the construct, and its operator with the side: `binary_expression < 0`.
    """
    high = len(source.text)
    for owner in owners_at(source, start):
        _, high = span_of(owner)

    found = set()
    for node in source.find("identifier"):
        at, _ = span_of(node)
        if node.text() == name and end <= at < high:
            found.add(_use(node))

    return tuple(sorted(found))


def _use(node: SgNode) -> str:
    parent = node.parent()
    if parent is None:
        return ""

    side = len(node.prev_all())
    return " ".join([parent.kind(), *signs_of(parent)[:1], str(side)])
