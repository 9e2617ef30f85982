"""The changes of one project, in the store (port `ChangeLog`)."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, bindparam, case, delete, insert, or_, select, update

from holdfast.adapters.store.column_types import now
from holdfast.adapters.store.errors import Gone, StoreError
from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.projects import find_project, lock_project
from holdfast.adapters.store.queries.statements import next_seq
from holdfast.adapters.store.queries.worktrees import worktree_at
from holdfast.adapters.store.tables import changes, checkpoints, sessions, turns, worktrees
from holdfast.adapters.store.tables import events as logged
from holdfast.changes.change import Change, ChangeState
from holdfast.changes.change_json import (
    ContentDamaged,
    plan_from_json,
    plan_to_json,
    requested_from_json,
    requested_to_json,
)
from holdfast.changes.change_log import (
    KEPT,
    AddedChange,
    ChangeParts,
    LogUnavailable,
    RemovedChanges,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, RowMapping, Table

    from holdfast.adapters.store.store import Store
    from holdfast.changes.change_log import AnnounceRemoved, LastUndo
    from holdfast.changes.plan import ChangePlan
    from holdfast.vocab.owned_event import OwnedEvent
    from holdfast.vocab.place import Place


_MOST_PATHS = 200
"""For more paths than these all changes are read: a condition for each would be too long."""


def changes_at(open_store: Callable[[], Store], place: Place) -> StoredChanges:
    """Return the changes of the project of a place, in a store that others use too.

    Raise `LogUnavailable`.
    """
    with _translated():
        return StoredChanges(open_store(), place)


class StoredChanges:
    """The changes of one project, as seen from one of its worktrees."""

    def __init__(self, store: Store, place: Place) -> None:
        """Use a store that is open."""
        self._store = store
        self._place = place

    def add(self, change: Change, announce: AnnounceRemoved) -> AddedChange:
        """Record a new change as the latest, and remove the oldest of the settled ones."""
        with _translated():
            if change.state == "applied":
                # Observed: the files are written, also if the turn is to stop now.
                return self._store.settle(_add, self._place, change, announce)
            return self._store.run(_add, self._place, change, announce)

    def get(self, change_id: str) -> Change | None:
        """Return the change of this project with this id, or None."""
        with _translated():
            found = self._store.query(_rows, self._place, changes.c.id == change_id)
        if not found:
            return None
        return self._change(found[0])

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all changes, newest first."""
        with _translated():
            return self._store.query(_ids, self._place)

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
        wanted = {"state": state, "origin": origin, "session_id": session, "turn_id": turn}
        where = [changes.c.seq > after]
        for column, value in wanted.items():
            if value is not None:
                where.append(changes.c[column] == value)
        if touching is not None and len(touching) <= _MOST_PATHS:
            where.append(_touches(touching))
        with _translated():
            rows = self._store.query(_rows, self._place, *where, limit=limit, everywhere=everywhere)
        found = tuple(self._change(row) for row in rows)
        if touching is None:
            return found
        return tuple(each for each in found if not each.paths.isdisjoint(touching))

    def _change(self, row: RowMapping) -> Change:
        return _change(row, self._place)

    def marks(self, state: ChangeState) -> tuple[tuple[str, int], ...]:
        """Return id and `seq` of the changes in a state, newest first."""
        with _translated():
            return self._store.query(_marks, self._place, state)

    def revise(self, change_id: str, plan: ChangePlan, events: Sequence[OwnedEvent]) -> int | None:
        """Replace the plan of a proposed change."""
        with _translated():
            return self._store.run(_revise, self._place, change_id, plan, events)

    def move(
        self, change_id: str, old: ChangeState, new: ChangeState, events: Sequence[OwnedEvent]
    ) -> int | None:
        """Change the state, if it is still `old`."""
        with _translated():
            # The files are written, or will never be: also a turn that is to stop records that.
            return self._store.settle(_move, self._place, change_id, old, new, events)

    def move_together(
        self,
        change_ids: Sequence[str],
        old: ChangeState,
        new: ChangeState,
        events: Sequence[OwnedEvent],
    ) -> int | None:
        """Change the states of several changes, if all are still `old`."""
        with _translated():
            return self._store.settle(_move_together, self._place, change_ids, old, new, events)

    def last_undo(self) -> LastUndo | None:
        """Return what a redo does again, or None."""
        with _translated():
            return self._store.query(_last_undo, self._place)

    def last_turn(self) -> str | None:
        """Return the turn of the latest applied change that belongs to a turn, or None."""
        with _translated():
            return self._store.query(_last_turn, self._place)

    def split(
        self, change_id: str, accepted: Change, rest: Change, events: Sequence[OwnedEvent]
    ) -> ChangeParts | None:
        """Reject a proposed change and record its two parts."""
        with _translated():
            return self._store.run(_split, self._place, change_id, accepted, rest, events)

    def join(
        self, change_id: str, parts: Collection[str], events: Sequence[OwnedEvent]
    ) -> int | None:
        """Undo a split."""
        with _translated():
            return self._store.run(_join, self._place, change_id, parts, events)

    def prune(self, keep: int, announce: AnnounceRemoved) -> RemovedChanges:
        """Remove all but the latest changes that are settled."""
        with _translated():
            return self._store.run(_prune_here, self._place, keep, announce)


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what the store raises as the error of the port."""
    try:
        yield
    except StoreError as error:
        raise LogUnavailable(str(error)) from error


def _add(
    connection: Connection, place: Place, change: Change, announce: AnnounceRemoved
) -> AddedChange:
    project = lock_project(connection, place)
    added = _insert(connection, project.id, place, change)
    removed = _prune(connection, project.id, KEPT)
    return AddedChange(added, publish(connection, project.id, announce(removed)))


def _insert(
    connection: Connection, project_id: str, place: Place, change: Change, seq: int | None = None
) -> Change:
    """Insert a change, at a place that is free or after the last one.

    Return it as it is recorded.
    """
    _must_be_there(connection, sessions, change.session)
    _must_be_there(connection, turns, change.turn)
    worktree = worktree_at(connection, place, project_id=project_id)
    created = now()
    settled = None if change.state == "proposed" else created
    values: dict[str, Any] = {
        "id": change.id,
        "project_id": project_id,
        "session_id": change.session,
        "turn_id": change.turn,
        "state": change.state,
        "origin": change.origin,
        "request": requested_to_json(change.requested),
        "files": plan_to_json(change.plan),
        "created_at": created,
        "settled_at": settled,
        "worktree_id": worktree.id,
        "paths": _joined(change.paths),
    }
    if seq is None:
        number = connection.execute(
            _INSERT_LAST, values | {"this_project": project_id}
        ).scalar_one()
    else:
        number = connection.execute(_INSERT, values | {"seq": seq}).scalar_one()
    return replace(
        change,
        seq=number,
        created_at=_moment(created),
        settled_at=_moment(settled) if settled else None,
        worktree=place.worktree_root,
        is_here=True,
    )


def _must_be_there(connection: Connection, table: Table, row_id: str | None) -> None:
    """Raise `Gone` for an owner that is no longer there.

    Keep it there until the transaction ends.
    """
    if row_id is None:
        return
    query = select(table.c.id).where(table.c.id == row_id)
    locked = connection.execute(query.with_for_update(read=True, key_share=True))
    if locked.first() is None:
        raise Gone(table.name.removesuffix("s"), row_id)


def _prune_here(
    connection: Connection, place: Place, keep: int, announce: AnnounceRemoved
) -> RemovedChanges:
    if find_project(connection, place) is None:
        return RemovedChanges((), 0)
    project = lock_project(connection, place)
    removed = _prune(connection, project.id, keep)
    return RemovedChanges(removed, publish(connection, project.id, announce(removed)))


def _prune(connection: Connection, project_id: str, keep: int) -> tuple[str, ...]:
    return tuple(connection.execute(_PRUNE, {"project_id": project_id, "keep": keep}).scalars())


def _rows(
    connection: Connection,
    place: Place,
    *where: Any,
    limit: int | None = None,
    everywhere: bool = True,
) -> list[RowMapping]:
    project = find_project(connection, place)
    if project is None:
        return []
    query = _newest_first(_WITH_WORKTREE, project.id).where(*where).limit(limit)
    if not everywhere:
        query = query.where(_is_here(place))
    return list(connection.execute(query).mappings())


def _ids(connection: Connection, place: Place) -> tuple[str, ...]:
    project = find_project(connection, place)
    if project is None:
        return ()
    return tuple(connection.execute(_newest_first(select(changes.c.id), project.id)).scalars())


def _marks(connection: Connection, place: Place, state: ChangeState) -> tuple[tuple[str, int], ...]:
    project = find_project(connection, place)
    if project is None:
        return ()
    query = _newest_first(select(changes.c.id, changes.c.seq), project.id).where(
        changes.c.state == state
    )
    query = query.outerjoin(worktrees, _OF_CHANGE).where(_is_here(place))
    return tuple((change_id, seq) for change_id, seq in connection.execute(query))


def _is_here(place: Place) -> ColumnElement[bool]:
    """Return the condition for the changes of this worktree.

    A change of an older store has no worktree on record: it was made in the main one.
    """
    here = worktrees.c.identity == place.worktree_id
    if place.is_main:
        return here | changes.c.worktree_id.is_(None)
    return here


def _newest_first(query: Select[Any], project_id: Any) -> Select[Any]:
    there = (changes.c.project_id == project_id, changes.c.left_with.is_(None))
    return query.where(*there).order_by(changes.c.seq.desc())


def _joined(paths: Collection[str]) -> str:
    """Return paths as the column has them; no path has two slashes in a row."""
    return "".join(f"//{path}//" for path in sorted(paths))


def _touches(paths: Collection[str]) -> ColumnElement[bool]:
    """Return the condition for changes that may swap one of these paths."""
    named = [changes.c.paths.contains(_joined([path]), autoescape=True) for path in paths]
    return or_(changes.c.paths.is_(None), *named)


def _set(
    connection: Connection, project_id: str, change_id: str, old: ChangeState, /, **values: Any
) -> bool:
    """Update a change of this project, if its state is `old`."""
    these = (
        changes.c.id == change_id,
        changes.c.project_id == project_id,
        changes.c.state == old,
        changes.c.left_with.is_(None),
    )
    return connection.execute(update(changes).where(*these).values(values)).rowcount == 1


def _revise(
    connection: Connection,
    place: Place,
    change_id: str,
    plan: ChangePlan,
    events: Sequence[OwnedEvent],
) -> int | None:
    project = lock_project(connection, place)
    paths = _joined({swap.path for swap in plan.swaps})
    values = {"files": plan_to_json(plan), "paths": paths}
    if not _set(connection, project.id, change_id, "proposed", **values):
        return None
    return publish(connection, project.id, events)


def _move(  # noqa: PLR0917 - the call of the port, on a connection
    connection: Connection,
    place: Place,
    change_id: str,
    old: ChangeState,
    new: ChangeState,
    events: Sequence[OwnedEvent],
) -> int | None:
    project = lock_project(connection, place)
    if not _set_state(connection, project.id, change_id, old, new):
        return None
    return publish(connection, project.id, events)


def _move_together(  # noqa: PLR0917 - the call of the port, on a connection
    connection: Connection,
    place: Place,
    change_ids: Sequence[str],
    old: ChangeState,
    new: ChangeState,
    events: Sequence[OwnedEvent],
) -> int | None:
    project = lock_project(connection, place)
    if not _all_are(connection, change_ids, old):
        return None
    for change_id in change_ids:
        _set_state(connection, project.id, change_id, old, new)
    return publish(connection, project.id, events)


def _set_state(
    connection: Connection, project_id: str, change_id: str, old: ChangeState, new: ChangeState
) -> bool:
    """Change the state, if it is `old`; return whether it was."""
    statement = _SETTLE
    if new == "applied":
        statement = _APPLY
    values = {
        "this_id": change_id,
        "this_project": project_id,
        "old": old,
        "new": new,
        "moment": now(),
    }
    return connection.execute(statement, values).rowcount == 1


def _all_are(connection: Connection, change_ids: Collection[str], state: ChangeState) -> bool:
    these = (changes.c.id.in_(change_ids), changes.c.state == state, changes.c.left_with.is_(None))
    found = set(connection.execute(select(changes.c.id).where(*these)).scalars())
    return found == set(change_ids)


def _last_undo(connection: Connection, place: Place) -> LastUndo | None:
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


def _last_turn(connection: Connection, place: Place) -> str | None:
    project = find_project(connection, place)
    if project is None:
        return None
    query = _newest_first(select(changes.c.turn_id), project.id)
    query = query.outerjoin(worktrees, _OF_CHANGE).where(_is_here(place))
    of_turns = (changes.c.state == "applied", changes.c.turn_id.is_not(None))
    return connection.execute(query.where(*of_turns).limit(1)).scalar()


def _split(  # noqa: PLR0917 - the call of the port, on a connection
    connection: Connection,
    place: Place,
    change_id: str,
    accepted: Change,
    rest: Change,
    events: Sequence[OwnedEvent],
) -> ChangeParts | None:
    project = lock_project(connection, place)
    there = (changes.c.id == change_id, changes.c.left_with.is_(None))
    whole = connection.execute(select(changes.c.seq).where(*there)).scalar()
    if whole is None:
        return None
    # The whole goes out of the way first: no two may have the same place.
    following = next_seq(changes.c.seq, changes.c.project_id, project.id)
    rejected = {"state": "rejected", "settled_at": now(), "seq": following}
    if not _set(connection, project.id, change_id, "proposed", **rejected):
        return None
    second = _insert(connection, project.id, place, rest, whole)
    first = _insert(connection, project.id, place, accepted)
    return ChangeParts(first, second, publish(connection, project.id, events))


def _join(
    connection: Connection,
    place: Place,
    change_id: str,
    parts: Collection[str],
    events: Sequence[OwnedEvent],
) -> int | None:
    project = lock_project(connection, place)
    here = (
        changes.c.project_id == project.id,
        changes.c.id.in_([change_id, *parts]),
        changes.c.left_with.is_(None),
    )
    query = (
        select(changes.c.id, changes.c.state, changes.c.seq, changes.c.request)
        .where(*here)
        .with_for_update()
    )
    found = {row["id"]: row for row in connection.execute(query).mappings()}
    whole = found.pop(change_id, None)
    if whole is None or whole["state"] != "rejected":
        return None
    if set(found) != set(parts):
        return None
    for row in found.values():
        if row["request"].get("part_of") != change_id or row["state"] != "proposed":
            return None
    connection.execute(delete(changes).where(changes.c.id.in_(found)))
    place = min(row["seq"] for row in found.values())
    back = {"state": "proposed", "settled_at": None, "seq": place}
    _set(connection, project.id, change_id, "rejected", **back)
    return publish(connection, project.id, events)


def _change(row: RowMapping, place: Place) -> Change:
    settled = row["settled_at"]
    try:
        plan = plan_from_json(row["files"])
    except ContentDamaged as error:
        cure = "put a copy of the store back, or forget the change with `holdfast changes prune`"
        raise LogUnavailable(f"change {row['id']}: {error}; {cure}.") from error
    identity = row["worktree_identity"] or place.project_id
    is_here = identity == place.worktree_id
    if row["state"] == "proposed":
        # A restore has brought it back to that.
        settled = None
    return Change(
        row["id"],
        row["state"],
        row["origin"],
        requested_from_json(row["request"]),
        plan,
        row["seq"],
        _moment(row["created_at"]),
        None if settled is None else _moment(settled),
        row["session_id"],
        row["turn_id"],
        place.worktree_root if is_here else row["worktree_path"] or place.project_root,
        is_here,
    )


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


_OF_CHANGE = worktrees.c.id == changes.c.worktree_id
_WITH_WORKTREE = select(
    changes,
    worktrees.c.identity.label("worktree_identity"),
    worktrees.c.path.label("worktree_path"),
).outerjoin(worktrees, _OF_CHANGE)
_FOLLOWING = next_seq(changes.c.seq, changes.c.project_id, bindparam("this_project"))
_INSERT = insert(changes).returning(changes.c.seq)
_INSERT_LAST = _INSERT.values(seq=_FOLLOWING)
_SETTLED = _newest_first(select(changes.c.id), bindparam("project_id")).where(
    changes.c.state != "proposed"
)
_PRUNE = (
    delete(changes)
    .where(changes.c.id.in_(_SETTLED.offset(bindparam("keep"))))
    .returning(changes.c.id)
)
_THIS = (
    changes.c.id == bindparam("this_id"),
    changes.c.project_id == bindparam("this_project"),
    changes.c.state == bindparam("old"),
    changes.c.left_with.is_(None),
)
_SETTLE = (
    update(changes).where(*_THIS).values(state=bindparam("new"), settled_at=bindparam("moment"))
)
# The latest keeps its place.
_APPLY = _SETTLE.values(
    seq=case((changes.c.seq == _FOLLOWING - 1, changes.c.seq), else_=_FOLLOWING)
)
