"""The trash: what a restore took out of a chat, kept under the undo checkpoint of that restore."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Table, delete, insert, select

from holdfast.adapters.store.column_types import Moment
from holdfast.adapters.store.queries.chats import project_of_chat
from holdfast.adapters.store.tables import (
    chats,
    checkpoints,
    message_parts,
    messages,
    sessions,
    trash,
    worktrees,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sqlalchemy import Column, ColumnElement, Connection

# In this order they come back: a part needs its message.
_KINDS: Mapping[str, Table] = {
    "message": messages,
    "part": message_parts,
    "checkpoint": checkpoints,
}


@dataclass(frozen=True, slots=True)
class BroughtBack:
    """The ids of the messages and checkpoints that are back in their chat, in order."""

    messages: tuple[str, ...]
    checkpoints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InTheWay:
    """Nothing was brought back: the chat went on meanwhile.

    Move its messages from `from_seq` on away first.
    """

    chat_id: str
    from_seq: int


def move_messages_to_trash(
    connection: Connection, chat_id: str, from_seq: int, undo_checkpoint_id: str
) -> tuple[str, ...]:
    """Move the messages of a chat from a number on to the trash, with their parts.

    Return their ids in order.
    """
    _hold(connection, chats.c.id == chat_id)
    leaving = [messages.c.chat_id == chat_id, messages.c.seq >= from_seq]
    # A process that is adding a part just now is waited for: its part would go with the message,
    # and not to the trash.
    connection.execute(
        select(messages.c.id).where(*leaving).order_by(messages.c.seq).with_for_update()
    )
    with_them = message_parts.c.message_id.in_(select(messages.c.id).where(*leaving))
    _move(connection, "part", [with_them], undo_checkpoint_id)
    return _move(connection, "message", leaving, undo_checkpoint_id)


def move_checkpoints_to_trash(
    connection: Connection, checkpoint_ids: Collection[str], undo_checkpoint_id: str
) -> tuple[str, ...]:
    """Move these checkpoints to the trash, and return the ids of those that were there."""
    return _move(
        connection, "checkpoint", [checkpoints.c.id.in_(checkpoint_ids)], undo_checkpoint_id
    )


def bring_back(connection: Connection, undo_checkpoint_id: str) -> BroughtBack | InTheWay:
    """Put what the trash keeps for an undo checkpoint back, exactly as it was.

    What has lost its chat is left out.
    """
    kept = _kept(connection, undo_checkpoint_id)
    chat_ids = {row["chat_id"] for row in kept["message"] + kept["checkpoint"]}
    homes = _hold(connection, chats.c.id.in_(chat_ids))
    coming = _rows_of(homes, "chat_id", kept["message"])
    in_the_way = _in_the_way(connection, coming)
    if in_the_way is not None:
        return in_the_way
    ids = {row["id"] for row in coming}
    _put(connection, messages, coming)
    _put(connection, message_parts, _rows_of(ids, "message_id", kept["part"]))
    points = _rows_of(homes, "chat_id", kept["checkpoint"])
    _put(connection, checkpoints, [_without_the_lost(connection, row) for row in points])
    connection.execute(delete(trash).where(trash.c.undo_checkpoint_id == undo_checkpoint_id))
    return BroughtBack(_ids_in_order(coming), _ids_in_order(points))


def empty_trash(
    connection: Connection, undo_checkpoint_ids: Collection[str] | Literal["all"]
) -> int:
    """Forget what the trash keeps for these undo checkpoints, and return how many rows that were.

    An undo checkpoint that lies in the trash itself can only come back with it, so its own trash
    goes as well.
    """
    if undo_checkpoint_ids == "all":
        return connection.execute(delete(trash)).rowcount
    count = 0
    doomed = set(undo_checkpoint_ids)
    while doomed:
        gone = (
            delete(trash)
            .where(trash.c.undo_checkpoint_id.in_(doomed))
            .returning(trash.c.kind, trash.c.body)
        )
        rows = connection.execute(gone).all()
        count += len(rows)
        doomed = {row.body["id"] for row in rows if row.kind == "checkpoint"}
    return count


def trashed_messages(connection: Connection, undo_checkpoint_id: str) -> tuple[str, ...]:
    """Return the ids of the messages that the trash keeps for an undo checkpoint, in order."""
    return _ids_in_order(_kept(connection, undo_checkpoint_id)["message"])


def _ids_in_order(rows: Iterable[Mapping[Any, Any]]) -> tuple[str, ...]:
    return tuple(row["id"] for row in sorted(rows, key=lambda row: row["seq"]))


def _hold(connection: Connection, which: ColumnElement[bool]) -> set[str]:
    """Lock these chats against new messages, and return which are there."""
    # In order: two that hold several chats must not wait for each other.
    held = select(chats.c.id).where(which).order_by(chats.c.id).with_for_update(key_share=True)
    return set(connection.execute(held).scalars())


def _move(
    connection: Connection, kind: str, which: Iterable[ColumnElement[bool]], undo_checkpoint_id: str
) -> tuple[str, ...]:
    table = _KINDS[kind]
    rows = connection.execute(select(table).where(*which)).mappings().all()
    if rows:
        bodies = [
            {"undo_checkpoint_id": undo_checkpoint_id, "kind": kind, "body": _pack(row)}
            for row in rows
        ]
        connection.execute(insert(trash), bodies)
        connection.execute(delete(table).where(*which))
    return _ids_in_order(rows)


def _kept(connection: Connection, undo_checkpoint_id: str) -> dict[str, list[dict[str, Any]]]:
    found = connection.execute(
        select(trash.c.kind, trash.c.body).where(trash.c.undo_checkpoint_id == undo_checkpoint_id)
    )
    kept: dict[str, list[dict[str, Any]]] = {kind: [] for kind in _KINDS}
    for kind, body in found:
        kept[kind].append(_unpack(_KINDS[kind], body))
    return kept


def _rows_of(parents: set[str], column: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows that refer to one of the parents by this column."""
    return [row for row in rows if row[column] in parents]


