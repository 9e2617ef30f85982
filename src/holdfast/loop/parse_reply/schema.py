"""The part of JSON Schema that describes a tool's arguments: types, alternatives, fields, references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
_WORDS: Final = {"integer": "an integer", "array": "a list", "object": "an object", "null": "null"}
_DEEPEST: Final = 16
"""References may go round in a circle."""


@dataclass(frozen=True, slots=True)
class SchemaNode:
    """One node of a schema, and the whole that its references point into."""

    node: Mapping[str, Any]
    root: Mapping[str, Any]

    @property
    def kind(self) -> str | None:
        """The one type that is asked for, None if any will do."""
        kind = self.node.get("type")
        return kind if isinstance(kind, str) else None

    @property
    def fields(self) -> dict[str, SchemaNode]:
        """The fields of an object, in the order of the schema."""
        return {name: self._of(node) for name, node in self.node.get("properties", {}).items()}

    @property
    def required(self) -> tuple[str, ...]:
        """The fields that must be there."""
        return tuple(name for name in self.node.get("required", ()) if isinstance(name, str))

    @property
    def items(self) -> SchemaNode:
        """What a list holds."""
        return self._of(self.node.get("items", {}))

    def choices(self, depth: int = 0) -> Iterator[SchemaNode]:
        """Give the plain shapes that this one allows, references followed."""
        if depth > _DEEPEST:
            return
        node = self.node
        if isinstance(node.get("$ref"), str):
            yield from self._of(_follow(node["$ref"], self.root)).choices(depth + 1)
            return
        several = node.get("anyOf") or node.get("oneOf") or node.get("allOf")
        if isinstance(several, list):
            for one in several:
                yield from self._of(one).choices(depth + 1)
        elif isinstance(node.get("type"), list):
            for kind in node["type"]:
                yield SchemaNode({**node, "type": kind}, self.root)
        else:
            yield SchemaNode(node, self.root)

    def takes(self, value: Any) -> bool:
        """Whether the value has the type, and is one of the values if those are listed. Not what is inside it."""
        allowed = self.node.get("enum", [self.node["const"]] if "const" in self.node else None)
        if allowed is not None and value not in allowed:
            return False
        kind = _TYPES.get(self.kind or "")
        if kind is None:
            return True
        # Python counts True as 1.
        return isinstance(value, kind) and (isinstance(value, bool) <= (self.kind == "boolean"))

    def _of(self, node: Any) -> SchemaNode:
        return SchemaNode(node if isinstance(node, Mapping) else {}, self.root)


def shape_of(schema: Mapping[str, Any]) -> SchemaNode:
    """Give the shape of a whole schema."""
    return next(iter(SchemaNode(schema, schema).choices()), SchemaNode({}, schema))


def signature(shape: SchemaNode) -> str:
    """Give the fields of an object in one line.

    >>> schema = {"properties": {"path": {"type": "string"}, "end": {"type": "integer"}}, "required": ["path"]}
    >>> signature(shape_of(schema))
    '{path: string, end?: integer}'
    """
    return _signature(shape, 0)


def describe(shape: SchemaNode) -> str:
    """Give the types that are allowed, in words.

    >>> describe(SchemaNode({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {}))
    'an integer'
    """
    kinds = [choice.kind for choice in shape.choices() if choice.kind not in {None, "null"}]
    return (
        " or ".join(dict.fromkeys(_WORDS.get(kind, f"a {kind}") for kind in kinds if kind))
        or "another value"
    )


def _follow(reference: str, root: Mapping[str, Any]) -> Any:
    node: Any = root
    for part in reference.removeprefix("#/").split("/"):
        node = node.get(part) if isinstance(node, Mapping) else None
    return node


def _signature(shape: SchemaNode, depth: int) -> str:
    fields = (
        f"{name}{'' if name in shape.required else '?'}: {_kind(field, depth)}"
        for name, field in shape.fields.items()
    )
    return "{" + ", ".join(fields) + "}"


def _kind(shape: SchemaNode, depth: int) -> str:
    choices = [choice for choice in shape.choices() if choice.kind != "null"]
    if not choices or depth > 3:
        return "any"
    first = choices[0]
    if first.kind == "array":
        return f"[{_kind(first.items, depth + 1)}, …]"
    if first.fields:
        return _signature(first, depth + 1)
    return first.kind or "any"
