"""The files below a root, with their journal and their change log."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Self

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.adapters.places.place_records import claim_place, find_place, is_known
from holdfast.adapters.processes.held_signals import hold_signals
from holdfast.wiring.batch_roots import DiskBatchRoots
from holdfast.wiring.journals import lock_journal, was_used
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from holdfast.adapters.filesystem.journal import DiskJournal
    from holdfast.changes.change_log import ChangeLog
    from holdfast.checkpoints.ports import PendingRestore
    from holdfast.usecases.sessions.ports import RunningTurns
    from holdfast.usecases.settle_outcome import Settled
    from holdfast.vocab.place import Place


class DiskWorkspace:
    """One root on the disk (port `Workspace`)."""

    def __init__(
        self,
        files: DiskFiles,
        state: Path,
        say: Callable[[str], None] = lambda _: None,
        store: LateStore | None = None,
    ) -> None:
        """Join the files below a root and the state directory; `say` receives progress.

        A `store` of the caller is used and left open.
        """
        self.files = files
        self.tree = files
        self.secrets: tuple[str, ...] = ()
        self._own_store = LateStore(state)
        self.store = store or self._own_store
        self._state = state
        self._say = say
        self._log: ChangeLog | None = None
        self._place: Place | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._own_store.close()
        self.files.close()

    @property
    def log(self) -> ChangeLog:
        """The log of the project's changes, opened at its first use; raises `LogUnavailable`."""
        if self._log is None:
            self._log = self.store.change_log(self.place)
        return self._log

    @property
    def place(self) -> Place:
        """The project and the worktree of this root."""
        if self._place is None:
            self._place = find_place(self.files.root, self._state)
        return self._place

    def claim(self) -> Place:
        """Return the place, and record in the state directory where it is."""
        self._place = claim_place(self.files.root, self._state)
        return self._place

    def hold(self) -> AbstractContextManager[DiskJournal]:
        """Lock the worktree around the root, and return its journal."""
        self.claim()
        return lock_journal(self._state, self.files.root, say=self._say)

    def hold_signals(self) -> AbstractContextManager[None]:
        """Deliver the signals that end a command only after the block."""
        return hold_signals()

    def has_journal(self) -> bool:
        """Return whether anything was ever written below this root, or in the project."""
        if was_used(self._state, self.files.root):
            return True
        return is_known(self.place, self._state)

    @property
    def batch_roots(self) -> DiskBatchRoots:
        """The roots of batches that dead processes left in this worktree."""
        return DiskBatchRoots(self.place, self._state, self.store, self.secrets)

    def recover_restore(self, pending: PendingRestore, *, outdated: bool) -> Settled:
        """Finish a restore that a dead process left in this worktree, or go back."""
        # Most commands find none, and git takes long to import.
        from holdfast.usecases.checkpoints.restore_recovery import recover_unlocked  # noqa: PLC0415 - see above
        from holdfast.wiring.worktrees import open_worktrees  # noqa: PLC0415 - see above

        worktrees = open_worktrees(self.files.root, self._say, store=self.store)
        return recover_unlocked(pending, worktrees, outdated=outdated)

    def running_turns(self) -> RunningTurns:
        """Return the turns that work on the files of this root's worktree."""
        return self.store.running_turns(self.place)

    def new_id(self) -> str:
        """Return an id that no other batch has."""
        return secrets.token_hex(6)


def open_workspace(root: Path, say: Callable[[str], None] = lambda _: None) -> DiskWorkspace:
    """Open the root, to be closed by leaving its `with`; `say` receives progress.

    Raise OSError if the root is not a directory or cannot be read.
    """
    return DiskWorkspace(DiskFiles(str(root)), state_directory(), say)
