"""The types that Python code says of its own: without them a checker knows nothing, and so has nothing to say.

The line that is drawn: what a function takes and gives, and what a class holds, keeps a type, whichever it is. A local
variable may lose its own, as a checker finds that out for itself; so it does in TypeScript, everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.preservation.diagnostic_mentions import Spoken
    from holdfast.syntax.source import ParsedSource

_TYPED: Final = frozenset({"typed_parameter", "typed_default_parameter"})
_PLAIN: Final = frozenset(
    {"identifier", "default_parameter", "list_splat_pattern", "dictionary_splat_pattern"}
)
_OWN: Final = frozenset({"self", "cls"})


def annotations_dropped(old: ParsedSource, new: ParsedSource, spoken: Spoken) -> set[str]:
    """Name the parameters, results and fields that had a type and have none now."""
    if old.language != "python" or old.errors:
        return set()
    had, has = _typed(old, spoken), _typed(new, None)
    bare = _bare(new)
    return (had - has) & bare


def _typed(reading: ParsedSource, spoken: Spoken | None) -> set[str]:
    """Name all that have a type, but those of which an error says that it is too much."""
    found: set[str] = set()
    for function in reading.find("function_definition"):
        body = function.field("body")
        at = function.range()
        end = body.range().start.index if body is not None else at.end.index
        if spoken is not None and spoken.too_much(at.start.index, end):
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
    """Name all that are there without a type."""
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
    named = node.field("name")
    names = [last if last is not None else named.text() if named is not None else ""]
    for outer in node.ancestors():
        name = (
            outer.field("name")
            if outer.kind() in {"class_definition", "function_definition"}
            else None
        )
        names += [name.text()] if name is not None else []
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
