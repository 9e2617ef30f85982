"""JSON that a tool wrote, perhaps among other words: read without ever raising."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Fields: TypeAlias = Mapping[str, Any]

_DECODER = json.JSONDecoder()
# Each try may read all that is left: a flood of brackets must not take the square of its time.
_MOST_TRIES = 20


def read_lines(lines: list[str]) -> Iterator[Fields]:
    """Give each line that is one JSON object; other lines are somebody's words, and left out."""
    for line in lines:
        if line.lstrip().startswith("{"):
            found = _read(line.strip())
            if found is not None:
                yield from _objects(found[0])


def read_array(lines: list[str]) -> Iterator[Fields]:
    """Give the objects of each JSON array that begins a line; such an array may go over many lines."""
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
    """Give the one JSON object that the output is, from the first line that begins one."""
    for at, line in enumerate(lines):
        if line.startswith("{"):
            found = _read("\n".join(lines[at:]))
            return found[0] if found is not None else None
    return None


def text_of(fields: Fields, key: str) -> str:
    """Give a string; "" if it is none."""
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def fields_of(fields: Fields, key: str) -> Fields:
    """Give an object; an empty one if it is none."""
    value = fields.get(key)
    return value if isinstance(value, dict) else {}


def list_of(fields: Fields, key: str) -> list[Fields]:
    """Give the objects in a list; none if it is no list."""
    value = fields.get(key)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def count_of(fields: Fields, key: str, add: int = 0) -> int | None:
    """Give a whole number, with so many more; None if it is none."""
    value = fields.get(key)
    return value + add if type(value) is int else None


def _read(text: str) -> tuple[Any, int] | None:
    try:
        return _DECODER.raw_decode(text)
    # RecursionError: a million brackets are an output, too. ValueError: no JSON, or a number of thousands of digits.
    except (ValueError, RecursionError):
        return None


def _objects(value: Any) -> Iterator[Fields]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))
