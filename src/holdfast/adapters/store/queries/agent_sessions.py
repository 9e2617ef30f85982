"""Agent sessions: what an external agent remembers of a chat, and whether it can still be used.

There is one for each agent that takes part in a chat. `generation` goes up with every restore.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update

from holdfast.adapters.processes.process_identity import is_alive, this_process
from holdfast.adapters.store.queries.statements import add, records
from holdfast.adapters.store.rows import AgentSessionRow
from holdfast.adapters.store.tables import agent_sessions
from holdfast.usecases.sessions.ports import TurnOwner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from holdfast.vocab.agent_events import AgentStateChanged

CRASHED = "crashed"
CLOSED = "closed"


def add_agent_session(
    connection: Connection,
    session_id: str,
    *,
    agent: str,
    backend: str,
    status: str = "running",
    metadata: Mapping[str, Any] | None = None,
    chat_id: str | None = None,
    generation: int = 0,
) -> AgentSessionRow:
    """Record that an agent takes part in a session; `backend` is its transport."""
    values = {
        "session_id": session_id,
        "agent": agent,
        "backend": backend,
        "status": status,
        "metadata": dict(metadata or {}),
        "chat_id": chat_id,
        "generation": generation,
    }
    return add(connection, AgentSessionRow, agent_sessions, **values)


def agent_sessions_of(connection: Connection, session_id: str) -> tuple[AgentSessionRow, ...]:
    """Return the agent sessions of a session, the oldest first."""
    query = select(agent_sessions).where(agent_sessions.c.session_id == session_id)
    return records(
        connection,
        AgentSessionRow,
        query.order_by(agent_sessions.c.created_at, agent_sessions.c.id),
    )


def generation_of(connection: Connection, session_id: str) -> int:
    """Return how often a session was restored since the first agent joined it."""
    query = select(func.max(agent_sessions.c.generation))
    found = connection.execute(query.where(agent_sessions.c.session_id == session_id)).scalar()
    return found or 0


def ask_for_agent(connection: Connection, session_id: str, chat_id: str, agent: str) -> int:
    """Record that an agent is asked for a turn, and return the generation of its session."""
    generation = generation_of(connection, session_id)
    if _find(connection, session_id, chat_id, agent) is None:
        add_agent_session(
            connection,
            session_id,
            agent=agent,
            backend="",
            status=CLOSED,
            chat_id=chat_id,
            generation=generation,
        )

    return generation


def set_agent_state(
    connection: Connection, session_id: str, chat_id: str, state: AgentStateChanged
) -> None:
    """Record the state of an agent in a chat, and that this process has it."""
    values = {
        "status": state.status,
        "backend": state.transport,
        "metadata": {"owner": str(this_process())},
    }
    found = _find(connection, session_id, chat_id, state.agent)
    if found is not None:
        connection.execute(
            update(agent_sessions).where(agent_sessions.c.id == found.id).values(values)
        )
        return

    generation = generation_of(connection, session_id)
    more = {"agent": state.agent, "chat_id": chat_id, "generation": generation}
    add_agent_session(connection, session_id, **values, **more)  # type: ignore[arg-type]  # mixed values


def close_agent_session(connection: Connection, chat_id: str, agent: str) -> None:
    """Record that this process has ended an agent that was warm."""
    this = (
        agent_sessions.c.chat_id == chat_id,
        agent_sessions.c.agent == agent,
        agent_sessions.c.status == "warm",
    )
    connection.execute(update(agent_sessions).where(*this).values(status=CLOSED))


def raise_generation(connection: Connection, session_id: str) -> None:
    """Invalidate the turns that the agents of a session were asked for before this call."""
    these = update(agent_sessions).where(agent_sessions.c.session_id == session_id)
    connection.execute(these.values(generation=agent_sessions.c.generation + 1))


def crash_agent_sessions(connection: Connection, session_id: str) -> int:
    """Mark the open agent sessions as `crashed`, so that none goes on with what was undone.

    Return how many had a memory: not those that are closed, or whose process has ended.
    """
    rows = agent_sessions_of(connection, session_id)
    remembering = [row.id for row in rows if _has_memory(row)]
    raise_generation(connection, session_id)
    these = agent_sessions.c.id.in_([row.id for row in rows if row.status != CLOSED])
    connection.execute(update(agent_sessions).where(these).values(status=CRASHED))
    return len(remembering)


def _has_memory(row: AgentSessionRow) -> bool:
    if row.status in {CRASHED, CLOSED}:
        return False

    owner = TurnOwner.parse(row.metadata.get("owner"))
    # Of an older store, or another machine: nothing is known, so it may have one.
    if owner is None or owner.host != this_process().host:
        return True

    return is_alive(owner)


def _find(
    connection: Connection, session_id: str, chat_id: str, agent: str
) -> AgentSessionRow | None:
    this = (
        agent_sessions.c.session_id == session_id,
        agent_sessions.c.chat_id == chat_id,
        agent_sessions.c.agent == agent,
    )
    query = select(agent_sessions).where(*this)
    found = records(
        connection,
        AgentSessionRow,
        query.order_by(agent_sessions.c.created_at, agent_sessions.c.id).limit(1),
    )
    return next(iter(found), None)
