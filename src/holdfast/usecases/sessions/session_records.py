"""The port to the record of a project's sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.vocab.events import SessionDeleted
    from holdfast.vocab.owned_event import OwnedEvent

SessionState: TypeAlias = Literal["running", "waiting", "stopped", "done"]
"""`waiting`: a person has to answer. `stopped`: its last turn came to no good end."""
WorkingPlace: TypeAlias = Literal["worktree", "in_place"]


class SessionsUnavailable(Exception):  # noqa: N818 - the word for it
    """The store cannot be read or written; the message says where, why, and the next step."""


@dataclass(frozen=True, slots=True)
class SessionQuery:
    """Which sessions to list: all that have what is named.

    `text` is searched in titles and messages, without regard to case. Archived sessions are listed
    only with `archived`, and then only they are. None means: any.
    """

    state: SessionState | None = None
    text: str = ""
    archived: bool | None = False
    limit: int | None = None
    id: str | None = None


EVERY_SESSION = SessionQuery(archived=None)


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session as a list shows it. `last_turn` is the status of its last turn, None without one.

    `created_at` and `updated_at` are times in ISO format, for display; a session is updated when a
    turn begins. `last_words` are the end of what its model said last. `files_changed` counts the
    files that its changes touch which are applied, `proposed` its changes that wait for a review,
    `approvals` the questions that wait for a person, `queued` the messages that wait. `root` is the
    folder in which it works, `branch` that of its own worktree. `can_continue`: its last turn has
    stopped before it was done. `model` is the one that was chosen for the session, else that of its
    last turn.
    """

    id: str
    title: str
    agent: str
    created_at: str
    messages: int
    turns: int
    last_turn: str | None
    state: SessionState = "done"
    model: str | None = None
    mode: str | None = None
    updated_at: str = ""
    last_words: str = ""
    files_changed: int = 0
    approvals: int = 0
    queued: int = 0
    place: WorkingPlace = "in_place"
    root: str = ""
    branch: str | None = None
    archived: bool = False
    turn_id: str | None = None
    stop_reason: str | None = None
    can_continue: bool = False
    chosen_model: str | None = None
    proposed: int = 0


@dataclass(frozen=True, slots=True)
class PlacedSession:
    """A session and the folder in which it works. `updated_at` is that of its last turn."""

    id: str
    title: str
    path: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """A turn: its session, its status, and the process that runs it; moments are ISO texts.

    `runs`: a process is at it now.
    """

    id: str
    session: str
    status: str
    stop_reason: str | None
    started_at: str
    ended_at: str | None
    message_id: str | None
    runs: bool = False


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session to create, in the worktree at the root of the records; `id` None is any.

    `model` and `mode` are what its turns use if they name no other.
    """

    title: str = ""
    agent: str = "holdfast"
    model: str | None = None
    mode: str | None = None
    id: str | None = None


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

    def list(self, query: SessionQuery = EVERY_SESSION) -> tuple[SessionSummary, ...]:
        """Return the sessions, newest first."""

    def find(self, wanted: str) -> tuple[str, ...]:
        """Return the ids of the sessions that start with a prefix, at most two."""

    def worktrees(self, session: str) -> tuple[str, ...]:
        """Return the folders that have checkpoints of a session, in a fixed order."""

    def delete(self, session: str, announce: AnnounceDeleted) -> DeletedRows | TurnRunning | None:
        """Remove a session with all that belongs to it, in one transaction.

        Its chats with their messages, turns and checkpoints, and its settled changes. Return None
        if there is no such session.
        """

    def create(self, new: NewSession) -> str:
        """Record a session with an empty chat, and return its id."""

    def choose(self, session: str, *, model: str | None, mode: str | None) -> None:
        """Record what the turns of a session use; None leaves that as it is."""

    def rename(self, session: str, title: str) -> int | None:
        """Set the title; return the number of the event, or None if there is no such session."""

    def archive(self, session: str, *, archived: bool) -> int | None:
        """Put a session away, or back; return as `rename` does."""

    def turn(self, turn: str) -> TurnSummary | None:
        """Return the turn of this project with this id, or None."""
