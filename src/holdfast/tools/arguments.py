"""Tool arguments: their pydantic models, the compact schema for a model, and error sentences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
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
        arguments = dict(values)
        for comment in _COMMENTS - set(cls.model_fields):
            arguments.pop(comment, None)
        return arguments


# For each turn the schema of each tool is the same, and pydantic takes milliseconds to make one.
@cache
def schema_of(arguments: type[BaseModel]) -> Mapping[str, Any]:
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
    sentences = dict.fromkeys(map(_describe, faults))
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
        label = name
        if name not in required:
            label = f"{name}?"
        fields.append(f"{label}: {_type(field)}")

    return "{" + ", ".join(fields) + "}"


def _type(field: Mapping[str, Any]) -> str:
    if field.get("type") == "array":
        items = field.get("items", {})
        return f"[{_type(items)}, …]"
    if "properties" in field:
        return signature(field)
    return str(field.get("type", "any"))


def _describe(fault: Mapping[str, Any]) -> str:
    where = ".".join(map(str, fault["loc"])) or "the arguments"
    message: str = fault["msg"]
    match fault["type"]:
        case "missing":
            return f"{where} is missing"
        case "extra_forbidden":
            return f"{where} is not an argument of it"
        case "value_error":
            # Drop pydantic's "Value error, " before the message of our own validator.
            _, _, reason = message.partition(", ")
            return f"{where}: {reason}"
        case _:
            return f"{where}: {message[:1].lower()}{message[1:]}"


def _compact(node: Any, shared: Mapping[str, Any]) -> Any:
    """Inline references, and drop titles, nulls, defaults and pydantic's own keywords."""
    match node:
        case list():
            return [_compact(item, shared) for item in node]
        case {"$ref": reference}:
            name = reference.rpartition("/")[2]
            return _compact(shared[name], shared)
        case {"anyOf": _}:
            return _compact(_without_null(node), shared)
        case dict():
            return _compact_object(node, shared)
        case _:
            return node


def _compact_object(node: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    left_out = _LEFT_OUT
    if "properties" in node:
        # The docstring of a model; the description of a single field stays.
        left_out = _LEFT_OUT | {"description"}

    compact: dict[str, Any] = {}
    for key, value in node.items():
        if key in left_out:
            continue
        if key == "properties":
            # These names are a model's fields, and a field may be called `title`.
            compact[key] = {name: _compact(field, shared) for name, field in value.items()}
        else:
            compact[key] = _compact(value, shared)

    return compact


def _without_null(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first alternative of `anyOf` that is not null, with the other keywords."""
    others = dict(node)
    for alternative in others.pop("anyOf"):
        if alternative.get("type") != "null":
            return {**alternative, **others}
    return others
