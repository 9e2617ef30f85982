"""Where garbage is: the configured store, the state directory, and the worktrees."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.state_folders import DiskStateFolders
from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.store.database_url import chosen_url, store_exists
from holdfast.adapters.store.sessions.garbage import StoredGarbage
from holdfast.usecases.garbage.collect import GarbagePlaces
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.state_directory import state_directory
from holdfast.wiring.worktrees import open_worktrees

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def garbage_places() -> Iterator[GarbagePlaces]:
    """Return where to look for garbage. A store that is not there is not made."""
    state = state_directory()
    locks = TurnLocks(state)
    with LateStore(state) as store:
        stored = None
        if store_exists(chosen_url(state)):
            stored = StoredGarbage(store.open, locks)
        folders = DiskStateFolders(state, locks)
        yield GarbagePlaces(stored, folders, lambda root: open_worktrees(root, store=store))
