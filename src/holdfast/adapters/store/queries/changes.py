"""The rows of changes: how they are found, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, or_, select

from holdfast.adapters.store.plain.change_rows import joined_paths
from holdfast.adapters.store.queries.events import last_event
from holdfast.adapters.store.queries.projects import find_project
from holdfast.adapters.store.tables import changes, checkpoints, worktrees
from holdfast.adapters.store.tables import events as logged
from holdfast.changes.change_log import LeftFile, LeftFiles

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy import ColumnElement, Connection, RowMapping

    from holdfast.changes.change import ChangeState
    from holdfast.changes.change_log import LastUndo
    from holdfast.vocab.place import Place


def change_rows(
    connection: Connection,
    place: Place,
    *where: Any,
    limit: int | None = None,
    everywhere: bool = True,
) -> list[RowMapping]:
    """Return the rows of changes for which the conditions are true, newest first."""
    project = find_project(connection, place)
    if project is None:
        return []

    query = newest_first(_WITH_WORKTREE, project.id).where(*where).limit(limit)
    if not everywhere:
        query = query.where(_is_here(place))

    return list(connection.execute(query).mappings())


def change_ids(connection: Connection, place: Place) -> tuple[str, ...]:
    """Return the ids of all changes, newest first."""
    project = find_project(connection, place)
    if project is None:
        return ()
    return tuple(connection.execute(newest_first(select(changes.c.id), project.id)).scalars())


def change_marks(
    connection: Connection, place: Place, state: ChangeState
) -> tuple[tuple[str, int], ...]:
    """Return id and `seq` of the changes of this worktree in a state, newest first."""
    project = find_project(connection, place)
    if project is None:
        return ()

    query = newest_first(select(changes.c.id, changes.c.seq), project.id).where(
        changes.c.state == state
    )
    query = query.outerjoin(worktrees, _OF_CHANGE).where(_is_here(place))
    return tuple((change_id, seq) for change_id, seq in connection.execute(query))


def last_turn(connection: Connection, place: Place, session: str | None = None) -> str | None:
    """Return the turn of the latest applied change of this worktree, or session, that has one."""
    project = find_project(connection, place)
    if project is None:
        return None

    query = newest_first(select(changes.c.turn_id), project.id)
    query = query.outerjoin(worktrees, _OF_CHANGE).where(_is_here(place))
    of_turns = (changes.c.state == "applied", changes.c.turn_id.is_not(None))
    if session is not None:
        query = query.where(changes.c.session_id == session)

    return connection.execute(query.where(*of_turns).limit(1)).scalar()


def left_since(connection: Connection, place: Place, event_seq: int | None) -> LeftFiles:
    """Return the files of this worktree that changes have written since an event."""
    project = find_project(connection, place)
    if project is None:
        return LeftFiles({}, 0)

    last = last_event(connection, project.id)
    if event_seq is None:
        return LeftFiles({}, last)

    moves = select(logged.c.body).where(
        logged.c.project_id == project.id,
        logged.c.kind == "change_moved",
        logged.c.seq > event_seq,
    )
    moved = list(connection.execute(moves.order_by(logged.c.seq)).scalars())
    ids = {body["change_id"] for body in moved}
    here = select(changes.c.id).outerjoin(worktrees, _OF_CHANGE)
    here = here.where(changes.c.id.in_(ids), _is_here(place))
    mine = set(connection.execute(here).scalars())
    files: dict[str, LeftFile] = {}
    for body in moved:
        if body["change_id"] in mine:
            _leave(files, body)

    return LeftFiles(files, last)


def _leave(files: dict[str, LeftFile], body: Mapping[str, Any]) -> None:
    """Add the files that the change of an event has written."""
    for written in body.get("written", ()):
        path, mode = written["path"], written["mode"]
        if mode is None and path in files:
            mode = files[path].mode
        files[path] = LeftFile(body["change_id"], written["digest"], mode)


def last_undo(connection: Connection, place: Place) -> LastUndo | None:
    """Return what a redo does again, or None."""
    # Not above: it loads the events of turns, and only `redo` asks for it.
    from holdfast.usecases.events.redo_stack import REDO_KINDS, redo_stack  # noqa: PLC0415 - see above

    project = find_project(connection, place)
    if project is None:
        return None

    query = select(logged.c.kind, logged.c.body).where(
        logged.c.project_id == project.id, logged.c.kind.in_(REDO_KINDS)
    )
    found = connection.execute(query.order_by(logged.c.seq))
    elsewhere = _ids_elsewhere(connection, project.id, place)
    stack = redo_stack(((kind, body) for kind, body in found), elsewhere)
    if not stack:
        return None

    return stack[-1]


def _ids_elsewhere(connection: Connection, project_id: str, place: Place) -> frozenset[str]:
    """Return the ids of the changes and checkpoints of the project's other worktrees."""
    ids: set[str] = set()
    for table in (changes, checkpoints):
        query = select(table.c.id).join(worktrees, worktrees.c.id == table.c.worktree_id)
        there = (table.c.project_id == project_id, worktrees.c.identity != place.worktree_id)
        ids.update(connection.execute(query.where(*there)).scalars())
    return frozenset(ids)


def touches(paths: Collection[str]) -> ColumnElement[bool]:
    """Return the condition for changes that may swap one of these paths."""
    named = [changes.c.paths.contains(joined_paths([path]), autoescape=True) for path in paths]
    return or_(changes.c.paths.is_(None), *named)


def _is_here(place: Place) -> ColumnElement[bool]:
    """Return the condition for the changes of this worktree.

    A change of an older store has no worktree on record: it was made in the main one.
    """
    here = worktrees.c.identity == place.worktree_id
    if place.is_main:
        return here | changes.c.worktree_id.is_(None)
    return here


def newest_first(query: Select[Any], project_id: Any) -> Select[Any]:
    """Return the query for the changes of a project that have not left."""
    there = (changes.c.project_id == project_id, changes.c.left_with.is_(None))
    return query.where(*there).order_by(changes.c.seq.desc())


_OF_CHANGE = worktrees.c.id == changes.c.worktree_id
_WITH_WORKTREE = select(
    changes,
    worktrees.c.identity.label("worktree_identity"),
    worktrees.c.path.label("worktree_path"),
).outerjoin(worktrees, _OF_CHANGE)
