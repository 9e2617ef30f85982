"""What the store knows of the agents at work (port `Backend`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from holdfast.adapters.store.queries.agent_sessions import crash_agent_sessions
from holdfast.adapters.store.queries.turns import cancel_turns
from holdfast.adapters.store.store import Store
from holdfast.adapters.store.transcript import told

if TYPE_CHECKING:
    from sqlalchemy import Connection


class StoredAgents:
    """The turns and agents of sessions; `evict` stops those of this process, and says whether there were any."""

    def __init__(self, store: Callable[[], Store], evict: Callable[[str], bool]) -> None:
        """Take how to get at the store, which is asked at each call."""
        self._store = store
        self._evict = evict

    def evict(self, session: str) -> bool:
        """Cancel the running turn and mark the agent's memory as lost; whether there was any."""
        # First those who can still write: a turn that is stopped says by itself how it ended.
        at_work = self._evict(session)
        with told():
            return self._store().run(_evict, session) or at_work


def _evict(connection: Connection, session_id: str) -> bool:
    cancelled = cancel_turns(connection, session_id)
    crashed = crash_agent_sessions(connection, session_id)
    return cancelled + crashed > 0
