"""The visibility of a declaration: its file or class, its package, subclasses, or everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_FILE: Final = 0
_PACKAGE: Final = 1
_SUBCLASSES: Final = 2
PUBLIC: Final = 3
_WORDS: Final = {"private": _FILE, "protected": _SUBCLASSES, "public": PUBLIC}


def reach_of(node: SgNode, language: str) -> int:
    """Return the visibility of a declaration; `PUBLIC` if the language has no word for it."""
    if language == "rust":
        return _in_rust(node)
    if language == "java":
        return _in_java(node)
    if language in {"c", "cpp"}:
        return _in_c(node)
    if language in {"typescript", "tsx", "javascript"}:
        word = next(
            (child.text() for child in node.children() if child.kind() == "accessibility_modifier"),
            "public",
        )
        return _WORDS.get(word, PUBLIC)
    return PUBLIC


def _in_rust(node: SgNode) -> int:
    word = next((child for child in node.children() if child.kind() == "visibility_modifier"), None)
    if word is None:
        return _FILE
    return PUBLIC if word.text() == "pub" else _PACKAGE


def _in_java(node: SgNode) -> int:
    holder = node.parent() if node.kind() == "variable_declarator" else node
    if holder is None:
        return _PACKAGE
    outer = holder.parent()
    if outer is not None and outer.kind() == "interface_body":
        return PUBLIC
    modifiers = next((child for child in holder.children() if child.kind() == "modifiers"), None)
    words = modifiers.text().split() if modifiers is not None else ()
    return next((_WORDS[word] for word in words if word in _WORDS), _PACKAGE)


def _in_c(node: SgNode) -> int:
    outer = node.parent()
    if outer is not None and outer.kind() == "field_declaration_list":
        return _in_class(node, outer)
    is_static = any(
        child.kind() == "storage_class_specifier" and child.text() == "static"
        for child in node.children()
    )
    return _FILE if is_static else PUBLIC


def _in_class(node: SgNode, listed: SgNode) -> int:
    specifier = next(
        (
            before.text().rstrip(":")
            for before in node.prev_all()
            if before.kind() == "access_specifier"
        ),
        None,
    )
    if specifier is not None:
        return _WORDS.get(specifier.strip(), PUBLIC)
    holder = listed.parent()
    return _FILE if holder is not None and holder.kind() == "class_specifier" else PUBLIC
