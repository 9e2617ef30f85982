"""A root under its lock: what a dead process left is settled, in the files and in the log, before anything else."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.changes.change import AT_ONCE, SPLIT, Change
from holdfast.changes.ports import Journal
from holdfast.changes.transaction import BatchOutcome, BatchRecovery, apply_batch, recover

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.changes.change_log import ChangeLog
    from holdfast.changes.swaps import Batch
    from holdfast.usecases.workspace import Workspace


@dataclass(frozen=True, slots=True)
class LockedWorkspace:
    """A root whose lock is ours; `recovered` is what was done about a command that had died."""

    workspace: Workspace
    journal: Journal
    recovered: BatchRecovery | None

    def carry_out(self, batch: Batch) -> BatchOutcome:
        """Swap the files of a batch, all or none, and tell the log that its change is applied or rewound."""
        log = self.workspace.log
        return apply_batch(batch, self.workspace.tree, self.journal, lambda done: tell(log, done))

    def reconcile(self) -> ChangeLog:
        """Give the log, after what a dead process left in it: a change that was never begun is rejected.

        One that is proposed and applied at once is proposed only while the lock is held. Whoever finds one so finds
        what a dead process left, and the recovery of the journal has not marked it: no file of it was written. The
        same goes for a change that was split and of which both parts are proposed: it is put together again.
        """
        log = self.workspace.log
        for change in log.list(state="proposed", origin=AT_ONCE):
            log.move(change.id, "proposed", "rejected")
        parts: dict[str, list[str]] = {}
        for change in log.list(state="proposed", origin=SPLIT):
            parts.setdefault(change.requested.part_of or "", []).append(change.id)
        for whole, both in parts.items():
            if len(both) > 1:
                log.join(whole, both)
        return log

    def add(self, change: Change) -> Change:
        """Record a new change."""
        return self.reconcile().add(change)


@contextmanager
def locked(workspace: Workspace) -> Iterator[LockedWorkspace]:
    """Wait for the root's lock, and finish or take back what a dead process left."""
    with workspace.hold() as journal:
        # The log is opened only if there is something to tell it: a check needs no database.
        recovered = recover(workspace.tree, journal, lambda done: tell(workspace.log, done))
        yield LockedWorkspace(workspace, journal, recovered)


def tell(log: ChangeLog, done: Batch) -> None:
    """Tell the log that a batch is done. A change that is marked already, or that it does not know, is no matter."""
    if done.rewinds:
        log.move(done.id, "applied", "rewound")
    else:
        log.move(done.id, "proposed", "applied")
