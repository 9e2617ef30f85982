"""A value of the wrong type, taken as the right one where only one value can be meant."""

from __future__ import annotations

import re
import shlex
from typing import Any, Final

from holdfast.loop.parse_reply.arguments import Read, read_arguments
from holdfast.loop.parse_reply.schema import SchemaNode

_INTEGER = re.compile(r"[+-]?\d{1,15}")
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?")
_NEXT_TAG = re.compile(r"\s*</?[\w:|｜‖]+[\s=>].*\Z", re.DOTALL)
_TRUTH: Final = {"true": True, "false": False, 1: True, 0: False}
ABSENT: Final = frozenset(("", "null", "none", "undefined"))
"""Texts for "nothing", where a text cannot be meant."""


class UnclearValue:
    """No value, or more than one, can be meant."""


def coerce(value: Any, shape: SchemaNode, field: str) -> Any | UnclearValue:
    """Give the value that is meant for a field of this shape. `value` is known not to fit.

    >>> coerce("[1, 5]", SchemaNode({"type": "array"}, {}), "range")
    [1, 5]
    >>> coerce("5", SchemaNode({"type": "integer"}, {}), "start")
    5
    """
    match shape.kind:
        case "string":
            return _text(value, field)
        case "integer" if isinstance(value, float) and value.is_integer():
            return int(value)
        case "integer" if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
            return int(value)
        case "number" if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            return float(value) if "." in value else int(value)
        case "boolean" if isinstance(value, str | int):
            return _TRUTH.get(
                value.strip().lower() if isinstance(value, str) else value, UnclearValue()
            )
        case "array":
            return _list(value, shape)
        case "object" if isinstance(value, str):
            read = _inner(value)
            return read if isinstance(read, dict) else UnclearValue()
        case _:
            return UnclearValue()


def _text(value: Any, field: str) -> str | UnclearValue:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, list) or not value or not all(isinstance(part, str) for part in value):
        return UnclearValue()
    if len(value) == 1:
        return str(value[0])
    if field == "command":
        return shlex.join(value)
    # Chunks that end their lines themselves. Without line ends, nobody knows whether they are lines or halves of one.
    return "".join(value) if all(part.endswith("\n") for part in value[:-1]) else UnclearValue()


def _list(value: Any, shape: SchemaNode) -> list[Any] | UnclearValue:
    items = {choice.kind for choice in shape.items.choices()}
    if isinstance(value, dict):
        return [value] if "object" in items else UnclearValue()
    if not isinstance(value, str):
        return UnclearValue()
    read = _inner(value)
    if isinstance(read, list):
        return read
    if isinstance(read, dict):
        return [read] if "object" in items else UnclearValue()
    return (
        [value]
        if "string" in items and value.lstrip()[:1] not in {"[", "{", ""}
        else UnclearValue()
    )


def _inner(text: str) -> Any:
    """Read JSON inside a text; a tag of the next parameter that ran into it is cut off."""
    read = read_arguments(text)
    if not isinstance(read, Read):
        read = read_arguments(_NEXT_TAG.sub("", text))
    return read.value if isinstance(read, Read) and not read.doubtful else UnclearValue()
