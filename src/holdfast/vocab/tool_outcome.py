"""What comes of a tool call."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.vocab.events import Event
from holdfast.vocab.tool_calls import FailureKind


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What came of a call. `text` is what the model is told; `failure` is None for a success.

    `read` and `modified` are paths for the ledger. `events` are facts for people, in order. `unanswered` says that
    somebody had to be asked and nobody is there: the turn ends with the stop reason `needs_approval`.
    `repeat` is the text that tells one result from another, where that is not `text` (a listing without its times).
    """

    text: str
    failure: FailureKind | None = None
    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    unanswered: bool = False
    repeat: str | None = None
