"""What is garbage in the store (port `GarbageStore`)."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Text, cast, delete, func, select

from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.projects import all_projects, lock_project_by_id
from holdfast.adapters.store.store_errors import StoreError
from holdfast.adapters.store.tables import changes, events, turns, worktrees
from holdfast.adapters.store.turn_fence import RUNNING
from holdfast.changes.change_log import KEPT
from holdfast.usecases.events.change_events import changes_removed
from holdfast.usecases.garbage.ports import GarbageUnavailable, ProjectPlace, RowGarbage
from holdfast.vocab.events import GarbageCollected
from holdfast.vocab.owned_event import OwnedEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from sqlalchemy import Column, ColumnElement, Connection, Select

    from holdfast.adapters.filesystem.turn_locks import TurnLocks
    from holdfast.adapters.store.store import Store

_DELETED = "session_deleted"
# These events stay when their session is gone. Changes that belong to nobody now, and what a
# restore did to changes outside of the session, are known from them. The one that says that the
# session was deleted is also what keeps the numbers growing: it is later than all the others.
_STATE_KINDS = ("change_moved", "restored", _DELETED)


class StoredGarbage:
    """The rows of all projects that nothing leads to any more."""

    def __init__(self, open_store: Callable[[], Store], locks: TurnLocks) -> None:
        """Use the store that `open_store` returns; it is called for each transaction."""
        self._open_store = open_store
        self._locks = locks

    def projects(self) -> tuple[ProjectPlace, ...]:
        """Return all projects."""
        with _translated():
            return self._open_store().query(_projects)

    def deleted_sessions(self, project: str) -> frozenset[str]:
        """Return the sessions of a project that were deleted, as its log says."""
        with _translated():
            return self._open_store().query(_deleted_sessions, project)

    def rows(self, project: str, sessions: Collection[str]) -> RowGarbage:
        """Return what `remove_rows` would remove."""
        with _translated():
            return self._open_store().query(_rows, project, sessions)

    def remove_rows(self, project: str, sessions: Collection[str], refs: int) -> RowGarbage:
        """Remove rows in one transaction, and publish what was removed."""
        with _translated():
            return self._open_store().run(_remove_rows, project, sessions, refs)

    def free_bytes(self) -> int:
        """Return how many bytes of the store's file are free already."""
        with _translated():
            return self._open_store().free_bytes()

    def running_turn(self) -> str | None:
        """Return a turn that a process of this machine runs now, or None."""
        with _translated():
            running = self._open_store().query(_running)
        for turn in running:
            if self._locks.is_locked(turn):
                return turn
        return None

    def shrink(self) -> None:
        """Return the free bytes of the store's file to the disk."""
        with _translated():
            self._open_store().shrink()


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what the store raises as the error of the port."""
    try:
        yield
    except StoreError as error:
        raise GarbageUnavailable(str(error)) from error


def _projects(connection: Connection) -> tuple[ProjectPlace, ...]:
    below: dict[str, list[str]] = {}
    for project, path in connection.execute(select(worktrees.c.project_id, worktrees.c.path)):
        below.setdefault(project, []).append(path)

    found = []
    for project in all_projects(connection):
        folders = {project.root, *below.get(project.id, ())}
        found.append(ProjectPlace(project.id, tuple(sorted(folders))))

    return tuple(found)


def _deleted_sessions(connection: Connection, project: str) -> frozenset[str]:
    query = select(events.c.session_id).where(
        events.c.project_id == project, events.c.kind == _DELETED
    )
    return frozenset(session for session in connection.execute(query).scalars() if session)


def _running(connection: Connection) -> tuple[str, ...]:
    """Return the turns that are on record as running; those of this machine have locks here."""
    query = select(turns.c.id).where(turns.c.status == RUNNING)
    return tuple(connection.execute(query).scalars())


def _rows(connection: Connection, project: str, sessions: Collection[str]) -> RowGarbage:
    of_changes = func.length(cast(changes.c.request, Text)) + func.length(
        cast(changes.c.files, Text)
    )
    outdated = changes.c.id.in_(_outdated_changes(project))
    of_events = func.length(cast(events.c.body, Text))
    return RowGarbage(
        *_count(connection, changes.c.id, of_changes, [outdated]),
        *_count(connection, events.c.seq, of_events, _outdated_events(project, sessions)),
    )


def _count(
    connection: Connection,
    rows: Column[Any],
    size: ColumnElement[int],
    which: Collection[ColumnElement[bool]],
) -> tuple[int, int]:
    query = select(func.count(rows), func.coalesce(func.sum(size), 0)).where(*which)
    number, length = connection.execute(query).one()
    return int(number), int(length)


def _outdated_changes(project: str) -> Select[Any]:
    """Return the query for the settled changes beyond the latest that are kept."""
    settled = select(changes.c.id).where(
        changes.c.project_id == project,
        changes.c.state != "proposed",
        # What has left goes with the undo checkpoint that it left with.
        changes.c.left_with.is_(None),
    )
    return settled.order_by(changes.c.seq.desc()).offset(KEPT)


def _outdated_events(project: str, sessions: Collection[str]) -> tuple[ColumnElement[bool], ...]:
    return (
        events.c.project_id == project,
        events.c.session_id.in_(sessions),
        events.c.kind.not_in(_STATE_KINDS),
    )


def _remove_rows(
    connection: Connection, project: str, sessions: Collection[str], refs: int
) -> RowGarbage:
    lock_project_by_id(connection, project)
    found = _rows(connection, project, sessions)
    if not (found.changes or found.events or refs):
        return found

    gone = tuple(connection.execute(_outdated_changes(project)).scalars())
    connection.execute(delete(changes).where(changes.c.id.in_(gone)))
    connection.execute(delete(events).where(*_outdated_events(project, sessions)))
    event = GarbageCollected(refs, found.changes, found.events)
    publish(connection, project, [*changes_removed(gone), OwnedEvent(event)])
    return found
