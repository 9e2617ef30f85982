"""The changes of one project, in a SQLite store without SQLAlchemy.

These are the calls of the port `ChangeLog` that a command of a shell needs before or after it
writes files. The statements are those of `change_writes` and `queries`, and the tests of the port
run on both.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.adapters.store.plain.change_rows import (
    change_of,
    change_values,
    joined_paths,
    recorded_change,
)
from holdfast.adapters.store.plain.column_values import (
    decode_path,
    dump_json,
    moment_from_sqlite,
    moment_to_sqlite,
    now,
    storable_words,
)
from holdfast.adapters.store.plain.folder_rows import PROJECTS, WORKTREES
from holdfast.adapters.store.plain.plain_events import publish
from holdfast.adapters.store.store_errors import Gone, StoreError
from holdfast.changes.change_log import KEPT, AddedChange, LogUnavailable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from holdfast.adapters.store.plain.plain_store import PlainStore
    from holdfast.changes.change import Change, ChangeState
    from holdfast.changes.change_log import AnnounceRemoved
    from holdfast.vocab.owned_event import OwnedEvent
    from holdfast.vocab.place import Place

_MOST_PATHS = 200
"""For more paths than these all changes are read: a condition for each would be too long."""
_FOLLOWING = "(SELECT coalesce(max(seq), 0) + 1 FROM changes WHERE project_id = :project_id)"
_INSERT = f"""
    INSERT INTO changes (
        id, project_id, session_id, turn_id, seq, state, origin, request, files, created_at,
        settled_at, worktree_id, paths
    ) VALUES (
        :id, :project_id, :session_id, :turn_id, {_FOLLOWING}, :state, :origin, :request, :files,
        :created_at, :settled_at, :worktree_id, :paths
    ) RETURNING seq
"""  # noqa: S608 - a constant
_PRUNE = """
    DELETE FROM changes WHERE id IN (
        SELECT id FROM changes
        WHERE project_id = ? AND left_with IS NULL AND state != 'proposed'
        ORDER BY seq DESC LIMIT -1 OFFSET ?
    ) RETURNING id
"""
# What becomes applied becomes the latest; the latest keeps its place.
_MOVE = f"""
    UPDATE changes SET state = :new, settled_at = :moment,
        seq = CASE WHEN :new != 'applied' OR seq = {_FOLLOWING} - 1 THEN seq ELSE {_FOLLOWING} END
    WHERE id = :id AND project_id = :project_id AND state = :old AND left_with IS NULL
"""  # noqa: S608 - a constant
_LIST = """
    SELECT changes.*, worktrees.identity AS worktree_identity, worktrees.path AS worktree_path
    FROM changes LEFT JOIN worktrees ON worktrees.id = changes.worktree_id
    WHERE {conditions} ORDER BY changes.seq DESC LIMIT :limit
