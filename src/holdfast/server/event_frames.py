"""An event of the log as JSON and as a frame of `text/event-stream`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.server.problems import encode
from holdfast.usecases.events.event_json import event_from_json
from holdfast.usecases.events.event_to_json import SCHEMA_VERSION, event_to_json

if TYPE_CHECKING:
    from holdfast.usecases.events.ports import LoggedEvent

BEAT = b": beat\n\n"
STOPPING = b'event: stopping\ndata: {"kind":"stopping"}\n\n'
"""The last frame of a server that stops; it has no number, for it is no event of the project."""


def event_body(logged: LoggedEvent) -> dict[str, Any]:
    """Return the JSON of an event: that of `run --json`, its number, its time and its owner.

    What an older Holdfast did not write has its default.
    """
    event = event_from_json(logged.kind, logged.body)
    body = dict(logged.body) if event is None else event_to_json(event)
    head = {
        "v": SCHEMA_VERSION,
        "seq": logged.seq,
        "at": logged.at,
        "session": logged.session,
        "turn": logged.turn,
    }
    return {**head, **body}


def frame_of(logged: LoggedEvent) -> bytes:
    """Return an event as a frame: `id`, `event` and one line of `data`."""
    head = f"id: {logged.seq}\nevent: {logged.kind}\ndata: ".encode()
    return head + encode(event_body(logged)) + b"\n\n"
