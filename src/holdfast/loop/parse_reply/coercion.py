"""Convert a value of the wrong type to the right type where only one value can be meant."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
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


def coerce(value: Any, node: SchemaNode, field: str) -> Any | UnclearValue:
    """Return the value that is meant for a field with this schema. `value` itself does not fit.

    >>> coerce("[1, 5]", SchemaNode({"type": "array"}, {}), "range")
    [1, 5]
    >>> coerce("5", SchemaNode({"type": "integer"}, {}), "start")
    5
    """
    if node.kind == "string":
        return _as_text(value, field)
    if node.kind == "array":
        return _as_list(value, node)
    convert = _CONVERTERS.get(node.kind or "")
    if convert is None:
        return UnclearValue()
    return convert(value)


def _as_text(value: Any, field: str) -> str | UnclearValue:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    is_texts = isinstance(value, list) and all(isinstance(part, str) for part in value)
    if not is_texts or not value:
        return UnclearValue()
    if field == "command" and len(value) > 1:
        return shlex.join(value)
    # Only chunks that include their line breaks can be joined. Without them it is unknown whether
    # two chunks are two lines or the halves of one.
    all_lines = all(part.endswith("\n") for part in value[:-1])
    return "".join(value) if all_lines else UnclearValue()


def _as_list(value: Any, node: SchemaNode) -> list[Any] | UnclearValue:
    item_kinds = {choice.kind for choice in node.items.choices()}
    if isinstance(value, str):
        return _text_as_list(value, item_kinds)
    if isinstance(value, dict) and "object" in item_kinds:
        return [value]
    return UnclearValue()


def _text_as_list(text: str, item_kinds: set[str | None]) -> list[Any] | UnclearValue:
    read = _read_inside(text)
    if isinstance(read, list):
        return read
    if isinstance(read, dict):
        return [read] if "object" in item_kinds else UnclearValue()
    looks_like_json = text.lstrip()[:1] in {"[", "{", ""}
    if "string" in item_kinds and not looks_like_json:
        return [text]
    return UnclearValue()


def _as_integer(value: Any) -> int | UnclearValue:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value)
    return UnclearValue()


def _as_number(value: Any) -> float | UnclearValue:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        return UnclearValue()
    return float(value) if "." in value else int(value)


def _as_boolean(value: Any) -> bool | UnclearValue:
    if isinstance(value, str):
        return _TRUTH.get(value.strip().lower(), UnclearValue())
    if isinstance(value, int):
        return _TRUTH.get(value, UnclearValue())
    return UnclearValue()


def _as_object(value: Any) -> dict[str, Any] | UnclearValue:
    read = _read_inside(value) if isinstance(value, str) else None
    return read if isinstance(read, dict) else UnclearValue()


_CONVERTERS: Final[dict[str, Callable[[Any], Any]]] = {
    "integer": _as_integer,
    "number": _as_number,
    "boolean": _as_boolean,
    "object": _as_object,
}


def _read_inside(text: str) -> Any:
    """Read JSON inside a text; ignore a tag of the next parameter at its end."""
    read = read_arguments(text)
    if not isinstance(read, Read):
        read = read_arguments(_NEXT_TAG.sub("", text))
    if not isinstance(read, Read) or read.doubtful:
        return UnclearValue()
    return read.value
