"""JSON Schemas as servers take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KEPT = ("type", "description", "enum", "required")


def fits_strict(schema: Any) -> bool:
    """Whether strict decoding takes this schema: no object with more fields than named, and none of them optional.

    >>> fits_strict({"type": "object", "properties": {}, "required": [], "additionalProperties": False})
    True
    >>> fits_strict({"type": "object", "properties": {"a": {"type": "string"}}})
    False
    """
    if isinstance(schema, list):
        return all(map(fits_strict, schema))
    if not isinstance(schema, Mapping):
        return True
    if "default" in schema:
        return False
    if schema.get("type") == "object" or "properties" in schema:
        named = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(
            schema.get("required", ())
        ) != set(named):
            return False
        if not all(map(fits_strict, named.values())):
            return False
    return all(
        fits_strict(value)
        for name, value in schema.items()
        if name not in {"properties", "enum", "const"}
    )


def plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Give the schema with nothing in it but types, fields and descriptions: what every grammar compiler knows.

    >>> plain({"type": "object", "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}], "title": "N"}}})
    {'type': 'object', 'properties': {'n': {'type': 'integer'}}}
    """
    return _plain(schema, schema.get("$defs", {}), 0)


def _plain(schema: Any, named: Mapping[str, Any], depth: int) -> dict[str, Any]:
    if not isinstance(schema, Mapping) or depth > 20:  # a schema may name itself
        return {}
    if isinstance(link := schema.get("$ref"), str):
        target = named.get(link.rpartition("/")[2], {})
        return _plain(
            {**target, **{key: value for key, value in schema.items() if key != "$ref"}},
            named,
            depth + 1,
        )
    for choice in ("anyOf", "oneOf", "allOf"):
        options = [option for option in schema.get(choice, ()) if option != {"type": "null"}]
        if options:
            rest = {key: value for key, value in schema.items() if key != choice}
            return _plain({**options[0], **rest}, named, depth + 1)
    kept: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
    if isinstance(kept.get("type"), list):
        kept["type"] = next((kind for kind in kept["type"] if kind != "null"), "string")
    if "const" in schema:
        kept["enum"] = [schema["const"]]
    if isinstance(fields := schema.get("properties"), Mapping):
        kept["properties"] = {
            name: _plain(field, named, depth + 1) for name, field in fields.items()
        }
    if "items" in schema:
        kept["items"] = _plain(schema["items"], named, depth + 1)
    return kept
