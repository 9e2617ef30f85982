"""The port to the record of turns: begun, recorded as they happen, ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from holdfast.usecases.record_watch import Look
    from holdfast.usecases.sessions.message_ports import QueuedMessage
    from holdfast.vocab.agent_events import AgentCall
    from holdfast.vocab.events import CallEnded, Compacted, Event, RepairEnded, Said, TurnEnded
    from holdfast.vocab.transcript import UserText

ShowEvent: TypeAlias = "Callable[[Event, int | None], None]"
"""Shows an event of a turn with its number; None only for an end that could not be recorded."""
PastEvents: TypeAlias = "UserText | Said | CallEnded | Compacted | RepairEnded | AgentCall"
"""What a model or an agent has seen of a chat; and the repairs, of which the next prompt tells."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What a turn begins with. `session` is the one to go on with; None begins a new one.

    Without a prompt the turn goes on after the last message of the session. `system` is the system
    prompt; a session that goes on keeps its own while `tools` are the same, so that each request
    begins with the text of the last one.

    `agent` does the work. `generation` is that of its session when the turn was asked for: after a
    restore it is another one, and the turn does not begin. `new_session` is the id for a session
    that begins. `queued` is the message that the prompt is from: the turn and its prompt get the
    ids that the message has for them, and do not begin if the message does not wait any more.
    """

    prompt: str | None
    model: str
    system: str
    tools: str
    session: str | None = None
    agent: str = "holdfast"
    generation: int | None = None
    new_session: str | None = None
    queued: QueuedMessage | None = None


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """A turn that is on record as running.

    `message` is the assistant's, which the checkpoint precedes; `prompt_message` is the user's,
    None if there is no new one. `prompt` is its text: what was asked for, and the reasons of
    rejections that the model has not been told. `past` is what the model has seen of this chat,
    and the repairs, in order, the new prompt included. `system` is the text before all that.
    `last_turn` is the turn before this one in the chat. `seq` is the number of the last event
    before the first of the turn.
    """

    session: str
    chat: str
    turn: str
    message: str
    system: str
    past: tuple[PastEvents, ...]
    project: str = ""
    prompt_message: str | None = None
    prompt: str = ""
    last_turn: str | None = None
    seq: int = 0


@dataclass(frozen=True, slots=True)
class TurnNotBegun:
    """No turn has begun; `message` says why, and what to do."""

    message: str


BeginOutcome: TypeAlias = TurnBegun | TurnNotBegun


class TurnRecords(Protocol):
    """The turns of one project, durably: what a call has recorded survives a kill right after it.

    Several processes may share it. Each call is one transaction, in which its events are published,
    and may raise `RecordsUnavailable`. Those that return a number return that of the last event.
    """

    def begin(
        self, opening: TurnRequest, announce: Callable[[TurnBegun], Sequence[Event]]
    ) -> BeginOutcome:
        """Record a turn as running, with the prompt before it.

        It counts as dead when this process is.
        """

    def keep(self, begun: TurnBegun, events: Sequence[Event]) -> int:
        """Publish events of the turn; add those of the transcript to the assistant's message.

        Return the number of the last one. Raise `TurnStopped`, and record nothing, if the turn is
        to stop.
        """

    def recorded(self, begun: TurnBegun, after: int) -> Sequence[tuple[int, Event]]:
        """Return the events of the turn that are on record after a number, in order."""

    def looking(self, begun: TurnBegun) -> AbstractContextManager[Look[str]]:
        """Return the function that looks whether the turn is to stop.

        The function returns the sentence with which the turn is to stop, or None if the turn can go
        on. A turn that another process has ended is to stop, too. If the record cannot be read,
        `RecordsUnavailable` is raised where the context is left.
        """

    def end(self, begun: TurnBegun, events: Sequence[Event], ended: TurnEnded) -> int:
        """Publish the last events, and record that the turn is over.

        Publish and record nothing if another process has ended the turn before.
        """

    def mark_interrupted(self, events: Sequence[Event], ended: TurnEnded) -> tuple[str, ...]:
        """End the turns of dead processes as `end` does, and return the sessions they belong to."""
