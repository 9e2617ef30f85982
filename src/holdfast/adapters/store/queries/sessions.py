"""Sessions: the ones of a project, and what state each is in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select, update

from holdfast.adapters.store.plain.column_values import new_id
from holdfast.adapters.store.queries.statements import add, record, records
from holdfast.adapters.store.rows import SessionRow
from holdfast.adapters.store.tables import sessions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection


def add_session(
    connection: Connection,
    project_id: str,
    *,
    title: str = "",
    status: str = "open",
    metadata: Mapping[str, Any] | None = None,
    worktree_id: str | None = None,
    session_id: str | None = None,
    agent: str = "holdfast",
    model: str | None = None,
    mode: str | None = None,
) -> SessionRow:
    """Begin a session, in this worktree; without an id it gets a new one."""
    values = {
        "id": session_id or new_id(),
        "project_id": project_id,
        "title": title,
        "status": status,
        "metadata": dict(metadata or {}),
        "worktree_id": worktree_id,
        "agent": agent,
        "model": model,
        "mode": mode,
    }
    return add(connection, SessionRow, sessions, **values)


def set_worktree(connection: Connection, session_id: str, worktree_id: str) -> None:
    """Record the worktree in which a session goes on."""
    this = update(sessions).where(sessions.c.id == session_id)
    connection.execute(this.values(worktree_id=worktree_id))


def set_agent(connection: Connection, session_id: str, agent: str) -> None:
    """Record the agent with which a session goes on."""
    this = update(sessions).where(sessions.c.id == session_id, sessions.c.agent != agent)
    connection.execute(this.values(agent=agent))


def session_by_id(connection: Connection, session_id: str) -> SessionRow | None:
    """Return a session."""
    return record(connection, SessionRow, select(sessions).where(sessions.c.id == session_id))


def sessions_of(connection: Connection, project_id: str) -> tuple[SessionRow, ...]:
    """Return the sessions of a project, the latest first, by the clock.

    What the server will list.
    """
    query = select(sessions).where(sessions.c.project_id == project_id)
    return records(
        connection, SessionRow, query.order_by(sessions.c.created_at.desc(), sessions.c.id)
    )


def remove_session(connection: Connection, session_id: str) -> bool:
    """Remove a session and its chats, and return whether it was there; its changes and events stay.

    For the server, which will offer this to its users.
    """
    return connection.execute(delete(sessions).where(sessions.c.id == session_id)).rowcount > 0
