"""The sessions of a root, and the questions of their turns."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from holdfast.adapters.filesystem.command_grants import DiskGrants
from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.places.place_records import find_place
from holdfast.adapters.processes.turn_processes import turn_of_process
from holdfast.adapters.store.database_url import chosen_url, store_exists
from holdfast.adapters.store.plain.column_values import new_id
from holdfast.adapters.store.sessions.message_pages import StoredMessages
from holdfast.adapters.store.sessions.placed_sessions import placed_sessions
from holdfast.adapters.store.sessions.session_log import StoredSessions
from holdfast.adapters.store.store_errors import StoreError
from holdfast.usecases.sessions.session import SessionRefused, last_session
from holdfast.usecases.sessions.session_records import EVERY_SESSION, SessionsUnavailable
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.state_directory import state_directory
from holdfast.wiring.worktrees import GitWorktrees, open_worktrees

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from holdfast.usecases.approvals.ports import CommandGrants, ProjectQuestions
    from holdfast.usecases.sessions.session_records import (
        AnnounceDeleted,
        DeletedRows,
        NewSession,
        PlacedSession,
        SessionQuery,
        SessionSummary,
        TurnRunning,
        TurnSummary,
    )


def open_sessions(root: Path) -> LateSessions:
    """Return the sessions of the project at a root. Close them by leaving their `with`."""
    return LateSessions(root, state_directory())


class LateSessions:
    """The sessions of one root (port `SessionRecords`); none while there is no store."""

    def __init__(self, root: Path, state: Path) -> None:
        """Open the store at the first call, if there is one."""
        self._state = state
        self._store = LateStore(state)
        place = find_place(root, state)
        self._stored = StoredSessions(self._store.open, place, TurnLocks(state))
        self.messages = StoredMessages(self._store.open, place)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def list(self, query: SessionQuery = EVERY_SESSION) -> tuple[SessionSummary, ...]:
        """Return the sessions, newest first."""
        if not self._exists():
            return ()
        return self._stored.list(query)

    def create(self, new: NewSession) -> str:
        """Record a session with an empty chat, and return its id."""
        return self._stored.create(new)

    def choose(self, session: str, *, model: str | None, mode: str | None) -> None:
        """Record what the turns of a session use; None leaves that as it is."""
        self._stored.choose(session, model=model, mode=mode)

    def rename(self, session: str, title: str) -> int | None:
        """Set the title; return the number of the event."""
        return self._stored.rename(session, title)

    def archive(self, session: str, *, archived: bool) -> int | None:
        """Put a session away, or back; return the number of the event."""
        return self._stored.archive(session, archived=archived)

    def turn(self, turn: str) -> TurnSummary | None:
        """Return the turn of this project with this id, or None."""
        if not self._exists():
            return None
        return self._stored.turn(turn)

    def find(self, wanted: str) -> tuple[str, ...]:
        """Return the ids of the sessions that start with a prefix, at most two."""
        if not self._exists():
            return ()
        return self._stored.find(wanted)

    def worktrees(self, session: str) -> tuple[str, ...]:
        """Return the folders that have checkpoints of a session, in a fixed order."""
        return self._stored.worktrees(session)

    def delete(self, session: str, announce: AnnounceDeleted) -> DeletedRows | TurnRunning | None:
        """Remove a session with all that belongs to it, in one transaction."""
        return self._stored.delete(session, announce)

    def open_worktrees(self, root: Path) -> GitWorktrees:
        """Return the checkpoints at a folder, with the same store."""
        return open_worktrees(root, store=self._store)

    def _exists(self) -> bool:
        return store_exists(chosen_url(self._state))


def list_placed_sessions(root: Path | None, offset: int, limit: int) -> tuple[PlacedSession, ...]:
    """Return sessions that work at a root, or anywhere, the one with the latest turn first.

    Raise `SessionsUnavailable` if the store cannot be read.
    """
    state = state_directory()
    if not store_exists(chosen_url(state)):
        return ()

    place = None
    if root is not None:
        place = find_place(root, state)

    with LateStore(state) as store:
        try:
            return store.open().query(placed_sessions, place, offset, limit)
        except StoreError as error:
            raise SessionsUnavailable(str(error)) from error


def last_session_at(root: Path) -> str | SessionRefused:
    """Return the session to continue at a root.

    In a worktree of a session that is the last one that worked there; in the main worktree it is
    the one with the latest turn in the whole project.
    """
    place = find_place(root, state_directory())
    try:
        if not place.is_main:
            placed = list_placed_sessions(root, 0, 1)
            if placed:
                return placed[0].id
        with open_sessions(root) as records:
            found = last_session(records)
    except SessionsUnavailable as error:
        return SessionRefused(str(error))

    return found if isinstance(found, SessionRefused) else found.id


def new_session_id() -> str:
    """Return an id for a session that no turn has begun yet."""
    return new_id()


@dataclass(frozen=True, slots=True)
class ApprovalsOfRoot:
    """The questions of a project, and its grants; `turn` is the turn that started this process."""

    questions: ProjectQuestions
    grants: CommandGrants
    turn: str | None


@contextmanager
def open_approvals(root: Path) -> Iterator[ApprovalsOfRoot | None]:
    """Open the questions of the project at a root; None while there is no store."""
    state = state_directory()
    if not store_exists(chosen_url(state)):
        yield None
        return

    place = find_place(root, state)
    with LateStore(state) as store:
        questions = store.approvals(place, TurnLocks(state))
        yield ApprovalsOfRoot(questions, DiskGrants(state, place.project_id), turn_of_process())
