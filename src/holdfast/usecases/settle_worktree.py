"""Settle what dead processes left in a worktree, before anything else is written there.

Under the worktree's lock. A restore is finished, or goes back to where it began; a batch is
finished or rolled back. What was begun before a restore that has changed files since is dropped:
to carry it out now would undo that restore. So restores come first, and the newest of those first.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import filterfalse
from typing import TYPE_CHECKING, Literal, Protocol

from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.transaction import (
    BatchRecovery,
    Failed,
    Finished,
    RolledBack,
    Stopped,
    drop_batch,
    recover,
)
from holdfast.usecases.events.change_events import (
    Published,
    change_moved,
    change_written,
    edits_landed,
)
from holdfast.usecases.events.ports import EventsUnavailable
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.vocab.change_events import Recovered
from holdfast.vocab.owned_event import OwnedEvent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from holdfast.changes.change import Change, ChangeState
    from holdfast.changes.change_log import ChangeLog
    from holdfast.changes.ports import Journal, PendingBatch, Tree
    from holdfast.changes.swaps import Batch
    from holdfast.checkpoints.ports import PendingRestore
    from holdfast.usecases.open_journal_entries import WorktreeJournal


class BatchRoot(Protocol):
    """A root below which a batch swaps files."""

    @property
    def tree(self) -> Tree:
        """The files as they are swapped."""

    @property
    def log(self) -> ChangeLog:
        """The record of the project's changes; raises `LogUnavailable` if there can be none."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Words that must not be in an event."""


class BatchRoots(Protocol):
    """The roots in one worktree below which dead processes have left batches."""

    def at(self, root: str) -> AbstractContextManager[BatchRoot | None]:
        """Open the root of a batch; None if there is no such folder any more."""

    def publish(self, events: Sequence[OwnedEvent]) -> None:
        """Publish events in a transaction of their own; raises `EventsUnavailable`."""


class RecoverRestore(Protocol):
    """Finishes a restore that a dead process left, or goes back; drops one that is outdated."""

    def __call__(self, pending: PendingRestore, *, outdated: bool) -> Settled:
        """Return what was done."""


def settle(roots: BatchRoots, journal: WorktreeJournal, recover_restore: RecoverRestore) -> Settled:
    """Settle all that is open in a worktree.

    Raise `JournalDamaged` if an entry cannot be read.
    """
    if journal.nested:
        return NOTHING_LEFT

    batches = journal.batches()
    settled = NOTHING_LEFT
    for pending in _in_order(journal.restores()):
        outdated = _is_in_files(pending) and pending.number < journal.last_restore()
        settled = settled.joined_with(recover_restore(pending, outdated=outdated))

    for event in settled.recovered:
        _publish(event, roots)

    for batch in batches:
        settled = settled.joined_with(settle_batch(batch, roots, journal))

    return settled


def _in_order(restores: Sequence[PendingRestore]) -> list[PendingRestore]:
    """Return the batches sorted: first those whose files are not restored yet, newest first."""
    in_files = list(filter(_is_in_files, restores))
    rest = filterfalse(_is_in_files, restores)
    return [*reversed(in_files), *rest]


def _is_in_files(pending: PendingRestore) -> bool:
    return pending.restore.phase == "files"


def drop_outdated(roots: BatchRoots, journal: WorktreeJournal) -> Settled:
    """Drop the batches that a restore has made outdated.

    What cannot be recorded now is dropped by the next command.
    """
    settled = NOTHING_LEFT
    for batch in journal.batches():
        if batch.number > journal.last_restore():
            continue
        dropped = settle_batch(batch, roots, journal)
        if dropped.unrecorded is None:
            settled = settled.joined_with(dropped)

    return settled


def settle_batch(pending: PendingBatch, roots: BatchRoots, journal: WorktreeJournal) -> Settled:
    """Finish a batch, roll it back, or drop it."""
    try:
        return _settle_recorded(pending, roots, journal)
    except LogUnavailable as error:
        return replace(unsettled(str(error), pending.batch.id), unrecorded=error)


def unsettled(why: str, batch_id: str = "") -> Settled:
    """Return a report that the batch stays as it is; the next command settles it."""
    message = f"an earlier command here was stopped halfway, and cannot be settled: {why}"
    return Settled((Recovered("batch", batch_id, "stopped", message),))


