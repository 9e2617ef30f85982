"""The sessions of the store: turns and conversations. Only `late_store` imports this module."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from holdfast.adapters.store.agent_eviction import StoredAgents
from holdfast.adapters.store.errors import StoreError
from holdfast.adapters.store.store import Store
from holdfast.adapters.store.transcript import StoredTranscript
from holdfast.adapters.store.turn_log import StoredTurnLog
from holdfast.usecases.checkpoints.conversation import Conversations

__all__ = ["StoreError", "StoredTurnLog", "conversations_at"]


def conversations_at(
    root: Path, open_store: Callable[[], Store], evict: Callable[[str], bool]
) -> Conversations:
    """Return the transcripts and agents of the sessions at a root."""
    return Conversations(StoredTranscript(open_store, root), StoredAgents(open_store, evict))
