"""Agent sessions: what an external agent remembers of a session, and whether it can still be used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from holdfast.adapters.store.queries.statements import add, record, records
from holdfast.adapters.store.records import AgentSessionRow
from holdfast.adapters.store.tables import agent_sessions

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

CRASHED = "crashed"


async def add_agent_session(
    connection: AsyncConnection,
    session_id: str,
    *,
    agent: str,
    backend: str,
    status: str = "running",
    metadata: Mapping[str, Any] | None = None,
) -> AgentSessionRow:
    """Record that an agent takes part in a session; `backend` is the name the agent gave its own session."""
    values = {
        "session_id": session_id,
        "agent": agent,
        "backend": backend,
        "status": status,
        "metadata": dict(metadata or {}),
    }
    return await add(connection, AgentSessionRow, agent_sessions, **values)


async def agent_session_by_id(
    connection: AsyncConnection, agent_session_id: str
) -> AgentSessionRow | None:
    """Give an agent session."""
    query = select(agent_sessions).where(agent_sessions.c.id == agent_session_id)
    return await record(connection, AgentSessionRow, query)


async def agent_sessions_of(
    connection: AsyncConnection, session_id: str
) -> tuple[AgentSessionRow, ...]:
    """Give the agent sessions of a session, the oldest first: a list for people, so a clock will do."""
    query = select(agent_sessions).where(agent_sessions.c.session_id == session_id)
    return await records(
        connection,
        AgentSessionRow,
        query.order_by(agent_sessions.c.created_at, agent_sessions.c.id),
    )


async def set_agent_session_status(
    connection: AsyncConnection, agent_session_id: str, status: str
) -> bool:
    """Say what state an agent session is in (`crashed` once its backend is evicted); False if it is not there."""
    change = (
        update(agent_sessions).where(agent_sessions.c.id == agent_session_id).values(status=status)
    )
    return (await connection.execute(change)).rowcount > 0


async def crash_agent_sessions(connection: AsyncConnection, session_id: str) -> int:
    """Mark all agent sessions of a session as `crashed`, so that none is resumed, and say how many were not yet."""
    these = (agent_sessions.c.session_id == session_id, agent_sessions.c.status != CRASHED)
    return (
        await connection.execute(update(agent_sessions).where(*these).values(status=CRASHED))
    ).rowcount
