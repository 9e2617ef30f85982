"""Rewind an applied change: exactly, or only what it changed, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from holdfast.changes.change import judge_move, judge_place
from holdfast.changes.plan import FileRefused
from holdfast.changes.rewind import plan_rewind
from holdfast.changes.swaps import Batch
from holdfast.changes.transaction import Done
from holdfast.usecases.changes.list_changes import find_recorded
from holdfast.usecases.changes.undo_after_stop import TurnsOf, undo_after_stop
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.usecases.settle_worktree import record_batch
from holdfast.usecases.workspace import NothingDone, Workspace, nothing_done
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.changes.change import Change
    from holdfast.changes.change_log import LogUnavailable
    from holdfast.changes.swaps import Swap
    from holdfast.usecases.locked_workspace import LockedWorkspace


@dataclass(frozen=True, slots=True)
class FileUndone:
    """What happened to a file.

    It has its old text back (or lost only the edit), is removed, or is brought back.
    """

    path: str
    action: Literal["restored", "removed", "brought back"]


@dataclass(frozen=True, slots=True)
class Rewound:
    """Nothing of the change is in the files any more. `seq` is the number of the event.

    `unrecorded` says why the log could not record the rewind; the next command records it. `notes`
    say which turns were stopped first.
    """

    change_id: str
    files: tuple[FileUndone, ...]
    recovered: Settled = NOTHING_LEFT
    unrecorded: LogUnavailable | None = None
    seq: int | None = None
    notes: tuple[str, ...] = ()


def rewind_change(
    name: str, workspace: Workspace, turns_of: TurnsOf | None = None
) -> Rewound | NothingDone:
    """Rewind the change with this id, or whose id begins so.

    A turn of its session that runs is stopped first; without `turns_of` turns are left alone.
    """

    def find(root: LockedWorkspace) -> Sequence[Change] | NothingDone:
        change = find_recorded(name, root)
        if isinstance(change, NothingDone):
            return change
        return judge_undo(change, root) or (change,)

    def undo(
        changes: Sequence[Change], root: LockedWorkspace, notes: tuple[str, ...]
    ) -> Rewound | NothingDone:
        (change,) = changes
        return undo_change(change, root, left_by=f"change {change.id}", notes=notes)

    return undo_after_stop(workspace, turns_of, find, undo)


def judge_undo(change: Change, root: LockedWorkspace) -> NothingDone | None:
    """Return why a change that is on record can never be rewound from here, or None."""
    refused = judge_place(change, "changes rewind") or judge_move(change, "rewound")
    if refused:
        return NothingDone((FileRefused("", refused),), root.recovered)
    return None


def undo_change(
    change: Change, root: LockedWorkspace, *, left_by: str, notes: tuple[str, ...] = ()
) -> Rewound | NothingDone:
    """Rewind a change that was judged; `left_by` names it in a refusal."""
    workspace = root.workspace
    later = workspace.log.list(state="applied", after=change.seq, touching=change.paths)
    batch = plan_rewind(change, workspace.files, later, left_by=left_by)
    if not isinstance(batch, Batch):
        return NothingDone(batch, root.recovered)

    undone = tuple(undone_swap(swap) for swap in change.plan.swaps)
    if not batch.swaps:
        # Every file has its old bytes already.
        published = record_batch(workspace, batch, [change])
        return Rewound(change.id, undone, root.recovered, None, published.seq, notes)

    carried, published = root.carry_out(batch, change)
    if not isinstance(carried, Done):
        return nothing_done(carried, root.recovered)

    unrecorded = carried.unrecorded
    return Rewound(change.id, undone, root.recovered, unrecorded, published.seq, notes)


def undone_swap(swap: Swap) -> FileUndone:
    """Return what an undo does to the file of a swap."""
    if swap.before is None:
        return FileUndone(swap.path, "removed")
    if swap.after is None:
        return FileUndone(swap.path, "brought back")
    return FileUndone(swap.path, "restored")