def _in_the_way(connection: Connection, coming: Iterable[Mapping[str, Any]]) -> InTheWay | None:
    first: dict[str, int] = {}
    for row in coming:
        first[row["chat_id"]] = min(row["seq"], first.get(row["chat_id"], row["seq"]))
    for chat_id, seq in sorted(first.items()):
        later = (
            select(messages.c.id)
            .where(messages.c.chat_id == chat_id, messages.c.seq >= seq)
            .limit(1)
        )
        if connection.execute(later).first() is not None:
            return InTheWay(chat_id, seq)
    return None


def _without_the_lost(connection: Connection, row: dict[str, Any]) -> dict[str, Any]:
    """Return the row as its foreign keys would have left it.

    Without the session and the worktree that are gone.
    """
    return {
        **row,
        # What left before schema 0003 has no project.
        "project_id": project_of_chat(connection, row["chat_id"]),
        "session_id": _if_there(connection, sessions.c.id, row["session_id"]),
        "worktree_id": _if_there(connection, worktrees.c.id, row["worktree_id"]),
    }


def _if_there(connection: Connection, column: Column[Any], row_id: str | None) -> str | None:
    return connection.execute(select(column).where(column == row_id)).scalar()


def _put(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _pack(row: Mapping[Any, Any]) -> dict[str, Any]:
    body = dict(row)
    for name, value in row.items():
        if isinstance(value, datetime):
            body[name] = value.isoformat()
    return body


def _unpack(table: Table, body: Mapping[str, Any]) -> dict[str, Any]:
    row = dict(body)
    for name, value in body.items():
        if value and isinstance(table.c[name].type, Moment):
            row[name] = datetime.fromisoformat(value)
    return row
