"""Convert a value of the wrong type to the right type where only one value can be meant."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from holdfast.syntax.json_text import Read, read_json_text
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.loop.parse_reply.schema import SchemaNode

_INTEGER = lazy_pattern(r"[+-]?\d{1,15}")
_NUMBER = lazy_pattern(r"[+-]?\d{1,15}(?:\.\d{1,15})?")
_NEXT_TAG = lazy_pattern(r"\s*</?[\w:|｜‖]+[\s=>].*\Z", re.DOTALL)
_TRUTH: Final = {"true": True, "false": False}
_ITEM_KINDS: Final[dict[type, str]] = {str: "string", dict: "object"}
"""The types of values that may be meant as a list of one item."""
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

    match field, node.kind, value:
        case "command", "string", [_, _, *_] if _are_texts(value):
            # A list of words was sent for a command that is one text.
            return shlex.join(value)

    convert = _CONVERTERS.get((node.kind, type(value)))
    if convert is None:
        return UnclearValue()

    return convert(value)


def _are_texts(parts: list[Any]) -> bool:
    """Return whether there are parts, and each is a text."""
    types = set(map(type, parts))
    return types == {str}


def _join_lines(parts: list[Any]) -> str | UnclearValue:
    """Join chunks that include their line breaks.

    Without line breaks it is unknown whether two chunks are two lines or the halves of one.
    """
    if not _are_texts(parts):
        return UnclearValue()
    for part in parts[:-1]:
        if not part.endswith("\n"):
            return UnclearValue()
    return "".join(parts)


def _as_list(value: Any, node: SchemaNode) -> list[Any] | UnclearValue:
    """Return a list inside a text, or a list with the value as its only item."""
    item = value
    if isinstance(value, str):
        read = _read_inside(value)
        if isinstance(read, list):
            return read
        if isinstance(read, dict):
            item = read
        elif value.lstrip()[:1] in {"[", "{", ""}:  # broken JSON is not a text
            return UnclearValue()

    kind = _ITEM_KINDS.get(type(item))
    if kind is None:
        return UnclearValue()
    if kind not in node.items.kinds:
        return UnclearValue()

    return [item]


def _whole_number(value: float) -> int | UnclearValue:
    if not value.is_integer():
        return UnclearValue()
    return int(value)


def _parse_integer(text: str) -> int | UnclearValue:
    if not _INTEGER.fullmatch(text.strip()):
        return UnclearValue()
    return int(text)


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
    if not isinstance(read, dict):
        return UnclearValue()
    return read


def _read_inside(text: str) -> Any:
    """Read JSON inside a text; ignore a tag of the next parameter at its end."""
    read = read_json_text(text)
    if not isinstance(read, Read):
        without_tag = _NEXT_TAG.sub("", text)
        read = read_json_text(without_tag)

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
