"""Chats: the ones of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from holdfast.adapters.store.queries.statements import add, record, records
from holdfast.adapters.store.records import ChatRow
from holdfast.adapters.store.tables import chats

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


async def add_chat(connection: AsyncConnection, session_id: str, *, title: str = "") -> ChatRow:
    """Begin a chat."""
    return await add(connection, ChatRow, chats, session_id=session_id, title=title)


async def chat_by_id(connection: AsyncConnection, chat_id: str) -> ChatRow | None:
    """Give a chat."""
    return await record(connection, ChatRow, select(chats).where(chats.c.id == chat_id))


async def chats_of(connection: AsyncConnection, session_id: str) -> tuple[ChatRow, ...]:
    """Give the chats of a session, the oldest first: a list for people, so a clock will do."""
    query = select(chats).where(chats.c.session_id == session_id)
    return await records(connection, ChatRow, query.order_by(chats.c.created_at, chats.c.id))


async def remove_chat(connection: AsyncConnection, chat_id: str) -> bool:
    """Forget a chat with its messages, turns and checkpoints; False if it was not there."""
    return (await connection.execute(delete(chats).where(chats.c.id == chat_id))).rowcount > 0
