"""Redo: do again what the last undo took back, of changes or of a restore."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from holdfast.changes.change_log import ChangesUndone
from holdfast.changes.plan import FileRefused
from holdfast.changes.rebase.rebase_swaps import Clash, rebase_swaps
from holdfast.changes.swapped_files import SwappedFiles, sum_of
from holdfast.changes.swaps import Batch
from holdfast.changes.transaction import Done
from holdfast.usecases.checkpoints.restore import redo_restore
from holdfast.usecases.locked_workspace import LockedWorkspace, locked
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.usecases.settle_worktree import record_batch
from holdfast.usecases.workspace import NothingDone, Workspace, nothing_done
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.changes.change import Change
    from holdfast.changes.change_log import LogUnavailable
    from holdfast.changes.swaps import Swap
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.settle_outcome import Restored

_CAUSES = {
    "touched": "other edits touch the same lines",
    "there": "there is a file now",
    "gone": "it is gone",
    "changed": "it was edited, and would have to be removed whole",
    "mode": "its mode or its text was changed",
    "unfit": "there is something else now",
}


@dataclass(frozen=True, slots=True)
class FileRedone:
    """What happened to a file: it has the edit again, or is made or removed again."""

    path: str
    action: Literal["edited", "created", "deleted"]


@dataclass(frozen=True, slots=True)
class ChangesRedone:
    """The changes are in the files again, the oldest first. `seq` is the number of the event."""

    changes: tuple[Change, ...]
    files: tuple[FileRedone, ...]
    recovered: Settled = NOTHING_LEFT
    unrecorded: LogUnavailable | None = None
    seq: int | None = None


def redo_last(workspace: Workspace, worktrees: Worktrees) -> ChangesRedone | Restored | NothingDone:
    """Finish what a dead process left, then redo the last undo."""
    with locked(workspace) as root:
        if root.refused:
            return root.refused
        undone = root.reconcile().last_undo()
        if isinstance(undone, ChangesUndone):
            return _redo_changes(undone, root)
        if undone is None:
            return NothingDone((_nothing_to_redo(),), root.recovered)

    outcome = redo_restore(undone.checkpoint_id, worktrees)
    recovered = root.recovered.followed_by(outcome.recovered)
    return replace(outcome, recovered=recovered)


def _redo_changes(undone: ChangesUndone, root: LockedWorkspace) -> ChangesRedone | NothingDone:
    changes: list[Change] = []
    for change_id in undone.change_ids:
        change = root.workspace.log.get(change_id)
        if change is None or change.state != "rewound":
            return NothingDone((_nothing_to_redo(),), root.recovered)
        changes.append(change)

    files = SwappedFiles(root.workspace.files)
    batches: list[Batch] = []
    for change in changes:
        rebased = rebase_swaps(change.plan.swaps, files)
        if rebased.clashes:
            refusals = tuple(_refuse(clash, change) for clash in rebased.clashes)
            return NothingDone(refusals, root.recovered)
        files.swap(rebased.swaps)
        plan = change.plan
        batches.append(
            Batch(change.id, rebased.swaps, rebased.makes, plan.clears, modes=plan.modes)
        )

    return _carry_out(sum_of(batches, files.sum()), changes, root)


def _carry_out(
    batch: Batch, changes: Sequence[Change], root: LockedWorkspace
) -> ChangesRedone | NothingDone:
    redone: dict[str, FileRedone] = {}
    for change in changes:
        redone.update({swap.path: _redone(swap) for swap in change.plan.swaps})

    files = tuple(redone.values())
    if not batch.swaps:
        # Every file has the edit already.
        published = record_batch(root.workspace, batch, changes)
        return ChangesRedone(tuple(changes), files, root.recovered, seq=published.seq)

    carried, published = root.carry_out(batch, *changes)
    if not isinstance(carried, Done):
        return nothing_done(carried, root.recovered)

    return ChangesRedone(tuple(changes), files, root.recovered, carried.unrecorded, published.seq)


def _redone(swap: Swap) -> FileRedone:
    if swap.before is None:
        return FileRedone(swap.path, "created")
    if swap.after is None:
        return FileRedone(swap.path, "deleted")
    return FileRedone(swap.path, "edited")


def _refuse(clash: Clash, change: Change) -> FileRefused:
    message = (
        f"{clash.path}: this is no longer what the undo of change {change.id} left "
        f"({_CAUSES[clash.why]}); `holdfast changes show {change.id}` has the edit."
    )
    return FileRefused(clash.path, Refused("conflict", message))


def _nothing_to_redo() -> FileRefused:
    message = "there is nothing to redo: nothing was undone here since the last change."
    return FileRefused("", Refused("not_found", message))
