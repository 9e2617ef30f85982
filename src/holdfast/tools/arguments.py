"""Tool arguments: their pydantic models, the compact schema for a model, and error sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

# Comments that models like to add to a call. They are dropped, because they are not arguments.
_COMMENTS = frozenset(
    {"description", "explanation", "reason", "reasoning", "rationale", "security_risk", "thought"}
)


_LEFT_OUT = frozenset({"title", "default", "additionalProperties"})


class Arguments(BaseModel):
    """The arguments of a tool that only reads. Unknown arguments are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class StrictArguments(BaseModel):
    """The arguments of a tool that changes something.

    Unknown arguments are refused, because each could change what the call means.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_comments(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        comments = _COMMENTS - set(cls.model_fields)
        return {name: value for name, value in values.items() if name not in comments}


def schema_of(arguments: type[BaseModel]) -> dict[str, Any]:
    """Return a flat, compact JSON Schema.

    Local models have small contexts, and some servers support only the simplest keywords.
    """
    whole = arguments.model_json_schema()
    shared = whole.pop("$defs", {})
    compact = _compact(whole, shared)
    return {
        "type": "object",
        "properties": compact["properties"],
        "required": compact.get("required", []),
    }


def sentence_of(error: ValidationError, name: str, schema: Mapping[str, Any]) -> str:
    """Return one sentence with the first three faults and the arguments of the tool."""
    faults = error.errors(include_url=False)[:3]
    sentences = dict.fromkeys(_describe(fault) for fault in faults)
    return f"{name}: {'; '.join(sentences)}. It takes {signature(schema)}."


def signature(schema: Mapping[str, Any]) -> str:
    """Return the arguments in one line.

    >>> fields = {"path": {"type": "string"}, "end": {"type": "integer"}}
    >>> signature({"properties": fields, "required": ["path"]})
    '{path: string, end?: integer}'
    """
    required = schema.get("required", [])
    fields: list[str] = []
    for name, field in schema["properties"].items():
        mark = "" if name in required else "?"
        fields.append(f"{name}{mark}: {_type(field)}")
    return "{" + ", ".join(fields) + "}"


def _type(field: Mapping[str, Any]) -> str:
    if field.get("type") == "array":
        return f"[{_type(field.get('items', {}))}, …]"
    if "properties" in field:
        return signature(field)
    return str(field.get("type", "any"))


def _describe(fault: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in fault["loc"]) or "the arguments"
    message: str = fault["msg"]
    match fault["type"]:
        case "missing":
            return f"{where} is missing"
        case "extra_forbidden":
            return f"{where} is not an argument of it"
        case "value_error":
            # Drop pydantic's "Value error, " before the message of our own validator.
            return f"{where}: {message.partition(', ')[2]}"
        case _:
            return f"{where}: {message[:1].lower()}{message[1:]}"


def _compact(node: Any, shared: Mapping[str, Any]) -> Any:
    """Inline references, and drop titles, nulls, defaults and pydantic's own keywords."""
    if isinstance(node, list):
        return [_compact(item, shared) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        return _compact(shared[name], shared)
    if "anyOf" in node:
        return _compact(_without_null(node), shared)
    compact: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            # These names are a model's fields, and a field may be called `title`.
            compact[key] = {name: _compact(field, shared) for name, field in value.items()}
        elif not _is_left_out(key, node):
            compact[key] = _compact(value, shared)
    return compact


def _without_null(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first alternative of `anyOf` that is not null, with the other keywords."""
    others = dict(node)
    for alternative in others.pop("anyOf"):
        if alternative.get("type") != "null":
            return {**alternative, **others}
    return others


def _is_left_out(key: str, node: Mapping[str, Any]) -> bool:
    if key in _LEFT_OUT:
        return True
    # The docstring of a model; the description of a single field stays.
    return key == "description" and "properties" in node
