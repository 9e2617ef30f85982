"""JSON in a tool's output, perhaps among other lines: read without ever raising."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Fields: TypeAlias = Mapping[str, Any]

_DECODER = json.JSONDecoder()
# Each try may read everything that is left: many brackets must not cost quadratic time.
_MOST_TRIES = 20


def read_lines(lines: list[str]) -> Iterator[Fields]:
    """Yield each line that is one JSON object; other lines are ignored."""
    for line in lines:
        if not line.lstrip().startswith("{"):
            continue
        found = _read(line.strip())
        if found is not None:
            yield found[0]


def read_array(lines: list[str]) -> Iterator[Fields]:
    """Yield the objects of each JSON array that begins a line; an array may span many lines."""
    at = 0
    tries = _MOST_TRIES
    while at < len(lines) and tries:
        if lines[at].startswith("["):
            tries -= 1
            text = "\n".join(lines[at:])
            found = _read(text)
            if found is not None:
                yield from _objects(found[0])
                at += text[: found[1]].count("\n")
        at += 1


def read_whole(lines: list[str]) -> Fields | None:
    """Return the JSON object that starts at the first line with a brace; None if there is none."""
    for at, line in enumerate(lines):
        if not line.startswith("{"):
            continue
        found = _read("\n".join(lines[at:]))
        if found is None:
            return None
        whole: Fields = found[0]
        return whole

    return None


def text_of(fields: Fields, key: str) -> str:
    """Return a string field; "" if it is missing or no string."""
    value = fields.get(key)
    if isinstance(value, str):
        return value
    return ""


def fields_of(fields: Fields, key: str) -> Fields:
    """Return an object field; an empty object if it is missing or no object."""
    value = fields.get(key)
    if isinstance(value, dict):
        return value
    return {}


def list_of(fields: Fields, key: str) -> list[Fields]:
    """Return the objects in a list field; [] if it is missing or no list."""
    value = fields.get(key)
    if not isinstance(value, list):
        return []
    return _objects(value)


def count_of(fields: Fields, key: str, add: int = 0) -> int | None:
    """Return an integer field plus `add`; None if it is missing or no integer."""
    value = fields.get(key)
    if type(value) is not int:
        return None
    return value + add


def _read(text: str) -> tuple[Any, int] | None:
    """Return the JSON value at the start of the text and its end; None if there is none."""
    try:
        return _DECODER.raw_decode(text)
    # RecursionError: an output can have a million brackets. ValueError: no JSON, or a number with
    # thousands of digits.
    except (ValueError, RecursionError):
        return None


def _objects(values: list[Any]) -> list[Fields]:
    return [each for each in values if isinstance(each, dict)]
