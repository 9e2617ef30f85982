"""Type annotations that a fix removes from Python code: without them a checker reports nothing.

Parameters, results and the fields of a class must keep a type, though it may be another one. A
local variable may lose its type, because a checker infers it. TypeScript is not compared: its
checker infers types everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.preservation.diagnostic_mentions import Mentions
    from holdfast.syntax.source import ParsedSource

_TYPED: Final = frozenset({"typed_parameter", "typed_default_parameter"})
_PLAIN: Final = frozenset(
    {"identifier", "default_parameter", "list_splat_pattern", "dictionary_splat_pattern"}
)
_OWN: Final = frozenset({"self", "cls"})


def annotations_dropped(old: ParsedSource, new: ParsedSource, mentions: Mentions) -> set[str]:
    """Return the parameters, results and fields that had a type and have none now."""
    if old.language != "python" or old.errors:
        return set()
    had, has = _typed(old, mentions), _typed(new, None)
    bare = _bare(new)
    return (had - has) & bare


def _typed(reading: ParsedSource, mentions: Mentions | None) -> set[str]:
    """Return all names with a type, except those that an error calls superfluous."""
    found: set[str] = set()
    for function in reading.find("function_definition"):
        body = function.field("body")
        at = function.range()
        end = body.range().start.index if body is not None else at.end.index
        if mentions is not None and mentions.is_superfluous(at.start.index, end):
            continue
        whole = _path(function)
        found.update(
            f"{whole}({_name(each)})" for each in _parameters(function) if each.kind() in _TYPED
        )
        if function.field("return_type") is not None:
            found.add(f"{whole}()")
    fields = _fields(reading)
    found.update(name for name, typed in fields.items() if any(typed))
    return found


def _bare(reading: ParsedSource) -> set[str]:
    """Return all names without a type."""
    found: set[str] = set()
    for function in reading.find("function_definition"):
        whole = _path(function)
        found.update(
            f"{whole}({_name(each)})" for each in _parameters(function) if each.kind() in _PLAIN
        )
        if function.field("return_type") is None:
            found.add(f"{whole}()")
    found.update(name for name, typed in _fields(reading).items() if not any(typed))
    return found


def _fields(reading: ParsedSource) -> dict[str, list[bool]]:
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for node in reading.find("assignment"):
        left, statement = node.field("left"), node.parent()
        block = statement.parent() if statement is not None else None
        holder = block.parent() if block is not None else None
        if left is not None and holder is not None and holder.kind() == "class_definition":
            found[_path(node, left.text())].append(node.field("type") is not None)
    return found


def _path(node: SgNode, last: str | None = None) -> str:
    if last is None:
        own_name = node.field("name")
        last = own_name.text() if own_name is not None else ""
    names = [last]
    for outer in node.ancestors():
        if outer.kind() not in {"class_definition", "function_definition"}:
            continue
        name = outer.field("name")
        if name is not None:
            names.append(name.text())
    return ".".join(reversed(names))


def _parameters(function: SgNode) -> list[SgNode]:
    listed = function.field("parameters")
    return (
        [each for each in listed.named_children() if _name(each) not in _OWN]
        if listed is not None
        else []
    )


def _name(parameter: SgNode) -> str:
    named = parameter.field("name") or next(iter(parameter.named_children()), None) or parameter
    return named.text().lstrip("*")