"""


class PlainChanges:
    """The changes of one project, as seen from one of its worktrees."""

    def __init__(self, store: PlainStore, place: Place) -> None:
        """Use a store that is open."""
        self._store = store
        self._place = place

    def add(self, change: Change, announce: AnnounceRemoved) -> AddedChange:
        """Record a new change as the latest, and remove the oldest of the settled ones."""
        with _translated(), self._store.write() as connection:
            project = PROJECTS.find_or_add(connection, self._place)
            _must_be_there(connection, "session", change.session)
            _must_be_there(connection, "turn", change.turn)
            worktree = WORKTREES.find_or_add(connection, self._place, project_id=project)
            values = change_values(change, project, worktree, now())
            seq = connection.execute(_INSERT, _columns(values)).fetchone()[0]
            rows = connection.execute(_PRUNE, (project, KEPT)).fetchall()
            removed = tuple(row[0] for row in rows)
            last = publish(connection, project, announce(removed))

        return AddedChange(recorded_change(change, values, seq, self._place), last)

    def get(self, change_id: str) -> Change | None:
        """Return the change of this project with this id, or None."""
        found = self._find({"changes.id = :id": change_id}, everywhere=True)
        return found[0] if found else None

    def list(
        self,
        *,
        state: ChangeState | None = None,
        origin: str | None = None,
        session: str | None = None,
        turn: str | None = None,
        after: int = 0,
        limit: int | None = None,
        everywhere: bool = False,
        touching: Collection[str] | None = None,
    ) -> tuple[Change, ...]:
        """Return changes, newest first."""
        wanted: dict[str, Any] = {
            "changes.seq > :after": after,
            "changes.state = :state": state,
            "changes.origin = :origin": origin,
            "changes.session_id = :session": session,
            "changes.turn_id = :turn": turn,
        }
        return self._find(wanted, limit=limit, everywhere=everywhere, touching=touching)

    def _find(
        self,
        wanted: Mapping[str, Any],
        *,
        limit: int | None = None,
        everywhere: bool = False,
        touching: Collection[str] | None = None,
    ) -> tuple[Change, ...]:
        """Return the changes for which the conditions are true whose value is not None."""
        conditions = ["changes.project_id = :project_id", "changes.left_with IS NULL"]
        values: dict[str, Any] = {"limit": -1 if limit is None else limit}
        for condition, value in wanted.items():
            if value is not None:
                conditions.append(condition)
                values[condition.rpartition(":")[2]] = value

        if not everywhere:
            conditions.append(_condition_here(self._place))
            values["here"] = self._place.worktree_id

        if touching is not None and len(touching) <= _MOST_PATHS:
            conditions.append(_condition_touching(touching, values))

        with _translated(), self._store.read() as connection:
            values["project_id"] = PROJECTS.find(connection, self._place)
            query = _LIST.format(conditions=" AND ".join(conditions))
            rows = connection.execute(query, values).fetchall()

        found = tuple(change_of(_mapping(row), self._place) for row in rows)
        if touching is None:
            return found

        return tuple(each for each in found if not each.paths.isdisjoint(touching))

    def move(
        self, change_id: str, old: ChangeState, new: ChangeState, events: Sequence[OwnedEvent]
    ) -> int | None:
        """Change the state, if it is still `old`."""
        with _translated(), self._store.write() as connection:
            project = PROJECTS.find_or_add(connection, self._place)
            values = {
                "id": change_id,
                "project_id": project,
                "old": old,
                "new": new,
                "moment": moment_to_sqlite(now()),
            }
            if connection.execute(_MOVE, values).rowcount != 1:
                return None
            return publish(connection, project, events)


def _condition_here(place: Place) -> str:
    """Return the condition for the changes of this worktree.

    A change of an older store has no worktree on record: it was made in the main one.
    """
    if place.is_main:
        return "(worktrees.identity = :here OR changes.worktree_id IS NULL)"
    return "worktrees.identity = :here"


def _condition_touching(paths: Collection[str], values: dict[str, Any]) -> str:
    """Return the condition for changes that may swap one of these paths; add its values."""
    conditions = ["changes.paths IS NULL"]
    for number, path in enumerate(paths):
        # Not LIKE, to which capitals are the same as small letters.
        conditions.append(f"instr(changes.paths, :path_{number})")
        values[f"path_{number}"] = storable_words(joined_paths([path]))

    return f"({' OR '.join(conditions)})"


def _must_be_there(connection: sqlite3.Connection, noun: str, row_id: str | None) -> None:
    """Raise `Gone` for an owner that is no longer there."""
    if row_id is None:
        return
    query = f"SELECT 1 FROM {noun}s WHERE id = ?"  # noqa: S608 - our own tables
    if connection.execute(query, (row_id,)).fetchone() is None:
        raise Gone(noun, row_id)


def _columns(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a new row as SQLite has them."""
    settled = values["settled_at"]
    return {
        **values,
        "request": dump_json(values["request"]),
        "files": dump_json(values["files"]),
        "created_at": moment_to_sqlite(values["created_at"]),
        "settled_at": moment_to_sqlite(settled) if settled else None,
        "paths": storable_words(values["paths"]),
    }


def _mapping(row: sqlite3.Row) -> dict[str, Any]:
    """Return the values of a row as Python has them."""
    settled, path = row["settled_at"], row["worktree_path"]
    return {
        **dict(row),
        "request": json.loads(row["request"]),
        "files": json.loads(row["files"]),
        "created_at": moment_from_sqlite(row["created_at"]),
        "settled_at": moment_from_sqlite(settled) if settled else None,
        "worktree_path": decode_path(path) if path else None,
    }


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what the store raises as the error of the port."""
    try:
        yield
    except StoreError as error:
        raise LogUnavailable(str(error)) from error
