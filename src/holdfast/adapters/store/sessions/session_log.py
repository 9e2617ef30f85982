"""The sessions of one project, in the store (port `SessionRecords`)."""

from __future__ import annotations

import platform
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, or_, select

from holdfast.adapters.store.database_url import SqliteFile
from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.checkpoints import remove_checkpoints
from holdfast.adapters.store.queries.projects import find_project, lock_project
from holdfast.adapters.store.sessions.session_list import ARCHIVED, list_sessions
from holdfast.adapters.store.sessions.session_writes import (
    OPEN,
    change_session,
    choose_for_session,
    copy_transcript,
    create_session,
    turn_of_project,
    turn_summary,
)
from holdfast.adapters.store.store_errors import StoreError
from holdfast.adapters.store.tables import changes, chats, checkpoints, sessions, turns, worktrees
from holdfast.adapters.store.turn_fence import RUNNING
from holdfast.usecases.sessions.session_records import (
    EVERY_SESSION,
    DeletedRows,
    SessionsUnavailable,
    TurnRunning,
)
from holdfast.vocab.events import SessionDeleted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sqlalchemy import Connection, Select

    from holdfast.adapters.filesystem.turn_locks import TurnLocks
    from holdfast.adapters.store.store import Store
    from holdfast.usecases.sessions.session_records import (
        AnnounceDeleted,
        NewSession,
        SessionQuery,
        SessionSummary,
        TurnSummary,
    )
    from holdfast.vocab.place import Place
    from holdfast.vocab.session_events import SessionAction


