"""How rows of changes are written: added, revised, moved to another state, split, removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, case, delete, insert, select, update

from holdfast.adapters.store.plain.change_rows import (
    change_values,
    joined_paths,
    recorded_change,
)
from holdfast.adapters.store.plain.column_values import now
from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.changes import newest_first
from holdfast.adapters.store.queries.projects import find_project, lock_project
from holdfast.adapters.store.queries.statements import next_seq
from holdfast.adapters.store.queries.worktrees import worktree_at
from holdfast.adapters.store.store_errors import Gone
from holdfast.adapters.store.tables import changes, sessions, turns
from holdfast.changes.change_json import plan_to_json
from holdfast.changes.change_log import AddedChange, ChangeParts, RemovedChanges

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Connection, Table

    from holdfast.changes.change import Change, ChangeState
    from holdfast.changes.change_log import AnnounceRemoved
    from holdfast.changes.plan import ChangePlan
    from holdfast.vocab.owned_event import OwnedEvent
    from holdfast.vocab.place import Place


def add_change(
    connection: Connection, place: Place, change: Change, keep: int, announce: AnnounceRemoved
) -> AddedChange:
    """Insert a change as the latest, and remove all but `keep` of the settled ones."""
    project = lock_project(connection, place)
    added = _insert(connection, project.id, place, change)
    removed = _prune(connection, project.id, keep)
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
    values = change_values(change, project_id, worktree.id, now())
    if seq is None:
        number = connection.execute(
            _INSERT_LAST, values | {"this_project": project_id}
        ).scalar_one()
    else:
        number = connection.execute(_INSERT, values | {"seq": seq}).scalar_one()

    return recorded_change(change, values, number, place)


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


def revise_change(
    connection: Connection,
    place: Place,
    change_id: str,
    plan: ChangePlan,
    events: Sequence[OwnedEvent],
) -> int | None:
    """Replace the plan of a proposed change; return None if it is not proposed."""
    project = lock_project(connection, place)
    paths = joined_paths({swap.path for swap in plan.swaps})
    values = {"files": plan_to_json(plan), "paths": paths}
    if not _set(connection, project.id, change_id, "proposed", **values):
        return None
    return publish(connection, project.id, events)


def move_change(  # noqa: PLR0917 - the call of the port, on a connection
    connection: Connection,
    place: Place,
    change_id: str,
    old: ChangeState,
    new: ChangeState,
    events: Sequence[OwnedEvent],
) -> int | None:
    """Change the state of a change, if it is `old`."""
    project = lock_project(connection, place)
    if not _set_state(connection, project.id, change_id, old, new):
        return None
    return publish(connection, project.id, events)


def move_changes(  # noqa: PLR0917 - the call of the port, on a connection
    connection: Connection,
    place: Place,
    change_ids: Sequence[str],
    old: ChangeState,
    new: ChangeState,
    events: Sequence[OwnedEvent],
) -> int | None:
    """Change the states of several changes, if all are `old`."""
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


def split_change(  # noqa: PLR0917 - the call of the port, on a connection
    connection: Connection,
    place: Place,
    change_id: str,
    accepted: Change,
    rest: Change,
    events: Sequence[OwnedEvent],
) -> ChangeParts | None:
    """Reject a proposed change and insert its two parts."""
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


def join_change(
    connection: Connection,
    place: Place,
    change_id: str,
    parts: Collection[str],
    events: Sequence[OwnedEvent],
) -> int | None:
    """Remove the parts of a change, and make it proposed again."""
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


def prune_changes(
    connection: Connection, place: Place, keep: int, announce: AnnounceRemoved
) -> RemovedChanges:
    """Remove all but `keep` of the settled changes."""
    if find_project(connection, place) is None:
        return RemovedChanges((), 0)
    project = lock_project(connection, place)
    removed = _prune(connection, project.id, keep)
    return RemovedChanges(removed, publish(connection, project.id, announce(removed)))


def _prune(connection: Connection, project_id: str, keep: int) -> tuple[str, ...]:
    return tuple(connection.execute(_PRUNE, {"project_id": project_id, "keep": keep}).scalars())


_FOLLOWING = next_seq(changes.c.seq, changes.c.project_id, bindparam("this_project"))
_INSERT = insert(changes).returning(changes.c.seq)
_INSERT_LAST = _INSERT.values(seq=_FOLLOWING)
_SETTLED = newest_first(select(changes.c.id), bindparam("project_id")).where(
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
