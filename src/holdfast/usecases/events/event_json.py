"""An event as JSON and back. One shape for the store, for `--json` and for the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias

from holdfast.vocab.events import CallEnded, Compacted, Event, RepairEnded, Said, SentinelRaised
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import Sentinel

TranscriptEvent: TypeAlias = Said | CallEnded | Compacted | SentinelRaised | RepairEnded
"""The events that are the transcript: they are kept as parts of the assistant's message."""
TRANSCRIPT_EVENTS = (Said, CallEnded, Compacted, SentinelRaised, RepairEnded)


def event_to_json(event: Event) -> dict[str, Any]:
    """Give the event as JSON; `kind` is in it."""
    return {field.name: _plain(getattr(event, field.name)) for field in fields(event)}


def kept_from_json(kind: str, body: Mapping[str, Any]) -> TranscriptEvent | None:
    """Read an event that is a part of a transcript; None for a part of another kind."""
    read = _READERS.get(kind)
    return None if read is None else read(body)


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__}: an event holds plain data only")


def _said(body: Mapping[str, Any]) -> Said:
    calls = tuple(
        ToolCall(call["id"], call["name"], call["arguments"], call["note"])
        for call in body["calls"]
    )
    return Said(body["text"], body["reasoning"], calls)


def _call_ended(body: Mapping[str, Any]) -> CallEnded:
    read, modified = tuple(body["read"]), tuple(body["modified"])
    return CallEnded(body["call_id"], body["name"], body["text"], body["failure"], read, modified)


def _compacted(body: Mapping[str, Any]) -> Compacted:
    read: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in body.items()
    }
    known: dict[str, Any] = {field.name: read[field.name] for field in fields(Compacted)}
    return Compacted(**known)


def _sentinel(body: Mapping[str, Any]) -> SentinelRaised:
    raised = body["sentinel"]
    return SentinelRaised(Sentinel(raised["kind"], raised["text"], raised["body"]))


def _repair(body: Mapping[str, Any]) -> RepairEnded:
    known: dict[str, Any] = {field.name: body[field.name] for field in fields(RepairEnded)}
    return RepairEnded(**{**known, "rule_ids": tuple(body["rule_ids"])})


_READERS: Mapping[str, Callable[[Mapping[str, Any]], TranscriptEvent]] = {
    "said": _said,
    "call_ended": _call_ended,
    "compacted": _compacted,
    "sentinel": _sentinel,
    "repair": _repair,
}
