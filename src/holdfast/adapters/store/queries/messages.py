"""Messages of a chat, in the order of their `seq`, and the parts of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select, update

from holdfast.adapters.store.queries.statements import add, next_seq, record, records
from holdfast.adapters.store.records import MessageRow, PartRow
from holdfast.adapters.store.tables import message_parts, messages

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


async def append_message(
    connection: AsyncConnection,
    chat_id: str,
    *,
    role: str,
    status: str = "done",
    metadata: Mapping[str, Any] | None = None,
) -> MessageRow:
    """Add a message after the last one; raises `Gone` if the chat is not there."""
    seq = await next_seq(connection, messages.c.seq, messages.c.chat_id, chat_id)
    values = {
        "chat_id": chat_id,
        "seq": seq,
        "role": role,
        "status": status,
        "metadata": dict(metadata or {}),
    }
    return await add(connection, MessageRow, messages, **values)


async def message_by_id(connection: AsyncConnection, message_id: str) -> MessageRow | None:
    """Give a message."""
    return await record(connection, MessageRow, select(messages).where(messages.c.id == message_id))


async def messages_of(connection: AsyncConnection, chat_id: str) -> tuple[MessageRow, ...]:
    """Give the transcript of a chat."""
    return await messages_from(connection, chat_id, 0)


async def messages_from(
    connection: AsyncConnection, chat_id: str, seq: int
) -> tuple[MessageRow, ...]:
    """Give the messages of a chat from a number on, that one included."""
    query = select(messages).where(messages.c.chat_id == chat_id, messages.c.seq >= seq)
    return await records(connection, MessageRow, query.order_by(messages.c.seq))


async def count_messages_from(connection: AsyncConnection, chat_id: str, seq: int) -> int:
    """Say how many messages of a chat there are from a number on, that one included."""
    query = (
        select(func.count())
        .select_from(messages)
        .where(messages.c.chat_id == chat_id, messages.c.seq >= seq)
    )
    return (await connection.execute(query)).scalar_one()


async def last_message(connection: AsyncConnection, chat_id: str) -> MessageRow | None:
    """Give the last message of a chat."""
    query = select(messages).where(messages.c.chat_id == chat_id)
    return await record(connection, MessageRow, query.order_by(messages.c.seq.desc()).limit(1))


async def set_status(connection: AsyncConnection, message_id: str, status: str) -> bool:
    """Say what state a message is in; False if it is not there."""
    change = update(messages).where(messages.c.id == message_id).values(status=status)
    return (await connection.execute(change)).rowcount > 0


async def append_part(
    connection: AsyncConnection, message_id: str, *, kind: str, body: Any
) -> PartRow:
    """Add a part to a message, after its last one; raises `Gone` if the message is not there."""
    seq = await next_seq(connection, message_parts.c.seq, message_parts.c.message_id, message_id)
    return await add(
        connection, PartRow, message_parts, message_id=message_id, seq=seq, kind=kind, body=body
    )


async def append_parts(
    connection: AsyncConnection, message_id: str, parts: Sequence[tuple[str, Any]]
) -> None:
    """Add several parts, each a kind and a body, to a message; raises `Gone` if the message is not there."""
    first = await next_seq(connection, message_parts.c.seq, message_parts.c.message_id, message_id)
    rows = [
        {"message_id": message_id, "seq": seq, "kind": kind, "body": body}
        for seq, (kind, body) in enumerate(parts, first)
    ]
    await connection.execute(insert(message_parts), rows)


async def parts_of(connection: AsyncConnection, message_id: str) -> tuple[PartRow, ...]:
    """Give the parts of a message, in order."""
    query = select(message_parts).where(message_parts.c.message_id == message_id)
    return await records(connection, PartRow, query.order_by(message_parts.c.seq))
