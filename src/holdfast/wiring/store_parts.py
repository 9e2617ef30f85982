"""The store and the ports that it implements. Only `late_store` imports this module."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from holdfast.adapters.store.agent_eviction import StoredAgents
from holdfast.adapters.store.change_log import changes_at
from holdfast.adapters.store.database_url import chosen_url
from holdfast.adapters.store.errors import StoreError
from holdfast.adapters.store.store import Store, open_store
from holdfast.adapters.store.transcript import StoredTranscript
from holdfast.adapters.store.turn_log import StoredTurnLog
from holdfast.usecases.checkpoints.conversation import Conversations

__all__ = ["StoreError", "StoredTurnLog", "changes_at", "conversations_at", "store_at"]


def store_at(state: Path) -> AbstractContextManager[Store]:
    """Open the store that is configured; the default is a SQLite file in the state directory."""
    return open_store(chosen_url(state))


def conversations_at(
    root: Path, opener: Callable[[], Store], evict: Callable[[str], bool]
) -> Conversations:
    """Return the transcripts and agents of the sessions at a root."""
    return Conversations(StoredTranscript(opener, root), StoredAgents(opener, evict))
