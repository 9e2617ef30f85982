"""A root under its lock.

What a dead process left is settled, in the files and in the log, before anything else.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.changes.change import AT_ONCE, SPLIT, Change
from holdfast.changes.plan import FileRefused
from holdfast.changes.transaction import BatchOutcome, apply_batch
from holdfast.usecases.events.change_events import (
    Published,
    change_moved,
    change_written,
    changes_removed,
)
from holdfast.usecases.settle_outcome import NOTHING_LEFT
from holdfast.usecases.settle_worktree import record_batch, settle
from holdfast.usecases.workspace import NothingDone, nothing_done
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.changes.change_log import AddedChange, ChangeLog
    from holdfast.changes.ports import Journal
    from holdfast.changes.swaps import Batch
    from holdfast.usecases.settle_outcome import Settled
    from holdfast.usecases.workspace import Workspace
    from holdfast.vocab.owned_event import OwnedEvent


@dataclass(frozen=True, slots=True)
class LockedWorkspace:
    """A root whose lock is ours; `recovered` is what was done about commands that had died."""

    workspace: Workspace
    journal: Journal
    recovered: Settled

    @property
    def refused(self) -> NothingDone | None:
        """Why nothing may be written here now; None if it may."""
        if self.recovered.stopped is not None:
            return nothing_done(self.recovered.stopped.outcome, self.recovered)
        if self.recovered.refusal is not None:
            refused = FileRefused("", Refused("conflict", self.recovered.refusal))
            return NothingDone((refused,), self.recovered)
        return None

    def carry_out(
        self, batch: Batch, *changes: Change, also: Sequence[OwnedEvent] = ()
    ) -> tuple[BatchOutcome, Published]:
        """Swap the files of a batch, all or none, and record that its changes are so.

        They are applied, or rewound. `also` are further events of the transaction that records it.
        """
        published = Published()

        def record(done: Batch) -> None:
            nonlocal published
            published = record_batch(self.workspace, done, changes, also)

        with self.workspace.hold_signals():
            carried = apply_batch(batch, self.workspace.tree, self.journal, record)
        return carried, published

    def reconcile(self) -> ChangeLog:
        """Settle what a dead process left in the log, and return the log.

        A change that was never begun is rejected. A change that is proposed and applied at once is
        proposed only under the lock. One that is found so was left by a dead process, and the
        recovery of the journal has not marked it: no file of it was written. The same goes for a
        change that was split and of which both parts are proposed: the split is undone.
        """
        log = self.workspace.log
        for change in log.list(state="proposed", origin=AT_ONCE):
            log.move(change.id, "proposed", "rejected", [change_moved(change, "rejected")])

        parts: dict[str, list[Change]] = {}
        for change in log.list(state="proposed", origin=SPLIT):
            parts.setdefault(change.requested.part_of or "", []).append(change)

        for whole, both in parts.items():
            if len(both) > 1:
                # The newest first: the rest has the older place, that of the whole.
                join_parts(log, whole, accepted=both[0], rest=both[-1])

        return log

    def add(self, change: Change, also: Sequence[OwnedEvent] = ()) -> tuple[AddedChange, Published]:
        """Record a new change; `also` are further events of that transaction."""
        moved = change_moved(change, change.state)
        if change.state == "applied":
            # Another program has written it.
            moved = change_written(change, "applied", change.plan.swaps, self.workspace.secrets)

        events = [moved, *also]

        def announce(removed: Sequence[str]) -> Sequence[OwnedEvent]:
            events.extend(changes_removed(removed))
            return events

        added = self.reconcile().add(change, announce)
        return added, Published.of(events, added.event_seq)


@contextmanager
def locked(workspace: Workspace) -> Iterator[LockedWorkspace]:
    """Wait for the lock of the worktree, and settle what dead processes left there."""
    with workspace.hold() as journal:
        # The log is opened only if there is something to record: a check needs no database.
        settled = settle(workspace.batch_roots, journal, workspace.recover_restore)
        if settled.unrecorded is not None:
            raise settled.unrecorded
        yield LockedWorkspace(workspace, journal, settled)


def settle_first(workspace: Workspace) -> Settled:
    """Settle what dead processes left, in the files and in the log, before files are read."""
    if not workspace.has_journal():
        return NOTHING_LEFT
    with locked(workspace) as root:
        if root.refused is None:
            root.reconcile()
        return root.recovered


def join_parts(log: ChangeLog, whole_id: str, *, accepted: Change, rest: Change) -> int | None:
    """Undo a split whose parts are both proposed.

    Return the number of the last event, or None if nothing was done.
    """
    whole = log.get(whole_id)
    if whole is None:
        return None
    parts = (accepted.id, rest.id)
    events = [change_moved(whole, "proposed", replaces=rest.id), *changes_removed(parts)]
    return log.join(whole_id, parts, events)
