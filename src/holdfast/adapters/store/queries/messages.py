"""Messages of a chat, in the order of their `seq`, and the parts of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from holdfast.adapters.store.plain.column_values import new_id
from holdfast.adapters.store.queries.statements import (
    RowBatch,
    add,
    append,
    lock_parent,
    next_seq,
    record,
)
from holdfast.adapters.store.rows import MessageRow
from holdfast.adapters.store.tables import message_parts, messages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

_BY_ID = select(messages).where(
    messages.c.id == bindparam("message_id"), messages.c.left_with.is_(None)
)


def append_message(
    connection: Connection,
    chat_id: str,
    *,
    role: str,
    status: str = "done",
    metadata: Mapping[str, Any] | None = None,
    message_id: str | None = None,
) -> MessageRow:
    """Add a message after the last one; raise `Gone` if the chat is not there."""
    # Not `append`: a restore takes out what follows a place, so that whoever adds one must lock the
    # chat. The number is after those that have left too: they come back with theirs.
    lock_parent(connection, messages.c.chat_id, chat_id)
    seq = next_seq(messages.c.seq, messages.c.chat_id, chat_id)
    values = {
        "id": message_id or new_id(),
        "chat_id": chat_id,
        "seq": seq,
        "role": role,
        "status": status,
        "metadata": dict(metadata or {}),
    }
    return add(connection, MessageRow, messages, **values)


def message_by_id(connection: Connection, message_id: str) -> MessageRow | None:
    """Return a message that has not left, or None."""
    return record(connection, MessageRow, _BY_ID, {"message_id": message_id})


def messages_from(connection: Connection, chat_id: str, seq: int) -> tuple[str, ...]:
    """Return the ids of the messages of a chat from a number on, that one included, in order."""
    from_place = (messages.c.chat_id == chat_id, messages.c.seq >= seq)
    query = select(messages.c.id).where(*from_place, messages.c.left_with.is_(None))
    return tuple(connection.execute(query.order_by(messages.c.seq)).scalars())


def parts_below(message_id: str, parts: Sequence[tuple[str, Any]]) -> RowBatch:
    """Return parts to append to a message, each a kind and a body."""
    rows = [{"id": new_id(), "kind": kind, "body": body} for kind, body in parts]
    return RowBatch(message_parts.c.message_id, message_id, rows)


def parts_of_events(message_id: str, parts: Sequence[tuple[str, str]]) -> RowBatch:
    """Return parts to append to a message, each an id and a kind; events have their texts."""
    rows = [{"id": part_id, "kind": kind, "body": None} for part_id, kind in parts]
    return RowBatch(message_parts.c.message_id, message_id, rows)


def append_parts(connection: Connection, message_id: str, parts: Sequence[tuple[str, Any]]) -> None:
    """Add parts to a message, after its last one; raise `Gone` if the message is not there."""
    if parts:
        append(connection, parts_below(message_id, parts))
