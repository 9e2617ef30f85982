"""The subset of JSON Schema used for tool arguments: types, alternatives, fields, references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from holdfast.vocab.lazy_dataclass import dataclass

_TYPES: Final[Mapping[str | None, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_WORDS: Final[Mapping[str | None, str]] = {
    "integer": "an integer",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_DEEPEST: Final = 16
"""The longest chain of references: they may be circular."""
_DEEPEST_SHOWN: Final = 3
"""The deepest level of nesting in a signature."""


@dataclass(frozen=True, slots=True)
class SchemaNode:
    """One node of a schema, and the root that its references point into."""

    node: Mapping[str, Any]
    root: Mapping[str, Any]

    @property
    def kind(self) -> str | None:
        """The one required type, or None if any type is allowed."""
        kind = self.node.get("type")
        if not isinstance(kind, str):
            return None
        return kind

    @property
    def kinds(self) -> set[str | None]:
        """The types of the plain alternatives."""
        return {choice.kind for choice in self.choices()}

    @property
    def fields(self) -> dict[str, SchemaNode]:
        """The fields of an object, in the order of the schema."""
        properties = self.node.get("properties", {})
        return {name: self._child(node) for name, node in properties.items()}

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the required fields."""
        return tuple(self.node.get("required", ()))

    @property
    def items(self) -> SchemaNode:
        """The schema of a list's items."""
        return self._child(self.node.get("items", {}))

    def choices(self, depth: int = 0) -> Iterator[SchemaNode]:
        """Yield the plain alternatives that this node allows, with references resolved."""
        if depth > _DEEPEST:
            return

        node = self.node
        alternatives = node.get("anyOf") or node.get("oneOf") or node.get("allOf")
        if isinstance(node.get("$ref"), str):
            alternatives = [_resolve(node["$ref"], self.root)]

        if isinstance(alternatives, list):
            for alternative in alternatives:
                child = self._child(alternative)
                yield from child.choices(depth + 1)
            return

        kinds = node.get("type")
        if not isinstance(kinds, list):
            yield self
            return

        for kind in kinds:
            yield SchemaNode({**node, "type": kind}, self.root)

    def takes(self, value: Any) -> bool:
        """Return whether the value has the right type and, if values are listed, is one of them.

        The items and fields inside the value are not checked.
        """
        allowed = self._allowed_values()
        if allowed is not None and value not in allowed:
            return False

        expected = _TYPES.get(self.kind)
        if expected is None:
            return True

        # Not isinstance: in Python, `True` is an integer too.
        return type(value) in expected

    def _allowed_values(self) -> Any:
        if "enum" in self.node:
            return self.node["enum"]
        if "const" in self.node:
            return [self.node["const"]]
        return None

    def _child(self, node: Any) -> SchemaNode:
        if not isinstance(node, Mapping):
            node = {}
        return SchemaNode(node, self.root)


def root_node(schema: Mapping[str, Any]) -> SchemaNode:
    """Return the first plain alternative of a whole schema."""
    choices = SchemaNode(schema, schema).choices()
    return next(choices, SchemaNode({}, schema))


def signature(node: SchemaNode, depth: int = 0) -> str:
    """Return the fields of an object in one line; `depth` is how deep the object is nested.

    >>> path, end = {"type": "string"}, {"type": "integer"}
    >>> schema = {"properties": {"path": path, "end": end}, "required": ["path"]}
    >>> signature(root_node(schema))
    '{path: string, end?: integer}'
    """
    fields: list[str] = []
    for name, field in node.fields.items():
        mark = "?"
        if name in node.required:
            mark = ""
        fields.append(f"{name}{mark}: {_kind(field, depth)}")

    return "{" + ", ".join(fields) + "}"


def describe(node: SchemaNode) -> str:
    """Return the allowed types in words.

    >>> describe(SchemaNode({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {}))
    'an integer'
    """
    words: dict[str, None] = {}
    for choice in node.choices():
        if choice.kind in {None, "", "null"}:
            continue
        word = _WORDS.get(choice.kind, f"a {choice.kind}")
        words[word] = None

    return " or ".join(words) or "another value"


def _resolve(reference: str, root: Mapping[str, Any]) -> Any:
    node: Any = root
    for part in reference.removeprefix("#/").split("/"):
        if not isinstance(node, Mapping):
            return None
        node = node.get(part)
    return node


def _kind(node: SchemaNode, depth: int) -> str:
    if depth > _DEEPEST_SHOWN:
        return "any"

    first = SchemaNode({}, node.root)
    for choice in node.choices():
        if choice.kind != "null":
            first = choice
            break

    if first.kind == "array":
        item = _kind(first.items, depth + 1)
        return f"[{item}, …]"
    if first.fields:
        return signature(first, depth + 1)

    return first.kind or "any"
