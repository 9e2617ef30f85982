"""What a front end asks of an agent. Every `run` imports this, so it imports little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.adapters.places.place_records import find_place
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.usecases.sessions.message_ports import QueuedMessage
    from holdfast.vocab.agent_events import Transport

WorkPlace: TypeAlias = Literal["default", "in_place", "worktree"]
"""Where a session works: `default` is a worktree of its own in a git project, else in place."""

OURS = "holdfast"
"""The name of Holdfast's own agent."""


@dataclass(frozen=True, slots=True)
class AgentTurnRequest:
    """A turn that an agent is asked for; `session` is the one to go on with.

    `queued` is the message on record that the prompt is from.
    """

    prompt: str | None
    agent: str
    transport: Transport | None = None
    session: str | None = None
    place: WorkPlace = "default"
    with_changes: bool = False
    queued: QueuedMessage | None = None


def agent_of_session(root: Path, session: str) -> str:
    """Return the agent with which a session goes on."""
    state = state_directory()
    with LateStore(state) as store:
        return store.agent_of_session(find_place(root, state), session) or OURS
