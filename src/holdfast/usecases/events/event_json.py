"""An event from its JSON, which `event_to_json` writes."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args

from holdfast.vocab.agent_events import AgentCall, PlanEntry
from holdfast.vocab.events import (
    BaselineChange,
    BaselineChat,
    BaselineCheckpoint,
    BaselineTurn,
    CallEnded,
    Compacted,
    Event,
    OpenMatter,
    RepairEnded,
    Said,
    SentinelRaised,
    SkippedPath,
)
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import Sentinel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TranscriptEvent: TypeAlias = Said | CallEnded | Compacted | SentinelRaised | RepairEnded | AgentCall
"""The events that are the transcript: they are kept as parts of the assistant's message."""

_Record = TypeVar("_Record")


def is_transcript(event: Event) -> bool:
    """Return whether an event is a part of a transcript; of an agent's call, only its end is."""
    if isinstance(event, AgentCall):
        return event.status in {"done", "failed"}
    return isinstance(event, TranscriptEvent)


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
    defaults = {field.name: field.default for field in fields(event)}
    return str(defaults["kind"])


_KINDS: Mapping[str, type[Event]] = {_kind_of(event): event for event in get_args(Event)}
# By the name of the field: no two events use one name for different records.
_NESTED: Mapping[str, Callable[[Any], Any]] = {
    "call": _call,
    "calls": lambda bodies: tuple(_call(body) for body in bodies),
    "sentinel": _sentinel,
    "skipped": _each(SkippedPath),
    "chats": _each(BaselineChat),
    "changes": _each(BaselineChange),
    "changes_restored": _each(BaselineChange),
    "checkpoints": _each(BaselineCheckpoint),
    "turns": _each(BaselineTurn),
    "entries": _each(PlanEntry),
    "unresolved": _each(OpenMatter),
}
