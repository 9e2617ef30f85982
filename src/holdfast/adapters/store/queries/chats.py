"""Chats: the ones of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from holdfast.adapters.store.queries.statements import add, record, records
from holdfast.adapters.store.rows import ChatRow
from holdfast.adapters.store.tables import chats, sessions

if TYPE_CHECKING:
    from sqlalchemy import Connection


def add_chat(connection: Connection, session_id: str, *, title: str = "") -> ChatRow:
    """Begin a chat."""
    return add(connection, ChatRow, chats, session_id=session_id, title=title)


def chat_by_id(connection: Connection, chat_id: str) -> ChatRow | None:
    """Return a chat."""
    return record(connection, ChatRow, select(chats).where(chats.c.id == chat_id))


def project_of_chat(connection: Connection, chat_id: str) -> str | None:
    """Return the id of the project that a chat belongs to, or None if there is no such chat."""
    query = select(sessions.c.project_id).join(chats, chats.c.session_id == sessions.c.id)
    return connection.execute(query.where(chats.c.id == chat_id)).scalar()


def chats_of(connection: Connection, session_id: str) -> tuple[ChatRow, ...]:
    """Return the chats of a session, the oldest first: a list for people, so a clock will do."""
    query = select(chats).where(chats.c.session_id == session_id)
    return records(connection, ChatRow, query.order_by(chats.c.created_at, chats.c.id))
