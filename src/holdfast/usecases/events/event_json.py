"""An event as JSON and back. One shape for the store, for `--json` and for the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias, TypeVar, get_args

from holdfast.vocab.events import (
    BaselineChange,
    BaselineChat,
    BaselineCheckpoint,
    BaselineTurn,
    CallEnded,
    Compacted,
    Event,
    RepairEnded,
    Said,
    SentinelRaised,
    SkippedPath,
)
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import Sentinel

TranscriptEvent: TypeAlias = Said | CallEnded | Compacted | SentinelRaised | RepairEnded
"""The events that are the transcript: they are kept as parts of the assistant's message."""
TRANSCRIPT_KINDS = frozenset({"said", "call_ended", "compacted", "sentinel", "repair"})

_Record = TypeVar("_Record")


def event_to_json(event: Event) -> dict[str, Any]:
    """Return the event as JSON; `kind` is in it."""
    return {field.name: _plain(getattr(event, field.name)) for field in fields(event)}


def event_from_json(kind: str, body: Mapping[str, Any]) -> Event | None:
    """Return the event with this JSON, or None for a kind that is not known.

    What an older Holdfast did not write has its default; what a newer one wrote besides is left
    out.
    """
    event = _KINDS.get(kind)
    if event is None:
        return None
    return _read(event, body)


def kept_from_json(kind: str, body: Mapping[str, Any]) -> TranscriptEvent | None:
    """Return an event that is a part of a transcript, or None for a part of another kind."""
    event = event_from_json(kind, body)
    if isinstance(event, TranscriptEvent):
        return event
    return None


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__}: an event has plain data only")


def _read(record: type[_Record], body: Mapping[str, Any]) -> _Record:
    """Return the record whose fields are in `body`."""
    values: dict[str, Any] = {}
    for field in fields(record):  # type: ignore[arg-type]  # the kinds below are dataclasses
        if field.name in body:
            read = _NESTED.get(field.name, _flat)
            values[field.name] = read(body[field.name])
    return record(**values)


def _flat(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return value


def _call(body: Mapping[str, Any]) -> ToolCall:
    return ToolCall(body["id"], body["name"], body["arguments"], body["note"])


def _sentinel(body: Mapping[str, Any]) -> Sentinel:
    return Sentinel(body["kind"], body["text"], body["body"])


def _each(record: type[_Record]) -> Callable[[list[Mapping[str, Any]]], tuple[_Record, ...]]:
    return lambda bodies: tuple(_read(record, body) for body in bodies)


def _kind_of(event: type[Event]) -> str:
    (kind,) = (field.default for field in fields(event) if field.name == "kind")
    return str(kind)


_KINDS: Mapping[str, type[Event]] = {_kind_of(event): event for event in get_args(Event)}
# By the name of the field: no two events use one name for different records.
_NESTED: Mapping[str, Callable[[Any], Any]] = {
    "call": _call,
    "calls": lambda bodies: tuple(_call(body) for body in bodies),
    "sentinel": _sentinel,
    "skipped": _each(SkippedPath),
    "chats": _each(BaselineChat),
    "changes": _each(BaselineChange),
    "checkpoints": _each(BaselineCheckpoint),
    "turns": _each(BaselineTurn),
}
