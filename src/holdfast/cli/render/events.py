"""How the event log is shown: one line of words, or one JSON object, for each event."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holdfast.cli.render.text import plain
from holdfast.usecases.events.event_to_json import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.usecases.events.ports import LoggedEvent

_SHOWN = (
    "verb",
    "path",
    "name",
    "command",
    "subject",
    "answer",
    "outcome",
    "action",
    "to",
    "state",
    "branch",
    "change_id",
    "change_ids",
    "checkpoint_id",
    "checkpoint_ids",
    "label",
    "model",
    "stop_reason",
    "reason",
    "message",
    "prompt",
    "text",
)
_LONGEST = 100


def json_line(event: LoggedEvent) -> str:
    """Return the event as a line of JSON.

    That of `run --json`, with its number, its time and its owner.
    """
    head = {
        "v": SCHEMA_VERSION,
        "seq": event.seq,
        "at": event.at,
        "session": event.session,
        "turn": event.turn,
    }
    return json.dumps({**head, **event.body}) + "\n"


def event_line(event: LoggedEvent) -> str:
    """Return the event as a line for people.

    Its number, its time, its kind and what it is about.
    """
    about = " ".join(_words(event.body))
    return plain(f"{event.seq:>5}  {event.at}  {event.kind:<16}  {about}".rstrip()) + "\n"


def _words(body: Mapping[str, Any]) -> list[str]:
    words = []
    for name in _SHOWN:
        value = body.get(name)
        if isinstance(value, list):
            value = ", ".join(map(str, value))
        if value:
            line = str(value).partition("\n")[0]
            words.append(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…")

    return words