class StoredSessions:
    """The sessions of the project at one root. To read makes neither the project nor a store."""

    def __init__(self, open_store: Callable[[], Store], place: Place, locks: TurnLocks) -> None:
        """Use the store that `open_store` returns; it is called for each transaction."""
        self._open_store = open_store
        self._place = place
        self._locks = locks

    def list(self, query: SessionQuery = EVERY_SESSION) -> tuple[SessionSummary, ...]:
        """Return the sessions, newest first."""
        with _translated():
            return self._open_store().query(list_sessions, self._place, query, self._is_dead)

    def turn(self, turn: str) -> TurnSummary | None:
        """Return the turn of this project with this id, or None."""
        with _translated():
            found = self._open_store().query(turn_of_project, self._place, turn)

        if found is None:
            return None

        row, session = found
        runs = row.status == RUNNING and not self._is_dead(row.id, row.metadata)
        return turn_summary(row, session, runs=runs)

    def create(self, new: NewSession) -> str:
        """Record a session with an empty chat, and return its id."""
        with _translated():
            return self._open_store().run(create_session, self._place, new)

    def choose(self, session: str, *, model: str | None, mode: str | None) -> None:
        """Record what the turns of a session use; None leaves that as it is."""
        with _translated():
            self._open_store().run(choose_for_session, session, model, mode)

    def copy_transcript(self, source: str, checkpoint_id: str, session: str) -> int | None:
        """Copy the messages of a session before a checkpoint to a new session."""
        with _translated():
            return self._open_store().run(
                copy_transcript, self._place, source, checkpoint_id, session
            )

    def rename(self, session: str, title: str) -> int | None:
        """Set the title; return the number of the event."""
        with _translated():
            values = {"title": title}
            return self._open_store().run(change_session, self._place, session, "renamed", values)

    def archive(self, session: str, *, archived: bool) -> int | None:
        """Put a session away, or back; return the number of the event."""
        action: SessionAction = "archived" if archived else "unarchived"
        values = {"status": ARCHIVED if archived else OPEN}
        with _translated():
            return self._open_store().run(change_session, self._place, session, action, values)

    def count(self) -> int:
        """Return how many sessions the project has."""
        with _translated():
            return self._open_store().query(_count, self._place)

    def find(self, wanted: str) -> tuple[str, ...]:
        """Return the ids of the sessions that start with a prefix, at most two."""
        with _translated():
            return self._open_store().query(_find, self._place, wanted)

    def worktrees(self, session: str) -> tuple[str, ...]:
        """Return the folders that have checkpoints of a session, in a fixed order."""
        with _translated():
            return self._open_store().query(_worktrees, session)

    def delete(self, session: str, announce: AnnounceDeleted) -> DeletedRows | TurnRunning | None:
        """Remove a session with all that belongs to it, in one transaction."""
        with _translated():
            return self._open_store().run(self._delete, session, announce)

    def _delete(
        self, connection: Connection, session: str, announce: AnnounceDeleted
    ) -> DeletedRows | TurnRunning | None:
        # Whoever begins a turn locks the project too.
        project = lock_project(connection, self._place)
        if session not in _find(connection, self._place, session):
            return None

        running = self._running(connection, session)
        if running is not None:
            return TurnRunning(session, running)

        event = _deleted(connection, session)
        connection.execute(delete(changes).where(changes.c.id.in_(event.change_ids)))
        remove_checkpoints(connection, _ids(connection, _checkpoints_of(session)))
        connection.execute(delete(sessions).where(sessions.c.id == session))
        return DeletedRows(event, publish(connection, project.id, announce(event)))

    def _running(self, connection: Connection, session: str) -> str | None:
        """Return a turn of the session that a process runs now."""
        query = select(turns.c.id, turns.c.metadata).where(
            turns.c.chat_id.in_(_chats_of(session)), turns.c.status == RUNNING
        )
        for turn, metadata in connection.execute(query):
            if not self._is_dead(turn, metadata):
                return str(turn)

        return None

    def _is_dead(self, turn: str, metadata: Mapping[str, Any]) -> bool:
        """Return whether no process runs a turn that is on record as running."""
        if not self._is_same_machine(metadata.get("host")):
            return False
        return not self._locks.is_locked(turn)

    def _is_same_machine(self, host: str | None) -> bool:
        """Return whether the locks of a turn can be seen from here.

        A SQLite store is never shared by machines; this one may have got another name.
        """
        return host == platform.node() or isinstance(self._open_store().address, SqliteFile)


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what the store raises as the error of the port."""
    try:
        yield
    except StoreError as error:
        raise SessionsUnavailable(str(error)) from error


def _count(connection: Connection, place: Place) -> int:
    project = find_project(connection, place)
    if project is None:
        return 0
    query = select(func.count()).select_from(sessions).where(sessions.c.project_id == project.id)
    return int(connection.execute(query).scalar_one())


def _find(connection: Connection, place: Place, wanted: str) -> tuple[str, ...]:
    project = find_project(connection, place)
    if project is None or not wanted:
        return ()
    begins = sessions.c.id.startswith(wanted, autoescape=True)
    query = select(sessions.c.id).where(sessions.c.project_id == project.id, begins)
    return _ids(connection, query.limit(2))


def _worktrees(connection: Connection, session: str) -> tuple[str, ...]:
    here = select(checkpoints.c.worktree_id).where(checkpoints.c.id.in_(_checkpoints_of(session)))
    query = select(worktrees.c.path).where(worktrees.c.id.in_(here))
    return _ids(connection, query.order_by(worktrees.c.path))


def _deleted(connection: Connection, session: str) -> SessionDeleted:
    """Return what is about to be deleted."""
    of_session = changes.c.session_id == session
    settled = select(changes.c.id).where(of_session, changes.c.state != "proposed")
    below = turns.c.chat_id.in_(_chats_of(session))
    return SessionDeleted(
        session,
        _ids(connection, _chats_of(session).order_by(chats.c.id)),
        _ids(connection, select(turns.c.id).where(below).order_by(turns.c.started_at, turns.c.id)),
        _ids(connection, settled.order_by(changes.c.seq)),
    )


def _chats_of(session: str) -> Select[Any]:
    return select(chats.c.id).where(chats.c.session_id == session)


def _checkpoints_of(session: str) -> Select[Any]:
    in_chat = checkpoints.c.chat_id.in_(_chats_of(session))
    return select(checkpoints.c.id).where(or_(in_chat, checkpoints.c.session_id == session))


def _ids(connection: Connection, query: Select[Any]) -> tuple[str, ...]:
    return tuple(connection.execute(query).scalars())
