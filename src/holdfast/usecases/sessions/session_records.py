"""The port to the record of a project's sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.vocab.events import SessionDeleted
    from holdfast.vocab.owned_event import OwnedEvent


class SessionsUnavailable(Exception):  # noqa: N818 - the word for it
    """The store cannot be read or written; the message says where, why, and the next step."""


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session as a list shows it. `last_turn` is the status of its last turn, None without one.

    `created_at` is a time in ISO format, for display.
    """

    id: str
    title: str
    agent: str
    created_at: str
    messages: int
    turns: int
    last_turn: str | None


@dataclass(frozen=True, slots=True)
class PlacedSession:
    """A session and the folder in which it works. `updated_at` is that of its last turn."""

    id: str
    title: str
    path: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class TurnRunning:
    """The session was not deleted: a process runs this turn of it."""

    session: str
    turn: str


@dataclass(frozen=True, slots=True)
class DeletedRows:
    """What was deleted, and the number of the last event."""

    event: SessionDeleted
    seq: int


AnnounceDeleted: TypeAlias = "Callable[[SessionDeleted], Sequence[OwnedEvent]]"
"""Returns the events to publish for a session that was deleted."""


class SessionRecords(Protocol):
    """The sessions of one project. Each call may raise `SessionsUnavailable`."""

    def list(self, limit: int | None = None) -> tuple[SessionSummary, ...]:
        """Return the sessions, the latest first."""

    def find(self, wanted: str) -> tuple[str, ...]:
        """Return the ids of the sessions that start with a prefix, at most two."""

    def worktrees(self, session: str) -> tuple[str, ...]:
        """Return the folders that have checkpoints of a session, in a fixed order."""

    def delete(self, session: str, announce: AnnounceDeleted) -> DeletedRows | TurnRunning | None:
        """Remove a session with all that belongs to it, in one transaction.

        Its chats with their messages, turns and checkpoints, and its settled changes. Return None
        if there is no such session.
        """
