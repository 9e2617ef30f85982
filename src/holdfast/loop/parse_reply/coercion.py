"""Convert a value of the wrong type to the right type where only one value can be meant."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from holdfast.loop.parse_reply.arguments import Read, read_arguments

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.loop.parse_reply.schema import SchemaNode

_INTEGER = re.compile(r"[+-]?\d{1,15}")
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?")
_NEXT_TAG = re.compile(r"\s*</?[\w:|｜‖]+[\s=>].*\Z", re.DOTALL)
_TRUTH: Final = {"true": True, "false": False}
_BITS: Final = {1: True, 0: False}
ABSENT: Final = frozenset(("", "null", "none", "undefined"))
"""Texts for "nothing", where a text cannot be meant."""


class UnclearValue:
    """No value, or more than one, can be meant."""


def coerce(value: Any, node: SchemaNode, field: str) -> Any | UnclearValue:
    """Return the value that is meant for a field with this schema. `value` itself does not fit.

    >>> from holdfast.loop.parse_reply.schema import SchemaNode
    >>> coerce("[1, 5]", SchemaNode({"type": "array"}, {}), "range")
    [1, 5]
    >>> coerce("5", SchemaNode({"type": "integer"}, {}), "start")
    5
    """
    if node.kind == "array":
        return _as_list(value, node)
    if field == "command" and _is_command_line(value, node):
        return shlex.join(value)
    convert = _CONVERTERS.get((node.kind, type(value)))
    if convert is None:
        return UnclearValue()
    return convert(value)


def _is_command_line(value: Any, node: SchemaNode) -> bool:
    """Return whether a list of words was sent for a command that is one text."""
    if node.kind != "string" or not isinstance(value, list):
        return False
    return len(value) > 1 and _are_texts(value)


def _are_texts(parts: list[Any]) -> bool:
    return all(isinstance(part, str) for part in parts)


def _join_lines(parts: list[Any]) -> str | UnclearValue:
    """Join chunks that include their line breaks.

    Without line breaks it is unknown whether two chunks are two lines or the halves of one.
    """
    if not parts or not _are_texts(parts):
        return UnclearValue()
    are_lines = all(part.endswith("\n") for part in parts[:-1])
    if not are_lines:
        return UnclearValue()
    return "".join(parts)


def _as_list(value: Any, node: SchemaNode) -> list[Any] | UnclearValue:
    """Return a list inside a text, or a list with the value as its only item."""
    item_kinds = {choice.kind for choice in node.items.choices()}
    if isinstance(value, str):
        return _text_as_list(value, item_kinds)
    if isinstance(value, dict):
        return _list_of_one(value, "object", item_kinds)
    return UnclearValue()


def _text_as_list(text: str, item_kinds: set[str | None]) -> list[Any] | UnclearValue:
    read = _read_inside(text)
    if isinstance(read, list):
        return read
    if isinstance(read, dict):
        return _list_of_one(read, "object", item_kinds)
    looks_like_json = text.lstrip()[:1] in {"[", "{", ""}
    if looks_like_json:
        return UnclearValue()
    return _list_of_one(text, "string", item_kinds)


def _list_of_one(item: Any, kind: str, item_kinds: set[str | None]) -> list[Any] | UnclearValue:
    if kind in item_kinds:
        return [item]
    return UnclearValue()


def _whole_number(value: float) -> int | UnclearValue:
    return int(value) if value.is_integer() else UnclearValue()


def _parse_integer(text: str) -> int | UnclearValue:
    return int(text) if _INTEGER.fullmatch(text.strip()) else UnclearValue()


def _parse_number(text: str) -> float | UnclearValue:
    if not _NUMBER.fullmatch(text.strip()):
        return UnclearValue()
    if "." in text:
        return float(text)
    return int(text)


def _parse_boolean(text: str) -> bool | UnclearValue:
    return _TRUTH.get(text.strip().lower(), UnclearValue())


def _parse_object(text: str) -> dict[str, Any] | UnclearValue:
    read = _read_inside(text)
    return read if isinstance(read, dict) else UnclearValue()


def _read_inside(text: str) -> Any:
    """Read JSON inside a text; ignore a tag of the next parameter at its end."""
    read = read_arguments(text)
    if not isinstance(read, Read):
        without_tag = _NEXT_TAG.sub("", text)
        read = read_arguments(without_tag)
    if not isinstance(read, Read) or read.doubtful:
        return UnclearValue()
    return read.value


_CONVERTERS: Final[dict[tuple[str | None, type], Callable[[Any], Any]]] = {
    ("string", int): str,
    ("string", list): _join_lines,
    ("integer", float): _whole_number,
    ("integer", str): _parse_integer,
    ("number", str): _parse_number,
    ("boolean", str): _parse_boolean,
    ("boolean", int): lambda number: _BITS.get(number, UnclearValue()),
    ("object", str): _parse_object,
}
"""How to convert a value, by the type that the schema asks for and the type of the value."""
