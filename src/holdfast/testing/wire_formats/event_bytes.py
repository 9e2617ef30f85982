"""Server-sent events as bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def typed_event(value: Mapping[str, Any]) -> bytes:
    r"""Return an event with the `type` of its data as its name.

    >>> typed_event({"type": "ping"})
    b'event: ping\ndata: {"type": "ping"}\n\n'
    """
    name = str(value.get("type", "message"))
    return f"event: {name}\n".encode() + data_event(value)


def data_event(value: Mapping[str, Any]) -> bytes:
    """Return an event without a name."""
    return b"data: " + json_bytes(value) + b"\n\n"


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON; characters that have no bytes become `?`."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def broken(event: bytes) -> bytes:
    r"""Return an event whose data ends in the middle.

    >>> broken(data_event({"a": 1}))
    b'data: {"\n\n'
    """
    return event[: len(event) // 2] + b"\n\n"
