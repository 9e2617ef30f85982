"""The worktrees of a project's sessions, in the store (port `WorktreeRecords`).

The branch and the base are columns of `worktrees`; the rest is in the session's metadata.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update

from holdfast.adapters.places.folder_id import folder_id
from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.chats import add_chat
from holdfast.adapters.store.queries.projects import find_project, lock_project
from holdfast.adapters.store.queries.sessions import session_by_id, set_worktree
from holdfast.adapters.store.queries.worktrees import worktree_at
from holdfast.adapters.store.store_errors import StoreError
from holdfast.adapters.store.tables import changes, checkpoints, sessions, worktrees
from holdfast.usecases.worktrees.session_worktree import SessionWorktree, WorktreesUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import Connection, RowMapping

    from holdfast.adapters.store.store import Store
    from holdfast.vocab.owned_event import OwnedEvent
    from holdfast.vocab.place import Place

_KEY = "worktree"


class StoredWorktrees:
    """The worktrees of the sessions of one project."""

    def __init__(
        self, open_store: Callable[[], Store], place: Place, claim: Callable[[str], Place]
    ) -> None:
        """Use the store that `open_store` returns; it is called for each transaction.

        `claim` returns the place of a folder, and records where it is.
        """
        self._open_store = open_store
        self._place = place
        self._claim = claim

    def list(self) -> tuple[SessionWorktree, ...]:
        """Return the worktrees of all sessions that have one or had one, the latest first."""
        with _translated():
            return self._open_store().query(_list, self._place)

    def paths(self) -> frozenset[str]:
        """Return the paths of all worktrees that were ever made for sessions, deleted ones too."""
        with _translated():
            return self._open_store().query(_paths, self._place)

    def add(self, made: SessionWorktree, events: Sequence[OwnedEvent], *, agent: str) -> int:
        """Record a worktree that is at its path, and its session unless that is on record."""
        with _translated():
            place = self._claim(made.path)
            return self._open_store().run(_add, made, events, agent, place)

    def update(self, changed: SessionWorktree, events: Sequence[OwnedEvent]) -> int:
        """Replace the record of a worktree; return the number of the last event."""
        with _translated():
            return self._open_store().run(_update, self._place, changed, events)


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what the store and the disk raise as the error of the port."""
    try:
        yield
    except StoreError as error:
        raise WorktreesUnavailable(str(error)) from error
    except OSError as error:
        message = f"{error.filename}: {error.strerror}; fix this, and try again."
        raise WorktreesUnavailable(message) from error


def _list(connection: Connection, place: Place) -> tuple[SessionWorktree, ...]:
    project = find_project(connection, place)
    if project is None:
        return ()

    query = (
        select(
            sessions.c.id,
            sessions.c.title,
            sessions.c.created_at,
            sessions.c.metadata,
            worktrees.c.branch,
            worktrees.c.base_sha,
            worktrees.c.identity,
        )
        .join(worktrees, worktrees.c.id == sessions.c.worktree_id)
        .where(sessions.c.project_id == project.id, worktrees.c.branch != "")
        .order_by(sessions.c.created_at.desc(), sessions.c.id)
    )
    rows = connection.execute(query).mappings()
    return tuple(_from_row(row) for row in rows if _KEY in row["metadata"])


def _paths(connection: Connection, place: Place) -> frozenset[str]:
    project = find_project(connection, place)
    if project is None:
        return frozenset()

    query = select(worktrees.c.path).where(
        worktrees.c.project_id == project.id, worktrees.c.branch != ""
    )
    return frozenset(connection.execute(query).scalars())


def _from_row(row: RowMapping) -> SessionWorktree:
    more = row["metadata"][_KEY]
    is_there = _is_folder(more["path"], row["identity"])
    restoring = more["restoring"] if is_there else ""
    return SessionWorktree(
        row["id"],
        more["path"],
        more["root"],
        row["branch"],
        row["base_sha"],
        more["follows"],
        more["with_changes"],
        more["merged"],
        more["removed"],
        is_there and not restoring,
        row["identity"] or "",
        restoring,
        row["title"],
        row["created_at"].isoformat(timespec="seconds"),
    )


def _is_folder(path: str, identity: str | None) -> bool:
    """Return whether the folder on record is at its path, and not another one."""
    try:
        return folder_id(Path(path)) == identity
    except OSError:
        return False


def _more(worktree: SessionWorktree) -> dict[str, Any]:
    return {
        "path": worktree.path,
        "root": worktree.root,
        "follows": worktree.follows,
        "with_changes": worktree.with_changes,
        "merged": worktree.merged,
        "removed": worktree.removed,
        "restoring": worktree.restoring,
    }


def _add(
    connection: Connection,
    made: SessionWorktree,
    events: Sequence[OwnedEvent],
    agent: str,
    place: Place,
) -> int:
    project = lock_project(connection, place)
    row = worktree_at(connection, place, project_id=project.id)
    described = {"branch": made.branch, "base_sha": made.base}
    connection.execute(update(worktrees).where(worktrees.c.id == row.id).values(described))
    session = session_by_id(connection, made.session)
    if session is None:
        values = {
            "id": made.session,
            "project_id": project.id,
            "title": made.title,
            "status": "open",
            "metadata": {_KEY: _more(made)},
            "worktree_id": row.id,
            "agent": agent,
        }
        connection.execute(insert(sessions).values(values))
        add_chat(connection, made.session)
    else:
        _set_metadata(connection, made)
        if session.worktree_id not in {None, row.id}:
            _move_records(connection, str(session.worktree_id), row.id)
        set_worktree(connection, made.session, row.id)

    return publish(connection, project.id, events)


def _move_records(connection: Connection, old: str, new: str) -> None:
    """Give what a worktree has on record to the one that was made in its place.

    The main worktree of the project keeps what it has: the session only worked there before.
    """
    branch = connection.execute(select(worktrees.c.branch).where(worktrees.c.id == old)).scalar()
    if not branch:
        return

    for table in (checkpoints, changes):
        moved = update(table).where(table.c.worktree_id == old)
        connection.execute(moved.values(worktree_id=new))

    connection.execute(delete(worktrees).where(worktrees.c.id == old))


def _update(
    connection: Connection, place: Place, changed: SessionWorktree, events: Sequence[OwnedEvent]
) -> int:
    project = lock_project(connection, place)
    session = session_by_id(connection, changed.session)
    if session is not None:
        _set_metadata(connection, changed)
        this = worktrees.c.id == session.worktree_id
        connection.execute(update(worktrees).where(this).values(base_sha=changed.base))

    return publish(connection, project.id, events)


def _set_metadata(connection: Connection, worktree: SessionWorktree) -> None:
    this = sessions.c.id == worktree.session
    metadata = connection.execute(select(sessions.c.metadata).where(this)).scalar_one()
    described = {**metadata, _KEY: _more(worktree)}
    connection.execute(update(sessions).where(this).values(metadata=described))
