"""The changes of one project, in the store (port `ChangeLog`)."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, delete, insert, select, update

from holdfast.adapters.store.blocking import BlockingStore, blocking_store
from holdfast.adapters.store.column_types import now
from holdfast.adapters.store.errors import Gone, StoreError
from holdfast.adapters.store.queries.projects import find_project, project_at
from holdfast.adapters.store.queries.statements import next_seq
from holdfast.adapters.store.tables import changes, sessions, turns
from holdfast.changes.change import Change, ChangeState
from holdfast.changes.change_json import (
    asked_from_json,
    asked_to_json,
    plan_from_json,
    plan_to_json,
)
from holdfast.changes.change_log import KEPT, LogUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from sqlalchemy import RowMapping, Table
    from sqlalchemy.ext.asyncio import AsyncConnection

    from holdfast.changes.plan import ChangePlan


@contextmanager
def open_changes(url: str, root: Path) -> Iterator[StoredChanges]:
    """Open the store that a URL or a path names, for the project at a root; raises `LogUnavailable`."""
    with ExitStack() as stack:
        with _told():
            store = stack.enter_context(blocking_store(url))
        yield StoredChanges(store, root)


def changes_at(open_store: Callable[[], BlockingStore], root: Path) -> StoredChanges:
    """Give the changes of the project at a root, in a store that others use too; raises `LogUnavailable`."""
    with _told():
        return StoredChanges(open_store(), root)


class StoredChanges:
    """The changes of the project at one root."""

    def __init__(self, store: BlockingStore, root: Path) -> None:
        """Take a store that is open."""
        self._store = store
        self._root = root

    def add(self, change: Change) -> Change:
        """Record a new change, as the latest; of the settled ones the oldest go."""
        with _told():
            return self._store.run(_add, self._root, change)

    def get(self, change_id: str) -> Change | None:
        """Give a change of this project."""
        with _told():
            found = self._store.read(_rows, self._root, changes.c.id == change_id)
        return _change(found[0]) if found else None

    def ids(self) -> tuple[str, ...]:
        """Give the ids of all changes, newest first."""
        with _told():
            return self._store.read(_ids, self._root)

    def list(
        self,
        *,
        state: ChangeState | None = None,
        origin: str | None = None,
        session: str | None = None,
        turn: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> tuple[Change, ...]:
        """Give changes, newest first."""
        asked = {"state": state, "origin": origin, "session_id": session, "turn_id": turn}
        where = [changes.c.seq > after]
        where += [
            changes.c[column] == value for column, value in asked.items() if value is not None
        ]
        with _told():
            return tuple(
                _change(row) for row in self._store.read(_rows, self._root, *where, limit=limit)
            )

    def marks(self, state: ChangeState) -> tuple[tuple[str, int], ...]:
        """Give id and `seq` of the changes in a state, newest first."""
        with _told():
            return self._store.read(_marks, self._root, state)

    def revise(self, change_id: str, plan: ChangePlan) -> bool:
        """Put what has landed anew in place of what had landed, while it is proposed."""
        with _told():
            return self._store.run(
                _set, self._root, change_id, "proposed", files=plan_to_json(plan)
            )

    def move(self, change_id: str, old: ChangeState, new: ChangeState) -> bool:
        """Change the state, if it is still `old`."""
        with _told():
            return self._store.run(_move, self._root, change_id, old, new)

    def split(self, change_id: str, accepted: Change, rest: Change) -> tuple[Change, Change] | None:
        """Reject a proposed change and record its two parts."""
        with _told():
            return self._store.run(_split, self._root, change_id, accepted, rest)

    def join(self, change_id: str, parts: Collection[str]) -> bool:
        """Take a split back."""
        with _told():
            return self._store.run(_join, self._root, change_id, parts)

    def prune(self, keep: int) -> tuple[str, ...]:
        """Drop all but the latest changes that are settled."""
        with _told():
            return self._store.run(_prune_here, self._root, keep)


@contextmanager
def _told() -> Iterator[None]:
    """Say what the store says in the words of the port."""
    try:
        yield
    except StoreError as error:
        raise LogUnavailable(str(error)) from error


async def _add(connection: AsyncConnection, root: Path, change: Change) -> Change:
    project = await project_at(connection, root)
    seq = await next_seq(connection, changes.c.seq, changes.c.project_id, project.id)
    added = await _insert(connection, project.id, change, seq)
    await _prune(connection, project.id, KEPT)
    return added


async def _insert(connection: AsyncConnection, project_id: str, change: Change, seq: int) -> Change:
    await _must_be_there(connection, sessions, change.session)
    await _must_be_there(connection, turns, change.turn)
    values: dict[str, Any] = {
        "id": change.id,
        "project_id": project_id,
        "session_id": change.session,
        "turn_id": change.turn,
        "seq": seq,
        "state": change.state,
        "origin": change.origin,
        "request": asked_to_json(change.asked),
        "files": plan_to_json(change.plan),
        "settled_at": None if change.state == "proposed" else now(),
    }
    return _change(
        (await connection.execute(insert(changes).values(values).returning(changes)))
        .mappings()
        .one()
    )


async def _must_be_there(connection: AsyncConnection, table: Table, row_id: str | None) -> None:
    """Raise `Gone` for an owner that is no longer there; until the transaction ends, nobody removes it."""
    if row_id is not None:
        query = (
            select(table.c.id)
            .where(table.c.id == row_id)
            .with_for_update(read=True, key_share=True)
        )
        if (await connection.execute(query)).first() is None:
            raise Gone(table.name.removesuffix("s"), row_id)


async def _prune_here(connection: AsyncConnection, root: Path, keep: int) -> tuple[str, ...]:
    project = await find_project(connection, root)
    return () if project is None else await _prune(connection, project.id, keep)


async def _prune(connection: AsyncConnection, project_id: str, keep: int) -> tuple[str, ...]:
    settled = (
        _newest_first(select(changes.c.id), project_id)
        .where(changes.c.state != "proposed")
        .offset(keep)
    )
    removed = await connection.execute(
        delete(changes).where(changes.c.id.in_(settled)).returning(changes.c.id)
    )
    return tuple(removed.scalars())


async def _rows(
    connection: AsyncConnection, root: Path, *where: Any, limit: int | None = None
) -> list[RowMapping]:
    project = await find_project(connection, root)
    if project is None:
        return []
    query = _newest_first(select(changes), project.id).where(*where).limit(limit)
    return list((await connection.execute(query)).mappings())


async def _ids(connection: AsyncConnection, root: Path) -> tuple[str, ...]:
    project = await find_project(connection, root)
    if project is None:
        return ()
    return tuple(
        (await connection.execute(_newest_first(select(changes.c.id), project.id))).scalars()
    )


async def _marks(
    connection: AsyncConnection, root: Path, state: ChangeState
) -> tuple[tuple[str, int], ...]:
    project = await find_project(connection, root)
    if project is None:
        return ()
    query = _newest_first(select(changes.c.id, changes.c.seq), project.id).where(
        changes.c.state == state
    )
    return tuple((change_id, seq) for change_id, seq in await connection.execute(query))


def _newest_first(query: Select[Any], project_id: str) -> Select[Any]:
    return query.where(changes.c.project_id == project_id).order_by(changes.c.seq.desc())


async def _set(
    connection: AsyncConnection, root: Path, change_id: str, old: ChangeState, /, **values: Any
) -> bool:
    """Update a change of this project, if its state is `old`."""
    project = await project_at(connection, root)
    these = (changes.c.id == change_id, changes.c.project_id == project.id, changes.c.state == old)
    return (await connection.execute(update(changes).where(*these).values(values))).rowcount == 1


async def _move(
    connection: AsyncConnection, root: Path, change_id: str, old: ChangeState, new: ChangeState
) -> bool:
    project = await project_at(connection, root)
    values: dict[str, Any] = {"state": new, "settled_at": now()}
    if new == "applied":
        seq = await next_seq(connection, changes.c.seq, changes.c.project_id, project.id)
        latest = (
            await connection.execute(_newest_first(select(changes.c.id), project.id).limit(1))
        ).scalar()
        values |= {} if latest == change_id else {"seq": seq}
    return await _set(connection, root, change_id, old, **values)


async def _split(
    connection: AsyncConnection, root: Path, change_id: str, accepted: Change, rest: Change
) -> tuple[Change, Change] | None:
    project = await project_at(connection, root)
    seq = await next_seq(connection, changes.c.seq, changes.c.project_id, project.id)
    whole = (
        await connection.execute(select(changes.c.seq).where(changes.c.id == change_id))
    ).scalar()
    # The whole goes out of the way first: no two may have the same place.
    rejected = {"state": "rejected", "settled_at": now(), "seq": seq}
    if whole is None or not await _set(connection, root, change_id, "proposed", **rejected):
        return None
    second = await _insert(connection, project.id, rest, whole)
    return await _insert(connection, project.id, accepted, seq + 1), second


async def _join(
    connection: AsyncConnection, root: Path, change_id: str, parts: Collection[str]
) -> bool:
    project = await project_at(connection, root)
    here = (changes.c.project_id == project.id, changes.c.id.in_([change_id, *parts]))
    query = (
        select(changes.c.id, changes.c.state, changes.c.seq, changes.c.request)
        .where(*here)
        .with_for_update()
    )
    found = {row["id"]: row for row in (await connection.execute(query)).mappings()}
    whole = found.pop(change_id, None)
    fit = (
        row["state"] == "proposed" and row["request"].get("part_of") == change_id
        for row in found.values()
    )
    if whole is None or whole["state"] != "rejected" or set(found) != set(parts) or not all(fit):
        return False
    await connection.execute(delete(changes).where(changes.c.id.in_(found)))
    back = {
        "state": "proposed",
        "settled_at": None,
        "seq": min(row["seq"] for row in found.values()),
    }
    return await _set(connection, root, change_id, "rejected", **back)


def _change(row: RowMapping) -> Change:
    settled = row["settled_at"]
    return Change(
        row["id"],
        row["state"],
        row["origin"],
        asked_from_json(row["request"]),
        plan_from_json(row["files"]),
        row["seq"],
        row["created_at"].isoformat(timespec="seconds"),
        None if settled is None else settled.isoformat(timespec="seconds"),
        row["session_id"],
        row["turn_id"],
    )
