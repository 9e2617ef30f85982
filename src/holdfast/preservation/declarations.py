"""The names that a text declares, their visibility, and the signatures and bodies of functions."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import field
from typing import TYPE_CHECKING, Final

from holdfast.preservation.exports import exports_of
from holdfast.preservation.function_bodies import BodyEffect, effect_of
from holdfast.preservation.signatures import FunctionSignature, signature_of
from holdfast.preservation.visibility import PUBLIC, reach_of
from holdfast.syntax.node_kinds import (
    DECLARATIONS,
    DECLARED_FUNCTIONS,
    LOCAL_SCOPES,
    NAMED_SCOPES,
)
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource

# What error recovery takes for a declaration in a text that does not parse: `if (x) {` after a lost
# brace.
_NO_NAMES: Final = frozenset(
    {"if", "for", "while", "switch", "catch", "return", "else", "do", "try", "with", "match", "_"}
)
_NAMED: Final = frozenset(
    {
        "identifier",
        "field_identifier",
        "type_identifier",
        "qualified_identifier",
        "destructor_name",
        "operator_name",
    }
)
_MANY_NAMES: Final = frozenset(
    {"declaration", "field_declaration", "type_definition", "var_spec", "const_spec", "assignment"}
)
_IMPORTS: Final = re.compile(r"(?:await\s+)?(?:require|import)\s*\(")


@dataclass(frozen=True, slots=True)
class Function:
    """A function. `header` is its start and the start of its body."""

    signature: FunctionSignature | None
    effect: BodyEffect
    words: int
    header: tuple[int, int]
    end: int


@dataclass(slots=True)
class Declared:
    """What a text declares; `reach` is the visibility of each name.

    `variables` are the names of values, and `brought` the names in imports and patterns.
    """

    names: set[str] = field(default_factory=set)
    exported: set[str] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    brought: set[str] = field(default_factory=set)
    reach: dict[str, int] = field(default_factory=dict)
    functions: dict[str, list[Function]] = field(default_factory=lambda: defaultdict(list))


def declared_in(reading: ParsedSource) -> Declared:
    """Return what a text declares, without declarations in dead code."""
    found = Declared()
    for kind in DECLARATIONS[reading.language]:
        for node in reading.find(kind):
            _add_declaration(node, reading, found)
    for tag, alias in _typedefs(reading):
        _share(tag, alias, found)
        _share(alias, tag, found)
    for kind in ("import_statement", "import_from_statement", "object_pattern", "array_pattern"):
        for node in reading.find(kind):
            found.brought.update(word.text for word in reading.words_in(node))
    if reading.root is not None:
        found.exported.update(exports_of(reading, found.names))
    return found


def _typedefs(reading: ParsedSource) -> Iterator[tuple[str, str]]:
    """Yield the structs of C that have two names: `typedef struct node { … } Node`."""
    for node in reading.find("type_definition") if reading.language in {"c", "cpp"} else ():
        made = node.field("type")
        tag = (
            made.field("name") if made is not None and made.kind().endswith("_specifier") else None
        )
        if tag is not None:
            yield from ((tag.text(), alias) for alias in _several(node) if alias != tag.text())


def _share(one: str, other: str, found: Declared) -> None:
    """Copy the members of a type to its other name."""
    for name in [name for name in found.names if name.startswith(f"{one}.")]:
        again = other + name[len(one) :]
        found.names.add(again)
        found.reach.setdefault(again, found.reach.get(name, PUBLIC))


def _add_declaration(node: SgNode, reading: ParsedSource, found: Declared) -> None:
    if node.kind().endswith("_specifier") and node.field("body") is None:
        return  # `struct point p;` uses a name, and declares none
    around = _around(node, reading.language)
    if around is None or not _counts(node, reading.language):
        return
    for name in _names_of(node):
        if name in _NO_NAMES:
            continue
        whole = ".".join([*around, name])
        reach = reach_of(node, reading.language)
        found.names.add(whole)
        if node.kind() in {"variable_declarator", "assignment"}:
            found.variables.add(whole)
        # The visibility of a variable of a script is defined by the exports alone.
        if node.kind() != "variable_declarator" or reading.language == "java":
            found.reach[whole] = max(reach, found.reach.get(whole, 0))
        _add_function(node, whole, reading, found)


def _add_function(node: SgNode, whole: str, reading: ParsedSource, found: Declared) -> None:
    made = node.field("value") if node.kind() == "variable_declarator" else node
    if made is None or made.kind() not in DECLARED_FUNCTIONS:
        return
    body = made.field("body")
    signature = signature_of(made, reading.language)
    if body is None:
        if signature is not None and reading.language != "cpp":
            start = made.range()
            header = (start.start.index, start.end.index)
            found.functions[whole].append(
                Function(signature, BodyEffect.NOTHING, 0, header, start.end.index)
            )
        return
    words = sum(1 for _ in reading.words_in(body))
    header = (made.range().start.index, body.range().start.index)
    effect = effect_of(body, reading)
    found.functions[whole].append(
        Function(signature, effect, words, header, body.range().end.index)
    )


def _counts(node: SgNode, language: str) -> bool:
    """Return whether a node declares a name that others may use."""
    kind = node.kind()
    if kind == "assignment":
        return _is_python_constant(node)
    if kind == "preproc_def":
        return node.field("value") is not None  # without a value it guards an include
    if kind == "variable_declarator" and language != "java":
        named, value = node.field("name"), node.field("value")
        if (
            named is None
            or named.kind() != "identifier"
            or (value is not None and _IMPORTS.match(value.text()))
        ):
            return False
        outer = node.parent()
        above = outer.parent() if outer is not None else None
        return above is not None and above.kind() in {"program", "export_statement"}
    if kind == "variable_declarator":
        outer = node.parent()
        return outer is not None and outer.kind() == "field_declaration"
    if kind == "formal_parameter":
        return _is_part_of_record(node)
    if kind == "use_declaration":
        return any(child.kind() == "visibility_modifier" for child in node.children())
    if kind == "property_identifier":
        outer = node.parent()
        return outer is not None and outer.kind() == "enum_body"
    return True


def _is_python_constant(node: SgNode) -> bool:
    outer = node.parent()
    above = outer.parent() if outer is not None else None
    left = node.field("left")
    if above is None or left is None or left.text().startswith("_"):
        return False
    while above is not None and above.kind() in {
        "block",
        "if_statement",
        "try_statement",
        "else_clause",
    }:
        above = above.parent()
    return above is not None and above.kind() in {"module", "class_definition"}


def _is_part_of_record(node: SgNode) -> bool:
    outer = node.parent()
    above = outer.parent() if outer is not None else None
    return above is not None and above.kind() == "record_declaration"


def _names_of(node: SgNode) -> list[str]:
    kind = node.kind()
    if kind == "impl_item":
        trait, of = node.field("trait"), node.field("type")
        return (
            [f"impl {trait.text()} for {of.text()}"] if trait is not None and of is not None else []
        )
    if kind == "use_declaration":
        return [" ".join(node.text().split())]
    if kind == "property_identifier":
        return [node.text()]
    if kind in _MANY_NAMES:
        return list(_several(node))
    name = _name_of(node)
    return [name] if name is not None else []


def _several(node: SgNode) -> Iterator[str]:
    if node.kind() == "assignment":
        left = node.field("left")
        yield from (leaf.text() for leaf in _plain_names(left))
        return
    declarators = [*node.field_children("declarator"), *node.field_children("name")]
    for each in declarators:
        name = _down(each)
        if name is not None:
            yield name


def _plain_names(node: SgNode | None) -> list[SgNode]:
    if node is None or node.kind() == "identifier":
        return [node] if node is not None else []
    return (
        [child for child in node.named_children() if child.kind() == "identifier"]
        if "pattern" in node.kind()
        else []
    )


def _name_of(node: SgNode) -> str | None:
    named = node.field("name")
    return named.text() if named is not None else _down(node.field("declarator"))


def _down(inner: SgNode | None) -> str | None:
    while inner is not None:
        if inner.kind() in _NAMED:
            return inner.text()
        inner = inner.field("declarator") or next(
            (
                child
                for child in inner.named_children()
                if "declarator" in child.kind() or child.kind() in _NAMED
            ),
            None,
        )
    return None


def _around(node: SgNode, language: str) -> list[str] | None:
    """Return the names of the declarations around a node, the outermost first.

    None if the node is local to a function.
    """
    around = []
    for outer in node.ancestors():
        kind = outer.kind()
        if kind in LOCAL_SCOPES:
            return None
        if kind not in NAMED_SCOPES[language] or _is_tag(outer):
            continue
        named = outer.field("type") if kind == "impl_item" else None
        name = named.text() if named is not None else _name_of(outer)
        if name:
            around.append(name)
    receiver = node.field("receiver")
    if receiver is not None:
        of = receiver.find(kind="type_identifier")
        around.append(of.text() if of is not None else "")
    return around[::-1]


def _is_tag(node: SgNode) -> bool:
    """Return whether a type has its name from the `typedef` around it."""
    outer = node.parent()
    return (
        outer is not None
        and outer.kind() == "type_definition"
        and node.kind().endswith("_specifier")
    )


def is_public(name: str, declared: Declared, language: str) -> bool:
    """Return whether others may call a function by this name."""
    last = name.rpartition(".")[2]
    if language == "python":
        return not last.startswith("_") or re.fullmatch(r"__\w+__", last) is not None
    if language in {"javascript", "typescript", "tsx"}:
        first = name.partition(".")[0]
        shown = first in declared.exported or f"local {first}" in declared.exported
        return shown and declared.reach.get(name, PUBLIC) > 0
    if language == "go":
        return last[:1].isupper()
    return declared.reach.get(name, 0) > 0
