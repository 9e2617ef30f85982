"""Agent sessions: what an external agent remembers of a session, and whether it can still be used.

Restore marks them as crashed today; the adapters of external agents will add and list them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from holdfast.adapters.store.queries.statements import add, records
from holdfast.adapters.store.records import AgentSessionRow
from holdfast.adapters.store.tables import agent_sessions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

CRASHED = "crashed"


def add_agent_session(
    connection: Connection,
    session_id: str,
    *,
    agent: str,
    backend: str,
    status: str = "running",
    metadata: Mapping[str, Any] | None = None,
) -> AgentSessionRow:
    """Record that an agent takes part in a session.

    `backend` is the name the agent gave its own session.
    """
    values = {
        "session_id": session_id,
        "agent": agent,
        "backend": backend,
        "status": status,
        "metadata": dict(metadata or {}),
    }
    return add(connection, AgentSessionRow, agent_sessions, **values)


def agent_sessions_of(connection: Connection, session_id: str) -> tuple[AgentSessionRow, ...]:
    """Return the agent sessions of a session, the oldest first.

    A list for people, so a clock will do.
    """
    query = select(agent_sessions).where(agent_sessions.c.session_id == session_id)
    return records(
        connection,
        AgentSessionRow,
        query.order_by(agent_sessions.c.created_at, agent_sessions.c.id),
    )


def crash_agent_sessions(connection: Connection, session_id: str) -> int:
    """Mark the agent sessions of a session as `crashed`; return how many were not yet."""
    these = (agent_sessions.c.session_id == session_id, agent_sessions.c.status != CRASHED)
    return connection.execute(update(agent_sessions).where(*these).values(status=CRASHED)).rowcount
