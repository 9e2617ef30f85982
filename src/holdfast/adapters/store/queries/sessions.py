"""Sessions: the ones of a project, and what state each is in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select, update

from holdfast.adapters.store.queries.statements import add, record, records
from holdfast.adapters.store.records import SessionRow
from holdfast.adapters.store.tables import sessions

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


async def add_session(
    connection: AsyncConnection,
    project_id: str,
    *,
    title: str = "",
    status: str = "open",
    metadata: Mapping[str, Any] | None = None,
) -> SessionRow:
    """Begin a session."""
    values = {
        "project_id": project_id,
        "title": title,
        "status": status,
        "metadata": dict(metadata or {}),
    }
    return await add(connection, SessionRow, sessions, **values)


async def session_by_id(connection: AsyncConnection, session_id: str) -> SessionRow | None:
    """Give a session."""
    return await record(connection, SessionRow, select(sessions).where(sessions.c.id == session_id))


async def sessions_of(connection: AsyncConnection, project_id: str) -> tuple[SessionRow, ...]:
    """Give the sessions of a project, the latest first: a list for people, so a clock will do."""
    query = select(sessions).where(sessions.c.project_id == project_id)
    return await records(
        connection, SessionRow, query.order_by(sessions.c.created_at.desc(), sessions.c.id)
    )


async def set_session_status(connection: AsyncConnection, session_id: str, status: str) -> bool:
    """Say what state a session is in; False if it is not there."""
    change = update(sessions).where(sessions.c.id == session_id).values(status=status)
    return (await connection.execute(change)).rowcount > 0


async def remove_session(connection: AsyncConnection, session_id: str) -> bool:
    """Forget a session, its chats and its events; its changes stay, without it. False if it was not there."""
    return (
        await connection.execute(delete(sessions).where(sessions.c.id == session_id))
    ).rowcount > 0
