"""The running turns and external agents, in the store (port `Backend`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.agent_sessions import crash_agent_sessions, raise_generation
from holdfast.adapters.store.queries.approvals import close_questions
from holdfast.adapters.store.queries.projects import lock_project_by_id
from holdfast.adapters.store.queries.sessions import session_by_id
from holdfast.adapters.store.queries.turns import cancel_turns, lock_running_turns
from holdfast.adapters.store.transcript import translated

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from holdfast.adapters.store.store import Store
    from holdfast.usecases.checkpoints.restore_ports import AnnounceIds


class StoredAgents:
    """The turns and agents of sessions."""

    def __init__(self, store: Callable[[], Store]) -> None:
        """Use the store that `store` returns; it is called for each transaction."""
        self._store = store

    def refuse_waiting(self, session: str) -> None:
        """Let no turn of the session begin that an agent was asked for before this call."""
        with translated():
            self._store().run_soon(raise_generation, session)

    def evict(self, session: str, announce: AnnounceIds) -> bool:
        """Cancel the turns that dead processes left running, and mark the agent's memory as lost.

        Return whether an agent had any.
        """
        with translated():
            return self._store().run(_evict, session, announce)


def _evict(connection: Connection, session_id: str, announce: AnnounceIds) -> bool:
    session = session_by_id(connection, session_id)
    if session is None:
        return False

    lock_running_turns(connection, session_id)
    lock_project_by_id(connection, session.project_id)
    cancelled = cancel_turns(connection, session_id)
    crashed = crash_agent_sessions(connection, session_id)
    closed = close_questions(connection, cancelled)
    publish(connection, session.project_id, [*closed, *announce(cancelled)])
    return crashed > 0
