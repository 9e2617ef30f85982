"""An event as JSON. One shape for the store, for `--json` and for the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.vocab.events import Event


SCHEMA_VERSION = 1
"""The version of the JSON of events, `v`."""


def event_to_json(event: Event) -> dict[str, Any]:
    """Return the event as JSON; `kind` is in it."""
    return _fields_of(event)


def _fields_of(record: Any) -> dict[str, Any]:
    body = {}
    for field in fields(record):
        body[field.name] = _plain(getattr(record, field.name))
    return body


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if is_dataclass(value):
        return _fields_of(value)

    raise TypeError(f"{type(value).__name__}: an event has plain data only")
