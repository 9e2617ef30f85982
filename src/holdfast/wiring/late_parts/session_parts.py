"""The sessions of the store: turns and conversations. Only `late_store` imports this module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.processes.turn_processes import TurnProcesses
from holdfast.adapters.store.agent_eviction import StoredAgents
from holdfast.adapters.store.event_log import StoredEventLog
from holdfast.adapters.store.queries.agent_sessions import close_agent_session
from holdfast.adapters.store.running_turns import StoredRunningTurns
from holdfast.adapters.store.sessions.approvals import StoredApprovals
from holdfast.adapters.store.sessions.worktree_records import StoredWorktrees
from holdfast.adapters.store.store_errors import StoreError
from holdfast.adapters.store.transcript import StoredTranscript
from holdfast.adapters.store.turn_log import (
    StoredTurnLog,
    agent_of_session,
    worktree_of_session,
)
from holdfast.usecases.checkpoints.restore_ports import Conversations

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from holdfast.adapters.store.store import Store
    from holdfast.vocab.place import Place

__all__ = [
    "StoreError",
    "StoredApprovals",
    "StoredEventLog",
    "StoredTurnLog",
    "StoredWorktrees",
    "agent_of_session",
    "close_agent_session",
    "conversations_at",
    "running_turns_at",
    "worktree_of_session",
]


def conversations_at(
    worktree: Place, project: Place, open_store: Callable[[], Store]
) -> Conversations:
    """Return the transcripts and agents of the sessions at a worktree of a project."""
    transcript = StoredTranscript(open_store, worktree, project)
    return Conversations(transcript, StoredAgents(open_store))


def running_turns_at(
    place: Place, state: Path, open_store: Callable[[], Store]
) -> StoredRunningTurns:
    """Return the turns that work on the files of a worktree, with their locks and processes."""
    return StoredRunningTurns(open_store, place, TurnLocks(state), TurnProcesses(state))
