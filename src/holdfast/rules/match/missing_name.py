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
from holdfast.syntax.tokens import tokenize
from holdfast.syntax.tree import all_nodes, field_text, first_field, span_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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

    if name in _declared_names(source, _MEMBERS):
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
    following = source.text[place + len(name) :].lstrip(" \t")
    if is_module:
        # It is neither called nor indexed: something in it is used.
        if following.startswith("."):
            return None

        return "value"

    if source.has_words(f"{name}.{name}"):
        return "module"

    is_decorator = source.text[:place].rstrip().endswith("@")
    if is_decorator or following.startswith(_USED_AS_MODULE):
        return None

    if class_of_name(name) == "variable":
        return "value"

    return None


def _missing_name(diagnostic: Diagnostic) -> str:
    pattern = _MISSING.get(diagnostic.tool)
    if pattern is None:
        return ""

    if not diagnostic.args:
        return ""

    key = diagnostic.template if diagnostic.tool in _WITHOUT_CODES else diagnostic.code
    is_missing = re.fullmatch(pattern, key) and diagnostic.args[0].isidentifier()
    if is_missing:
        return diagnostic.args[0]

    return ""


def _declared_names(source: ParsedSource, kinds: re.Pattern[str]) -> Iterator[str]:
    for node in source.nodes:
        if kinds.search(node.kind()):
            declared = first_field(node, "name", "declarator")
            yield field_text(declared, "name", "declarator") or field_text(
                node, "name", "declarator"
            )


def _is_type_in_other_case(name: str, source: ParsedSource) -> bool:
    """Return whether the program declares a type that differs from a name only in its case."""
    types = _declared_names(source, _TYPES)
    return any(each != name and each.lower() == name.lower() for each in types)


def _has_sibling(name: str, source: ParsedSource) -> bool:
    """Return whether the program has constants whose names begin with the same word."""
    first, mark, _ = name.partition("_")
    if not mark:
        return False

    if class_of_name(name) != "constant":
        return False

    names = _declared_names(source, _VALUES)
    return any(each.startswith(f"{first}_") for each in names)


def _names_around(source: ParsedSource, place: int) -> set[str]:
    """Return the names in the function around a place."""
    found: set[str] = set()
    for owner in owners_at(source, place)[-1:]:
        found.update(node.text() for node in all_nodes(owner) if _NAMES.search(node.kind()))

    return found


def _is_similar(name: str, others: set[str]) -> bool:
    """Return whether a name of the same kind may have been meant: `sock` for `socket`."""
    if len(name) < _SHORTEST:
        return False

    kind = class_of_name(name)
    same_kind = [each for each in others - {name} if class_of_name(each) == kind]
    if get_close_matches(name, same_kind, 1, _ALIKE):
        return True

    return any(_is_short_for(each, name) for each in same_kind)


def _is_short_for(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    rest = long.removeprefix(short)
    if len(short) < _SHORTEST:
        return False

    if rest == long:
        return False

    return not rest.startswith("_")


def _is_called_member(name: str, source: ParsedSource, place: int) -> bool:
    """Return whether the function around a place gets something of that name: `moment.time()`."""
    found: set[str] = set()
    for owner in owners_at(source, place)[-1:]:
        texts = [token.text for token in tokenize(owner.text(), source.language)]
        found.update(re.findall(rf"(\S+) \. {name} \(", " ".join(texts)))

    return not found <= {name}


def _is_told_beside(name: str, source: ParsedSource) -> bool:
    """Return whether a comment beside a declaration speaks of the name."""
    comments = [node for node in source.comments() if re.search(rf"\b{name}\b", node.text())]
    starts = [span_of(node)[0] for node in comments]
    return any(source.text[:start].rpartition("\n")[2].strip() for start in starts)
