"""The names that a text declares and exports, and the functions among them that do something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_LIMIT: Final = 1_000_000
_SCRIPT_KINDS: Final = (
    "function_declaration",
    "generator_function_declaration",
    "class_declaration",
    "method_definition",
    "interface_declaration",
    "type_alias_declaration",
    "enum_declaration",
    "abstract_class_declaration",
)
_C_KINDS: Final = ("function_definition", "struct_specifier", "enum_specifier", "union_specifier", "class_specifier")
_KINDS: Final = {
    "python": ("function_definition", "class_definition"),
    "javascript": ("function_declaration", "generator_function_declaration", "class_declaration", "method_definition"),
    "typescript": _SCRIPT_KINDS,
    "tsx": _SCRIPT_KINDS,
    "c": _C_KINDS[:4],
    "cpp": _C_KINDS,
    "rust": (
        "function_item",
        "struct_item",
        "enum_item",
        "trait_item",
        "mod_item",
        "const_item",
        "static_item",
        "type_item",
        "union_item",
    ),
    "java": (
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "method_declaration",
        "constructor_declaration",
    ),
    "go": ("function_declaration", "method_declaration", "type_spec"),
}
_FUNCTIONS: Final = frozenset(
    {
        "function_definition",
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
        "function_item",
        "method_declaration",
        "constructor_declaration",
    }
)
# What error recovery makes a declaration of, in a text that does not parse: `if (x) {` after a lost brace.
_NO_NAMES: Final = frozenset({"if", "for", "while", "switch", "catch", "return", "else", "do", "try", "with", "match"})
_NOTHING_DONE: Final = re.compile(
    r"pass|\.\.\.|return(?:\s+(?:None|null|undefined|0|nil))?;?|raise\s+NotImplementedError\b.*|throw\s.*|"
    r"(?:todo|unimplemented|unreachable|panic)!?\s*\(.*\)\s*;?|;",
    re.DOTALL,
)


@dataclass(slots=True)
class Declared:
    """What a text declares. `errors` is how many places of it do not parse."""

    names: set[str] = field(default_factory=set)
    exported: set[str] = field(default_factory=set)
    busy: set[str] = field(default_factory=set)
    idle: set[str] = field(default_factory=set)
    errors: int = 0


def declared_in(text: str, language: str) -> Declared | None:
    """Find what a text declares; None where we have no eyes for the language, or the text is too long."""
    if language not in _KINDS or len(text) > _LIMIT:
        return None
    from ast_grep_py import SgRoot  # noqa: PLC0415 - a megabyte of grammars

    clean = text.removeprefix("\ufeff").encode("utf-8", "replace").decode()
    found = Declared()
    if not clean.strip():
        return found
    root = SgRoot(clean, language).root()
    # A token that the parser had to make up is a node without text.
    found.errors = len(root.find_all(kind="ERROR")) + len(root.find_all(regex="^$"))
    for kind in _KINDS[language]:
        for node in root.find_all(kind=kind):
            _take(node, language, found)
    _take_exports(root, language, found)
    return found


def _take(node: SgNode, language: str, found: Declared) -> None:
    name = _name_of(node)
    if name is None or name in _NO_NAMES:
        return
    if node.kind().endswith("_specifier") and node.field("body") is None:
        return  # `struct point p;` uses a name, and declares none
    whole = ".".join([*_around(node, language), name])
    found.names.add(whole)
    if _is_public(node, language):
        found.exported.add(whole)
    body = node.field("body") if node.kind() in _FUNCTIONS else None
    if body is not None:
        (found.busy if _is_busy(body) else found.idle).add(whole)


def _name_of(node: SgNode) -> str | None:
    named = node.field("name")
    if named is not None:
        return named.text()
    inner = node.field("declarator")
    while inner is not None:
        if inner.kind() in {
            "identifier",
            "field_identifier",
            "qualified_identifier",
            "destructor_name",
            "operator_name",
        }:
            return inner.text()
        inner = inner.field("declarator") or next(
            (child for child in inner.named_children() if "declarator" in child.kind()), None
        )
    return None


def _around(node: SgNode, language: str) -> list[str]:
    """Name the declarations that a node stands in, from the outside."""
    kinds = {*_KINDS[language], "impl_item"}
    around = []
    for outer in node.ancestors():
        if outer.kind() not in kinds:
            continue
        named = outer.field("type") if outer.kind() == "impl_item" else None
        name = named.text() if named is not None else _name_of(outer)
        if name:
            around.append(name)
    return around[::-1]


def _is_public(node: SgNode, language: str) -> bool:
    if language == "rust":
        return any(child.kind() == "visibility_modifier" for child in node.children())
    if language == "java":
        modifiers = next((child for child in node.children() if child.kind() == "modifiers"), None)
        return modifiers is not None and "public" in modifiers.text().split()
    return False


def _is_busy(body: SgNode) -> bool:
    """Whether a function does anything at all: not only `pass`, a docstring, or `todo!()`."""
    statements = [
        child
        for child in body.named_children()
        if "comment" not in child.kind() and not _is_docstring(child) and not _NOTHING_DONE.fullmatch(child.text())
    ]
    return bool(statements)


def _is_docstring(node: SgNode) -> bool:
    if node.kind() != "expression_statement":
        return False
    inner = node.named_children()
    return len(inner) == 1 and inner[0].kind() == "string"


def _take_exports(root: SgNode, language: str, found: Declared) -> None:
    if language == "python":
        found.exported.update(_python_all(root, found))
    if language in {"javascript", "typescript", "tsx"}:
        found.exported.update(_script_exports(root))


def _python_all(root: SgNode, found: Declared) -> Iterator[str]:
    """Give the names of `__all__` that there are: one that is not defined anywhere may go."""
    text = root.text()
    for node in root.find_all(kind="assignment"):
        left, right = node.field("left"), node.field("right")
        if left is None or right is None or left.text() != "__all__":
            continue
        for quoted in right.find_all(kind="string"):
            name = quoted.text().strip("\"'")
            if name in found.names or len(re.findall(rf"\b{re.escape(name)}\b", text)) > 1:
                yield name


def _script_exports(root: SgNode) -> Iterator[str]:
    for node in root.find_all(kind="export_statement"):
        if any(child.kind() == "default" for child in node.children()):
            yield "default"  # whatever its own name is
            continue
        declaration = node.field("declaration")
        if declaration is not None:
            name = declaration.field("name")
            if name is not None:
                yield name.text()
            for each in declaration.find_all(kind="variable_declarator"):
                parent = each.parent()
                named = each.field("name")
                if named is not None and parent is not None and parent.range() == declaration.range():
                    yield named.text()
        for each in node.find_all(kind="export_specifier"):
            named = each.field("alias") or each.field("name")
            if named is not None:
                yield named.text()
    for node in root.find_all(kind="assignment_expression"):
        left = node.field("left")
        common = re.fullmatch(r"(?:module\.)?exports(?:\.(\w+))?", left.text()) if left is not None else None
        if common is not None:
            yield common.group(1) or "module.exports"
