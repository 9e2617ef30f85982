"""The record of turns, as a use case needs it: begun, kept as they happen, ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from holdfast.vocab.events import CallEnded, Compacted, Event, RepairEnded, Said
    from holdfast.vocab.transcript import StopReason, UserText

PastEvents: TypeAlias = "UserText | Said | CallEnded | Compacted | RepairEnded"
"""What a model has seen of a chat; and the repairs, of which it hears with the next prompt."""


class RecordsUnavailable(Exception):  # noqa: N818 - the word for it
    """The record cannot be read or written; the message says where, why, and the next step."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What a turn begins with. `session` is the one to go on with; None begins a new one.

    Without a prompt the turn goes on where the session stands. `system` is what the model is told first; a session that
    goes on keeps the one it had while `tools` are the same, for what was sent must stay the beginning of what is sent.
    """

    prompt: str | None
    model: str
    system: str
    tools: str
    session: str | None = None


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """A turn that is on record as running.

    `message` is the assistant's, which the checkpoint precedes; `past` is what the model has seen of this chat, and
    the repairs, in order, the new prompt included. `system` is what it is told before all that.
    """

    session: str
    chat: str
    turn: str
    message: str
    system: str
    past: tuple[PastEvents, ...]


@dataclass(frozen=True, slots=True)
class TurnNotBegun:
    """No turn has begun; `message` says why, and what to do."""

    message: str


BeginOutcome: TypeAlias = TurnBegun | TurnNotBegun


class TurnRecords(Protocol):
    """The turns of one project, durably: what a call has recorded survives a kill right after it.

    Several processes may share it. Each call is one transaction, and may raise `RecordsUnavailable`.
    """

    def begin(self, opening: TurnRequest) -> BeginOutcome:
        """Record a turn as running, with the prompt before it. It counts as dead when this process is."""

    def keep(self, begun: TurnBegun, events: Sequence[Event]) -> None:
        """Add facts to the session's log, and those that belong to the transcript to the assistant's message."""

    def end(self, begun: TurnBegun, events: Sequence[Event], stop_reason: StopReason) -> None:
        """Record the last facts and that the turn is over."""

    def mark_interrupted(self) -> tuple[str, ...]:
        """Record the turns of dead processes as interrupted; gives the sessions they belong to."""
