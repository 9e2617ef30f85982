"""What surrounds a place in a program and says what is meant there.

A rule cannot read a comment, and does not know what a variable is for. Where its fix is a choice,
these are compared with the examples: the comments about the place, the declarations of the
variables, and how a variable is used.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.rule import plain_type, value_in
from holdfast.syntax.tree import signs_of, span_of

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource

_OWNER: Final = re.compile(
    "function|method|constructor|class|struct|interface|impl_item|enum|lambda|arrow"
)
"""The kinds of nodes that a comment or a docstring describes."""
_VARIABLES: Final = (
    "parameter_declaration",
    "optional_parameter_declaration",
    "formal_parameter",
    "typed_parameter",
    "typed_default_parameter",
    "required_parameter",
    "optional_parameter",
    "parameter",
    "declaration",
    "local_variable_declaration",
    "let_declaration",
    "enhanced_for_statement",
    "for_range_loop",
    "var_spec",
    "assignment",
)
_FIELDS: Final = ("field_declaration", "public_field_definition", "property_signature")
_MEMBER: Final = re.compile(r".*(?:\.|->|::)\s*([^\W\d]\w*)", re.DOTALL)
_MODIFIER: Final = re.compile(
    r"\b(?:private|public|protected|static|final|readonly|let|mut|var|volatile)\s+"
)
_BETWEEN: Final = re.compile(
    r"[ \t]*\n(?:[ \t]*(?://|/?\*|@|#(?!include|define|if|el|endif)).*\n)*"
)
"""The lines between a comment and what the comment is about: more comment, or a decorator."""
_DOCSTRING: Final = re.compile("[rRuUbB]*[\"']")
_UNTYPED: Final = frozenset(
    {"let", "const", "var", "mut", "auto", "final", "for", "in", "of", "static", "private"}
)


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
    return [node for node in source.nodes_around(offset) if _OWNER.search(node.kind())]


def _docstrings(node: SgNode) -> list[str]:
    """Return the docstring of a Python function or class."""
    body = node.field("body")
    if body is None:
        return []

    if body.kind() != "block":
        return []

    code = [child.text() for child in body.children() if child.kind() != "comment"]
    return list(filter(_DOCSTRING.match, code[:1]))


# ------------------------------------------------------------------------------- declarations


def declared_type(source: ParsedSource, text: str, near: int | None = None) -> str | None:
    """Return the declaration of a variable without its value, with `_` for its name.

    Of `row.cell` it is that of the member. A declaration in the function at `near` comes first; a
    variable that is declared there without a type has none.

    >>> from holdfast.syntax.source import ParsedSource
    >>> declared_type(ParsedSource("int f(const char *at) { return 0; }", "c"), "at")
    'char *_'
    """
    member = _MEMBER.fullmatch(text)
    name = member[1] if member else text
    # A declarator has no type of its own where a declaration is around it.
    kinds = _FIELDS if member else (*_VARIABLES, *_FIELDS, "variable_declarator")
    declared: list[SgNode] = []
    for kind in kinds:
        declared += source.find(kind)

    for node in _nearest_first(declared, source, near):
        head = _declaration(node).partition("=")[0]
        words = re.findall(r"\w+", head)
        if name not in words or "(" in head:
            continue

        if {name, *_UNTYPED}.issuperset(words):
            return None

        plain = plain_type(re.sub(rf"\b{re.escape(name)}\b", "_", head.rstrip(" ;:")))
        known = value_in(plain, source.text).replace("&", "").replace("  ", " ")
        return re.sub(r"\b\d+\b", "0", known).strip()

    return None


def types_in(source: ParsedSource, text: str, near: int) -> frozenset[str]:
    """Return the types of the variables in an expression, without `private` and the like."""
    names = set(re.findall(r"[^\W\d]\w*", text))
    declared = filter(None, (declared_type(source, name, near) for name in names))
    return frozenset(_MODIFIER.sub("", each) for each in declared)


def _declaration(node: SgNode) -> str:
    """Return a declaration without the block that may follow it."""
    text = node.text()
    if node.kind() in {"enhanced_for_statement", "for_range_loop"}:
        text = re.split("[^:]:[^:]", text.partition("(")[2], maxsplit=1)[0]

    if node.kind() == "assignment" and ":" not in text.partition("=")[0]:
        return ""

    return text.partition("{")[0]


def _nearest_first(nodes: list[SgNode], source: ParsedSource, near: int | None) -> list[SgNode]:
    """Return the nodes of the functions around an offset first."""
    if near is None:
        return nodes

    spans = [span_of(owner) for owner in owners_at(source, near)]

    def owners_shared(node: SgNode) -> int:
        start, end = span_of(node)
        return sum(low <= start and end <= high for low, high in spans)

    return sorted(nodes, key=owners_shared, reverse=True)


# --------------------------------------------------------------------------------------- uses


def uses_of(source: ParsedSource, name: str, start: int, end: int) -> tuple[str, ...]:
    """Return how the function around a place uses a name after that place.

    A use is the kind of the construct, and its operator with the side: `binary_expression < 0`.
    """
    ends = [span_of(owner)[1] for owner in owners_at(source, start)]
    high = [len(source.text), *(each for each in ends if each > end)][-1]
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
