"""The transaction: apply a batch wholly or not at all, and recover one that a dead process left.

The order of the steps makes a kill at any instant harmless.

- Until `Journal.commit` no file of the workspace has changed: only siblings have to be removed.
- From then on the journal has the old and the new bytes of every file, and every file that is
  still old becomes new. If a file is neither old nor new, another program has changed it: then the
  whole batch is rolled back.
- When every file is new, durably, the log records the batch. Only then the journal removes the
  batch: if the process dies in between, the next command finds the journal and records the batch
  again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.swaps import directories_above, is_at_or_below
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from holdfast.changes.ports import Journal, PendingBatch, Tree
    from holdfast.changes.swaps import Batch, Swap


@dataclass(frozen=True, slots=True)
class Done:
    """Every file is new.

    `unrecorded` is why the log could not record the batch; the next command on this root retries.
    """

    unrecorded: LogUnavailable | None = None


@dataclass(frozen=True, slots=True)
class BatchConflict:
    """The files at `paths` were neither old nor new: they stay, and the batch is rolled back.

    `saved` is the directory with their old and new texts, if other files had been changed already.
    """

    paths: tuple[str, ...]
    saved: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The disk refused. Every file is old, or (`unsettled`) is settled by the next command."""

    error: OSError
    unsettled: bool = False


BatchOutcome: TypeAlias = Done | BatchConflict | Failed


@dataclass(frozen=True, slots=True)
class Finished:
    """A batch that a process left half done is applied now."""

    batch: Batch


@dataclass(frozen=True, slots=True)
class RolledBack:
    """A batch that a process left before the first file had changed is rolled back."""

    batch: Batch


@dataclass(frozen=True, slots=True)
class Stopped:
    """A batch that a process left half done could not be finished: `outcome` is why."""

    batch: Batch
    outcome: BatchConflict | Failed


BatchRecovery: TypeAlias = Finished | RolledBack | Stopped
RecordBatch: TypeAlias = "Callable[[Batch], None]"
"""Records in the log that a batch is applied. Idempotent. May raise `LogUnavailable`."""


def _record_nothing(batch: Batch) -> None:
    """Record nothing: for a batch that belongs to no change."""


def apply_batch(
    batch: Batch, tree: Tree, journal: Journal, record: RecordBatch = _record_nothing
) -> BatchOutcome:
    """Swap all files of the batch, or none; call `record` once they are new."""
    try:
        journal.prepare(batch)
    except OSError as error:
        return Failed(error)

    try:
        _stage(batch, tree)
        changed = tuple(swap.path for swap in batch.swaps if tree.side(swap) != "before")
        if changed:
            _clean_up(batch, tree, journal)
            return BatchConflict(changed)
        journal.commit()
    except OSError as error:
        return _undo_after_error(error, _clean_up, batch, tree, journal)

    return _swap(batch, tree, journal, record)


def recover(
    pending: PendingBatch, tree: Tree, journal: Journal, record: RecordBatch = _record_nothing
) -> BatchRecovery:
    """Finish or roll back a batch that a dead process left.

    Raise `LogUnavailable` if the log cannot record the batch: no other batch may begin before.
    """
    batch = pending.batch
    try:
        if not pending.committed:
            _clean_up(batch, tree, journal)
            return RolledBack(batch)
        if any(tree.side(swap) == "neither" for swap in batch.swaps):
            return Stopped(batch, _roll_back(batch, tree, journal))
        _stage(batch, tree)
    except OSError as error:
        return Stopped(batch, Failed(error, unsettled=True))

    outcome = _swap(batch, tree, journal, record)
    if not isinstance(outcome, Done):
        return Stopped(batch, outcome)
    if outcome.unrecorded:
        raise outcome.unrecorded

    return Finished(batch)


def drop_batch(batch: Batch, tree: Tree, journal: Journal, record: RecordBatch) -> None:
    """Remove a batch that is not to be carried out any more; its files stay as they are.

    Raise `LogUnavailable` if the log cannot record that, and OSError if the disk refuses; then the
    next command drops the batch.
    """
    for _, sibling in batch.with_siblings():
        tree.discard(sibling)
    record(batch)
    journal.drop()


