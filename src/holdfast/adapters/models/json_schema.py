"""JSON Schemas that servers accept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KEPT = ("type", "description", "enum", "required")


def fits_strict(schema: Any) -> bool:
    """Return whether strict decoding accepts this schema.

    Every object must forbid other fields than its properties, and require all of these.

    >>> closed = {"additionalProperties": False, "required": []}
    >>> fits_strict({"type": "object", "properties": {}, **closed})
    True
    >>> fits_strict({"type": "object", "properties": {"a": {"type": "string"}}})
    False
    """
    if isinstance(schema, list):
        return all(fits_strict(each) for each in schema)
    if not isinstance(schema, Mapping):
        return True
    if "default" in schema:
        return False

    fields = schema.get("properties", {})
    is_object = schema.get("type") == "object" or "properties" in schema
    if is_object and not _is_closed(schema, fields):
        return False

    others = schema.keys() - {"properties", "enum", "const"}
    return fits_strict([*fields.values(), *(schema[name] for name in others)])


def _is_closed(schema: Mapping[str, Any], fields: Mapping[str, Any]) -> bool:
    if schema.get("additionalProperties") is not False:
        return False
    return set(schema.get("required", ())) == set(fields)


def plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with types, fields and descriptions only: every grammar compiler has them.

    >>> number = {"anyOf": [{"type": "integer"}, {"type": "null"}], "title": "N"}
    >>> plain({"type": "object", "properties": {"n": number}})
    {'type': 'object', 'properties': {'n': {'type': 'integer'}}}
    """
    return _plain(schema, schema.get("$defs", {}), 0)


def _plain(schema: Any, named: Mapping[str, Any], depth: int) -> dict[str, Any]:
    # A schema may refer to itself.
    if not isinstance(schema, Mapping) or depth > 20:
        return {}

    chosen = _resolve(schema, named)
    if chosen is not None:
        return _plain(chosen, named, depth + 1)

    kept: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
    if isinstance(kept.get("type"), list):
        kept["type"] = _first_type(kept["type"])

    if "const" in schema:
        kept["enum"] = [schema["const"]]

    fields = schema.get("properties")
    if isinstance(fields, Mapping):
        kept["properties"] = {
            name: _plain(field, named, depth + 1) for name, field in fields.items()
        }

    if "items" in schema:
        kept["items"] = _plain(schema["items"], named, depth + 1)

    return kept


def _first_type(types: list[Any]) -> Any:
    for each in types:
        if each != "null":
            return each
    return "string"


def _resolve(schema: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema with its reference or first alternative merged in; None without these."""
    link = schema.get("$ref")
    if isinstance(link, str):
        target = named.get(link.rpartition("/")[2], {})
        return {**target, **_without(schema, "$ref")}

    for choice in ("anyOf", "oneOf", "allOf"):
        for option in schema.get(choice, ()):
            if option == {"type": "null"}:
                continue
            return {**option, **_without(schema, choice)}

    return None


def _without(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    others = dict(schema)
    del others[name]
    return others
