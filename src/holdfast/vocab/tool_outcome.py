"""The outcome of a tool call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.vocab.events import Event
    from holdfast.vocab.tool_calls import FailureKind


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The outcome of a call. `text` is sent to the model; `failure` is None for a success.

    `read` and `modified` are paths for the ledger. `events` are for people, in order. `unanswered`
    says that approval was needed and no one was there to ask: the turn ends with the stop reason
    `needs_approval`. `repeat` replaces `text` where results are compared (a listing without times).
    """

    text: str
    failure: FailureKind | None = None
    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    unanswered: bool = False
    repeat: str | None = None