def _stage(batch: Batch, tree: Tree) -> None:
    reshaped, modes = batch.reshaped, dict(batch.modes)
    for directory in batch.makes:
        if not is_at_or_below(directory, reshaped):
            tree.make(directory, modes.get(directory))

    for swap, sibling in batch.with_siblings():
        if swap.after is None:
            continue
        if tree.side(swap) == "before":
            tree.stage(swap, sibling)


def _swap(batch: Batch, tree: Tree, journal: Journal, record: RecordBatch) -> BatchOutcome:
    try:
        reshaped = batch.reshaped
        for swap, sibling in batch.with_siblings():
            _make_room(swap, batch, reshaped, tree)
            if not tree.put(swap, sibling):
                conflict = _roll_back(batch, tree, journal)
                if conflict.paths:
                    return conflict
                return BatchConflict((swap.path,))
        tree.settle(batch)
        for directory in batch.clears:
            tree.clear(directory)
        _set_modes(batch, batch.makes, tree)
    except OSError as error:
        return _undo_after_error(error, _roll_back, batch, tree, journal)

    # Every file is new, durably. What cannot be recorded now, the next command records. Nothing is
    # rolled back here: a log that failed may have recorded the batch.
    try:
        record(batch)
    except LogUnavailable as error:
        return Done(unrecorded=error)

    with suppress(OSError):
        journal.finish(batch)

    return Done()


def _set_modes(batch: Batch, made: Collection[str], tree: Tree) -> None:
    """Set the permissions of the made directories, those on the inside first: one may be closed."""
    for directory, mode in sorted(batch.modes, reverse=True):
        if directory in made:
            tree.set_mode(directory, mode)


def _make_room(swap: Swap, batch: Batch, reshaped: frozenset[str], tree: Tree) -> None:
    """Remove the empty directories where a file is to be, and make those that it is to be in.

    Only where a file and a directory replace each other: any other directory is there by now.
    """
    if swap.after is None or not is_at_or_below(swap.path, reshaped):
        return

    here = frozenset({swap.path})
    emptied: set[str] = set()
    for each in batch.swaps:
        emptied.update(
            above for above in directories_above(each.path) if is_at_or_below(above, here)
        )

    for directory in sorted(emptied, reverse=True):
        tree.clear(directory)

    modes = dict(batch.modes)
    for directory in directories_above(swap.path):
        if is_at_or_below(directory, reshaped):
            tree.make(directory, modes.get(directory))


def _roll_back(batch: Batch, tree: Tree, journal: Journal) -> BatchConflict:
    """Restore the old bytes wherever the new ones are; a second call completes a failed first one.

    Return the files that are neither old nor new.
    """
    reshaped, modes = batch.reshaped, dict(batch.modes)
    for directory in reversed(batch.clears):
        if not is_at_or_below(directory, reshaped):
            tree.make(directory, modes.get(directory))

    pairs = batch.with_siblings()
    if reshaped:
        # What was made last is in the place of what was removed first.
        pairs.reverse()

    for swap, sibling in pairs:
        if tree.side(swap) != "after":
            continue
        inverse = swap.reversed()
        if inverse.after is not None:
            tree.stage(inverse, sibling)
            _make_room(inverse, batch, reshaped, tree)
        tree.put(inverse, sibling)

    _set_modes(batch, batch.clears, tree)
    foreign = [swap for swap in batch.swaps if tree.side(swap) == "neither"]
    if not foreign:
        return _clean_up(batch, tree, journal)

    saved = journal.save(batch, foreign)
    _clean_up(batch, tree, journal)
    paths = [swap.path for swap in foreign]
    return BatchConflict(tuple(paths), saved)


def _clean_up(batch: Batch, tree: Tree, journal: Journal) -> BatchConflict:
    """Remove the siblings and the made directories of a batch whose files are old, and its record.

    Return an empty conflict.
    """
    for _, sibling in batch.with_siblings():
        tree.discard(sibling)

    for directory in reversed(batch.makes):
        tree.clear(directory)

    tree.settle(batch)
    journal.drop()
    return BatchConflict(())


def _undo_after_error(
    error: OSError,
    undo: Callable[[Batch, Tree, Journal], BatchConflict],
    batch: Batch,
    tree: Tree,
    journal: Journal,
) -> BatchConflict | Failed:
    """Undo the batch after an error; if the disk refuses that too, leave it to the next command."""
    try:
        conflict = undo(batch, tree, journal)
    except OSError:
        return Failed(error, unsettled=True)

    if conflict.paths:
        return conflict

    return Failed(error)
