"""Rows that a restore took out: they stay in their tables, marked with its undo checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Table, delete, select, update

from holdfast.adapters.store.tables import changes, chats, checkpoints, messages, turns
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import ColumnElement, Connection


@dataclass(frozen=True, slots=True)
class TurnRows:
    """The ids of messages (in order), turns and checkpoints (in order) of a chat."""

    messages: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    checkpoints: tuple[str, ...] = ()


def lock_chat(connection: Connection, chat_id: str) -> None:
    """Let nobody else add a message to a chat until the transaction ends."""
    query = select(chats.c.id).where(chats.c.id == chat_id)
    connection.execute(query.with_for_update(key_share=True))


def lock_turns_of_chat(connection: Connection, chat_id: str) -> None:
    """Lock the turns of a chat, as `lock_turns` does; to be called before the project is locked."""
    query = select(turns.c.id).where(turns.c.chat_id == chat_id).order_by(turns.c.id)
    connection.execute(query.with_for_update(key_share=True))


def take_out(
    connection: Connection,
    chat_id: str,
    from_seq: int,
    orphans: Collection[str],
    undo_id: str,
) -> TurnRows:
    """Take the messages of a chat from a number on out, with their turns, and these checkpoints.

    Parts follow their message, and approvals their turn. Changes have a place of their own:
    `queries/change_states.py`.
    """
    from_place = (messages.c.chat_id == chat_id, messages.c.seq >= from_seq)
    left = _mark(connection, messages, None, undo_id, *from_place)
    gone = select(messages.c.id).where(messages.c.left_with == undo_id)
    of_messages = (turns.c.chat_id == chat_id, turns.c.message_id.in_(gone))
    return TurnRows(
        left,
        _mark(connection, turns, None, undo_id, *of_messages),
        _mark(connection, checkpoints, None, undo_id, checkpoints.c.id.in_(orphans)),
    )


def bring_back(connection: Connection, undo_id: str) -> TurnRows:
    """Bring back what left with an undo checkpoint, but for changes."""
    return TurnRows(
        _mark(connection, messages, undo_id, None),
        _mark(connection, turns, undo_id, None),
        _mark(connection, checkpoints, undo_id, None),
    )


def left_messages(connection: Connection, undo_id: str) -> tuple[str, ...]:
    """Return the ids of the messages that left with an undo checkpoint, in order."""
    query = select(messages.c.id).where(messages.c.left_with == undo_id)
    return tuple(connection.execute(query.order_by(messages.c.seq)).scalars())


def remove_left(connection: Connection, undo_ids: Collection[str]) -> None:
    """Remove what left with these undo checkpoints for good."""
    connection.execute(delete(changes).where(changes.c.left_with.in_(undo_ids)))
    remove_left_turns(connection, undo_ids)


def remove_left_turns(connection: Connection, undo_ids: Collection[str]) -> None:
    """Remove the conversation that left with these undo checkpoints for good.

    The changes stay: an undo still brings the files back, and those are in them; but a proposal
    goes with its turn. An undo checkpoint that left itself can only come back with the
    conversation, so what left with it goes as well.
    """
    gone = select(turns.c.id).where(turns.c.left_with.in_(undo_ids))
    proposals = (changes.c.left_with.in_(undo_ids), changes.c.state == "proposed")
    connection.execute(delete(changes).where(*proposals, changes.c.turn_id.in_(gone)))
    for table in (messages, turns):
        connection.execute(delete(table).where(table.c.left_with.in_(undo_ids)))

    points = delete(checkpoints).where(checkpoints.c.left_with.in_(undo_ids))
    doomed = tuple(connection.execute(points.returning(checkpoints.c.id)).scalars())
    if doomed:
        remove_left(connection, doomed)


def _mark(
    connection: Connection,
    table: Table,
    old: str | None,
    new: str | None,
    *which: ColumnElement[bool],
) -> tuple[str, ...]:
    """Set `left_with` of these rows from `old` to `new`; return their ids in order."""
    order = table.c.get("seq", table.c.id)
    change = update(table).where(table.c.left_with.is_not_distinct_from(old), *which)
    marked: Any = connection.execute(change.values(left_with=new).returning(table.c.id, order))
    return tuple(row_id for row_id, _ in sorted(marked, key=lambda row: row[1]))
