"""Another reading of a missing name: the program itself may have what was meant.

A rule for a missing name imports it, or writes something in its place. That is wrong if the name is
a slip, or belongs to something that the program declares.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from holdfast.rules.match.context import owners_at
from holdfast.rules.match.node_classes import class_of_name
from holdfast.syntax.tree import all_nodes, span_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

Reading: TypeAlias = Literal["declared", "sibling", "similar", "module", "member", "told", "value"]

_UNDECLARED: Final = (
    r"\{0\} (?:undeclared|was not declared in this scope).*|.*of function \{0\}.*"
    r"|unknown type name \{0\}.*|\{0\} does not name a type.*"
)
_MISSING: Final = {
    "ruff": "F821",
    "mypy": "name-defined",
    "pyright": "reportUndefinedVariable",
    "tsc": "TS2304|TS2552|TS2503",
    "rustc": "E0425|E0412|E0433",
    "javac": r"compiler\.err\.cant\.resolve.*",
    "gcc": _UNDECLARED,
    "g++": _UNDECLARED,
}
"""The diagnostics of a missing name: by their code, for a tool without codes by their template."""
_WITHOUT_CODES: Final = frozenset({"gcc", "g++"})
_MEMBERS: Final = re.compile(
    "enumerator|enum_constant|enum_variant|field_|property_signature|public_field"
    "|(?:struct|class|union|enum)_specifier|(?:class|interface|enum|record)_declaration"
    "|class_definition|(?:struct|enum|trait|type|const|static)_item|variant"
)
"""The kinds of the nodes that declare a name which has to be qualified elsewhere."""
_TYPES: Final = re.compile(
    "(?:struct|class|union|enum)_specifier|(?:class|interface|enum|record)_declaration|type_definition"
    "|class_definition|(?:struct|enum|trait|type)_item|type_alias_declaration|type_spec"
)
"""The kinds of the nodes that declare a type."""
_VALUES: Final = re.compile("enumerator|enum_constant|enum_variant|variant|const_item|preproc_def")
_NAMES: Final = re.compile("identifier$")
_ALIKE: Final = 0.75
_SHORTEST: Final = 3
_USED_AS_MODULE: Final = (".", "(", "[")


def other_reading(
    source: ParsedSource, diagnostic: Diagnostic, *, imports: Sequence[str] = ()
) -> Reading | None:
    """Return how else a missing name may be read than by `imports`; None if it cannot."""
    name = _missing_name(diagnostic)
    place = source.place_of(diagnostic)
    if not name or place is None:
        return None
    if _is_declared(name, source, _MEMBERS):
        return "declared"
    if _is_type_in_other_case(name, source):
        return "similar"
    if _has_sibling(name, source):
        return "sibling"
    if _is_told_beside(name, source):
        return "told"
    return _reading_at(name, source, place, is_module=f"import {name}" in imports)


def _reading_at(name: str, source: ParsedSource, place: int, *, is_module: bool) -> Reading | None:
    """Return what the use of a missing name says: a slip, a member, a module, or a value."""
    if _is_similar(name, _names_around(source, place)):
        return "similar"
    if _is_called_member(name, source, place):
        return "member"
    if source.language != "python":
        return None
    return _python_reading(name, source, place, is_module=is_module)


def _python_reading(
    name: str, source: ParsedSource, place: int, *, is_module: bool
) -> Reading | None:
    """Return how a name is used otherwise than its import says."""
    if not is_module and source.has_words(f"{name}.{name}"):
        return "module"
    if is_module:
        return None if _has_member(name, source, place) else "value"
    return "value" if _is_bare_value(name, source, place) else None


def _missing_name(diagnostic: Diagnostic) -> str:
    pattern = _MISSING.get(diagnostic.tool)
    if pattern is None or not diagnostic.args:
        return ""

    key = diagnostic.code
    if diagnostic.tool in _WITHOUT_CODES:
        key = diagnostic.template

    if not re.fullmatch(pattern, key) or not diagnostic.args[0].isidentifier():
        return ""

    return diagnostic.args[0]


def _declared_names(source: ParsedSource, kinds: re.Pattern[str]) -> Iterator[str]:
    if source.root is None:
        return
    for node in all_nodes(source.root):
        if kinds.search(node.kind()):
            yield from _own_names(node)


def _own_names(node: SgNode) -> Iterator[str]:
    """Yield the name that a node declares."""
    for field in ("name", "declarator"):
        declared = node.field(field)
        if declared is None:
            continue
        inner = declared.field("name") or declared.field("declarator") or declared
        yield inner.text()


def _is_declared(name: str, source: ParsedSource, kinds: re.Pattern[str]) -> bool:
    return name in _declared_names(source, kinds)


def _is_type_in_other_case(name: str, source: ParsedSource) -> bool:
    """Return whether the program declares a type that differs from a name only in its case."""
    types = _declared_names(source, _TYPES)
    return any(each != name and each.lower() == name.lower() for each in types)


def _has_sibling(name: str, source: ParsedSource) -> bool:
    """Return whether the program has constants whose names begin with the same word."""
    first, mark, _ = name.partition("_")
    if not mark or class_of_name(name) != "constant":
        return False
    names = _declared_names(source, _VALUES)
    return any(each.startswith(f"{first}_") for each in names)


def _names_around(source: ParsedSource, place: int) -> set[str]:
    """Return the names in the function around a place."""
    owners = owners_at(source, place)
    if not owners:
        return set()
    nodes = all_nodes(owners[-1])
    return {node.text() for node in nodes if _NAMES.search(node.kind())}


def _is_similar(name: str, others: set[str]) -> bool:
    """Return whether a name of the same kind may have been meant: `sock` for `socket`."""
    if len(name) < _SHORTEST:
        return False
    kind = class_of_name(name)
    same_kind = [each for each in others if each != name and class_of_name(each) == kind]
    if get_close_matches(name, same_kind, 1, _ALIKE):
        return True
    return any(_is_short_for(each, name) for each in same_kind)


def _is_short_for(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) < _SHORTEST or not long.startswith(short):
        return False
    return long[len(short)] != "_"


def _is_called_member(name: str, source: ParsedSource, place: int) -> bool:
    """Return whether the function around a place gets something of that name: `moment.time()`."""
    owners = owners_at(source, place)
    if not owners:
        return False
    low, high = span_of(owners[-1])
    texts = [token.text for token in source.tokens if low <= token.start < high]
    return any(
        (dot, text, following) == (".", name, "(") and owner != name
        for owner, dot, text, following in zip(texts, texts[1:], texts[2:], texts[3:], strict=False)
    )


def _is_told_beside(name: str, source: ParsedSource) -> bool:
    """Return whether a comment beside a declaration speaks of the name."""
    for node in source.comments():
        start, _ = span_of(node)
        before = source.text[source.text.rfind("\n", 0, start) + 1 : start]
        if before.strip() and re.search(rf"\b{name}\b", node.text()):
            return True
    return False


def _has_member(name: str, source: ParsedSource, place: int) -> bool:
    """Return whether something of a name is used: a module is neither called nor indexed."""
    return source.text[place + len(name) :].lstrip(" \t").startswith(".")


def _is_bare_value(name: str, source: ParsedSource, place: int) -> bool:
    """Return whether a name that is no type is used as a value: it is a variable, not a module."""
    if class_of_name(name) != "variable":
        return False
    _, end = _word_at(source, place)
    if source.text[:place].rstrip().endswith("@"):
        return False
    return not source.text[end:].lstrip(" \t").startswith(_USED_AS_MODULE)


def _word_at(source: ParsedSource, place: int) -> tuple[int, int]:
    for node in reversed(source.nodes_around(place)):
        start, end = span_of(node)
        if start == place and _NAMES.search(node.kind()):
            return start, end
    return place, place
