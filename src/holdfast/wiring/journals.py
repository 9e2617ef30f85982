"""The lock and the journal of the worktree around a root."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.journal import DiskJournal
from holdfast.adapters.filesystem.older_journals import OlderJournals
from holdfast.adapters.filesystem.worktree_lock import lock_worktree
from holdfast.adapters.places.place_records import claim_place, worktree_around
from holdfast.adapters.places.worktree_folder import worktree_folder
from holdfast.adapters.running_commands import RunningCommands
from holdfast.usecases.open_journal_entries import OpenEntry, open_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from holdfast.adapters.git.worktree import LockJournal


@contextmanager
def lock_journal(
    state: Path,
    root: Path,
    *,
    deadline: float | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[DiskJournal]:
    """Wait for the lock of the worktree around a root, and yield its journal.

    Raise `LockTimeout` at the deadline, and `JournalDamaged` for an older journal that cannot be
    read.
    """
    worktree = worktree_around(root, state)
    claim_place(worktree, state)
    folder = worktree_folder(state, worktree)
    with lock_worktree(folder, deadline=deadline, say=say) as lock:
        journal = DiskJournal(folder, worktree, root, lock, running=RunningCommands(state))
        if not lock.nested:
            journal.open(OlderJournals(state, root, worktree))
        try:
            yield journal
        finally:
            journal.close()


def journal_lock(state: Path, say: Callable[[str], None]) -> LockJournal:
    """Return the function with which a worktree is locked for checkpoints."""
    return lambda root, deadline: lock_journal(state, root, deadline=deadline, say=say)


def look_at_journal(state: Path, root: Path) -> DiskJournal:
    """Return the journal of the worktree around a root, to read it without its lock."""
    worktree = worktree_around(root, state)
    return DiskJournal(worktree_folder(state, worktree), worktree, root)


def was_used(state: Path, root: Path) -> bool:
    """Return whether anything was ever written below a root."""
    worktree = worktree_around(root, state)
    if worktree_folder(state, worktree).is_dir():
        return True
    return OlderJournals(state, root, worktree).is_there()


def open_entries_at(state: Path, root: Path) -> tuple[OpenEntry, ...]:
    """Return what dead processes left in the worktree around a root; write nothing."""
    journal = look_at_journal(state, root)
    if journal.is_at_work():
        # What is under way is that command's work, and it has settled the rest.
        return ()
    return open_entries(journal)
