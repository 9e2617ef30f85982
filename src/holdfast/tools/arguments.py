"""A tool's arguments: the model of pydantic, the small schema that is sent, the sentence for what does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

# What models like to say about a call, beside it. It is talk, and no argument.
_TALK = frozenset(
    {"description", "explanation", "reason", "reasoning", "rationale", "security_risk", "thought"}
)


_LEFT_OUT = frozenset({"title", "default", "additionalProperties"})


class Arguments(BaseModel):
    """The arguments of a tool that only reads: what it does not know, it ignores."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class StrictArguments(BaseModel):
    """The arguments of a tool that changes something: one it does not know could mean something else, so it says so."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_talk(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        return {
            name: value
            for name, value in given.items()
            if name in cls.model_fields or name not in _TALK
        }


def schema_of(arguments: type[BaseModel]) -> dict[str, Any]:
    """Give the JSON Schema, flat and small: local contexts are small, and some servers know only the simplest words."""
    whole = arguments.model_json_schema()
    shared = whole.pop("$defs", {})
    small = _small(whole, shared)
    return {
        "type": "object",
        "properties": small["properties"],
        "required": small.get("required", []),
    }


def sentence_of(error: ValidationError, name: str, schema: Mapping[str, Any]) -> str:
    """Say in one sentence what does not fit, and what the tool takes."""
    wrong = "; ".join(dict.fromkeys(_fault(fault) for fault in error.errors(include_url=False)[:3]))
    return f"{name}: {wrong}. It takes {signature(schema)}."


def signature(schema: Mapping[str, Any]) -> str:
    """Give the arguments in one line.

    >>> signature({"properties": {"path": {"type": "string"}, "end": {"type": "integer"}}, "required": ["path"]})
    '{path: string, end?: integer}'
    """
    required = schema.get("required", [])
    fields = (
        f"{name}{'' if name in required else '?'}: {_type(field)}"
        for name, field in schema["properties"].items()
    )
    return "{" + ", ".join(fields) + "}"


def _type(field: Mapping[str, Any]) -> str:
    if field.get("type") == "array":
        items = field.get("items", {})
        return f"[{signature(items) if 'properties' in items else items.get('type', 'any')}, …]"
    return signature(field) if "properties" in field else str(field.get("type", "any"))


def _fault(fault: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in fault["loc"]) or "the arguments"
    match fault["type"]:
        case "missing":
            return f"{where} is missing"
        case "extra_forbidden":
            return f"{where} is no argument of it"
        case "value_error":
            # What a validator of ours says, after pydantic's own "Value error, ".
            return f"{where}: {fault['msg'].partition(', ')[2]}"
        case _:
            told = fault["msg"]
            return f"{where}: {told[:1].lower()}{told[1:]}"


def _small(node: Any, shared: Mapping[str, Any]) -> Any:
    """Put references in place, and leave out titles, nulls, defaults and what pydantic adds for itself."""
    if isinstance(node, list):
        return [_small(item, shared) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _small(shared[node["$ref"].rpartition("/")[2]], shared)
    if "anyOf" in node:
        kinds = [kind for kind in node["anyOf"] if kind.get("type") != "null"]
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        return _small({**kinds[0], **rest}, shared)
    # The names under `properties` are a model's fields, and one of them may well be called `title`.
    return {
        key: {name: _small(field, shared) for name, field in value.items()}
        if key == "properties"
        else _small(value, shared)
        for key, value in node.items()
        if key not in _LEFT_OUT and not (key == "description" and "properties" in node)
    }