def _settle_recorded(pending: PendingBatch, roots: BatchRoots, journal: WorktreeJournal) -> Settled:
    """Settle a batch; raise `LogUnavailable` if the log cannot record what was done."""
    batch, own = pending.batch, journal.at(pending)
    with roots.at(pending.root) as place:
        if place is None:
            event = _dropped(batch, own, "the folder of its files is gone")
            own.drop()
            _publish(event, roots)
            return Settled((event,))
        if pending.number < journal.last_restore():
            event = _dropped(batch, own, "files were restored since")
            drop_batch(
                batch, place.tree, own, lambda done: _record_dropped(done, event, place, roots)
            )
            return Settled((event,))
        finished = _event(batch, "finished", "halfway: it is now finished")
        outcome = recover(
            pending, place.tree, own, lambda done: _record_left(done, finished, place, roots)
        )
        return _settled(outcome, finished, roots)


def _settled(outcome: BatchRecovery, finished: Recovered, roots: BatchRoots) -> Settled:
    match outcome:
        case Finished():
            return Settled((finished,))
        case RolledBack(batch):
            event = _event(batch, "rolled_back", "before it changed a file: it is dropped")
            _publish(event, roots)
            return Settled((event,))
        case Stopped(batch, reason):
            event = _event(batch, "stopped", "halfway and could not be finished")
            event = replace(event, message=f"{event.message} Run this one again.")
            if not isinstance(reason, Failed):
                _publish(event, roots)
            return Settled((event,), stopped=outcome)


def _event(
    batch: Batch, outcome: Literal["finished", "rolled_back", "dropped", "stopped"], how: str
) -> Recovered:
    paths = tuple(swap.path for swap in batch.swaps)
    files = f"{len(paths)} files"
    if len(paths) == 1:
        files = "1 file"
    message = f"an earlier command here was stopped {how} ({files})."
    return Recovered("batch", batch.id, outcome, message, paths)


def _dropped(batch: Batch, journal: Journal, why: str) -> Recovered:
    """Keep the texts of a batch that is to be dropped, and return the event."""
    saved = journal.save(batch, batch.swaps)
    event = _event(batch, "dropped", f"halfway, and {why}: it is dropped")
    return replace(event, message=f"{event.message} Its old and new texts are kept in {saved}.")


def record_batch(
    root: BatchRoot,
    done: Batch,
    changes: Sequence[Change],
    also: Sequence[OwnedEvent] = (),
) -> Published:
    """Record that the files of a batch are written.

    `changes` are those of the batch, in the order in which they were written. Nothing happens if
    that is on record already.
    """
    new: ChangeState = "applied"
    old = changes[0].state
    if done.rewinds:
        new, old = "rewound", "applied"

    if old == new:
        return Published()

    group = None
    if done.others:
        group = done.id

    events: list[OwnedEvent] = []
    for change in changes:
        events.append(change_written(change, new, done.swaps, root.secrets, group))
        if new == "applied":
            events += edits_landed(change, root.secrets)

    events += also
    if group is None:
        return Published.of(events, root.log.move(done.id, old, new, events))

    ids = [change.id for change in changes]
    return Published.of(events, root.log.move_together(ids, old, new, events))


def _record_left(done: Batch, event: Recovered, root: BatchRoot, roots: BatchRoots) -> None:
    """Record a batch that a dead process had begun; a change that is not on record is no fault."""
    found = map(root.log.get, done.change_ids)
    changes = list(filter(None, found))
    published = Published()
    if changes:
        published = record_batch(root, done, changes, [OwnedEvent(event)])

    if published.seq is None:
        _publish(event, roots)


def _record_dropped(dropped: Batch, event: Recovered, root: BatchRoot, roots: BatchRoots) -> None:
    """Record that a change is not applied.

    A change that was to be rewound is as the restore has left it.
    """
    change = root.log.get(dropped.id)
    seq = None
    if change is not None and not dropped.rewinds:
        events = [change_moved(change, "rejected"), OwnedEvent(event)]
        seq = root.log.move(dropped.id, "proposed", "rejected", events)

    if seq is None:
        _publish(event, roots)


def _publish(event: Recovered, roots: BatchRoots) -> None:
    """Publish what was done, if the log can be written; it is printed all the same."""
    with suppress(EventsUnavailable):
        roots.publish([OwnedEvent(event)])
