"""The names that a text exports by a list: `__all__`, `export`, `module.exports`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource


def exports_of(reading: ParsedSource, names: set[str]) -> Iterator[str]:
    """Yield the names that a Python or script file exports.

    `local x` is a name that is exported under another name.
    """
    if reading.language == "python":
        yield from _python_all(reading, names)
    if reading.language in {"javascript", "typescript", "tsx"}:
        yield from _script_exports(reading)
        yield from _common_exports(reading)


def _python_all(reading: ParsedSource, names: set[str]) -> Iterator[str]:
    """Yield the names of `__all__` that are defined: an undefined name may be removed."""
    for node in (*reading.find("assignment"), *reading.find("augmented_assignment")):
        left, right = node.field("left"), node.field("right")
        if left is None or right is None or left.text() != "__all__":
            continue
        for quoted in right.find_all(kind="string"):
            name = quoted.text().strip("\"'")
            if name in names or (
                name.isidentifier() and len(re.findall(rf"\b{re.escape(name)}\b", reading.text)) > 1
            ):
                yield name


def _script_exports(reading: ParsedSource) -> Iterator[str]:
    for node in reading.find("export_statement"):
        declaration = node.field("declaration")
        name = declaration.field("name") if declaration is not None else None
        if any(child.kind() == "default" for child in node.children()):
            yield "default"  # whatever its own name is
            if name is not None:
                yield f"local {name.text()}"
            continue
        if name is not None:
            yield name.text()
        if declaration is not None:
            yield from _declared(declaration)
        source = node.field("source")
        if source is not None and any(child.kind() == "*" for child in node.children()):
            yield f"* from {source.text()}"
        for each in node.find_all(kind="export_specifier"):
            inner, alias = each.field("name"), each.field("alias")
            named = alias or inner
            if named is not None:
                yield named.text()
            if inner is not None and alias is not None:
                yield f"local {inner.text()}"


def _declared(declaration: SgNode) -> Iterator[str]:
    for each in declaration.named_children():
        named = each.field("name") if each.kind() == "variable_declarator" else None
        if named is not None and named.kind() == "identifier":
            yield named.text()
        elif named is not None:  # const { a, b } = …
            yield from (
                part.text() for part in named.find_all(kind="shorthand_property_identifier_pattern")
            )


def _common_exports(reading: ParsedSource) -> Iterator[str]:
    for node in reading.find("assignment_expression"):
        left, right = node.field("left"), node.field("right")
        common = (
            re.fullmatch(r"(?:module\.)?exports(?:\.(\w+))?", left.text())
            if left is not None
            else None
        )
        if common is None:
            continue
        yield common.group(1) or "module.exports"
        if common.group(1) is None and right is not None and right.kind() == "object":
            yield from _keys(right)


def _keys(made: SgNode) -> Iterator[str]:
    for part in made.named_children():
        key = part.field("key") or part.field("name")
        if part.kind() == "shorthand_property_identifier":
            yield part.text()
        elif key is not None:
            yield key.text()
