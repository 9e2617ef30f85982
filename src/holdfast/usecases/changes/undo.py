"""Undo: rewind the last applied change, or all that the last turn has applied."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.plan import FileRefused
from holdfast.changes.rewind import plan_rewind
from holdfast.changes.swapped_files import SwappedFiles, sum_of
from holdfast.changes.swaps import Batch
from holdfast.changes.transaction import Done
from holdfast.usecases.changes.rewind import FileUndone, judge_undo, undo_change, undone_swap
from holdfast.usecases.changes.undo_after_stop import TurnsOf, undo_after_stop
from holdfast.usecases.checkpoints.turn_leftovers import TurnLeftovers, find_leftovers
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.usecases.settle_worktree import record_batch
from holdfast.usecases.workspace import NothingDone, Workspace, nothing_done
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.changes.change import Change
    from holdfast.changes.change_log import LogUnavailable
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.locked_workspace import LockedWorkspace

__all__ = ["FileUndone", "Undone", "undo_last", "undo_turn"]


@dataclass(frozen=True, slots=True)
class Undone:
    """Nothing of the changes is in the files any more. `seq` is the number of the event.

    `changes` are as they were before, the newest first. `turn` is the turn that was undone; None
    for a single change. `notes` say which turns were stopped first. `left` is what is not as before
    the turn; None if that is not known.
    """

    files: tuple[FileUndone, ...]
    recovered: Settled = NOTHING_LEFT
    unrecorded: LogUnavailable | None = None
    seq: int | None = None
    changes: tuple[Change, ...] = ()
    turn: str | None = None
    notes: tuple[str, ...] = ()
    left: TurnLeftovers | None = None


def undo_last(workspace: Workspace, turns_of: TurnsOf | None = None) -> Undone | NothingDone:
    """Finish what a dead process left, then undo the last applied change.

    A turn of its session that runs is stopped first; without `turns_of` turns are left alone.
    """
    if not workspace.has_journal():
        return NothingDone((_nothing_to_undo("apply"),))

    def find(root: LockedWorkspace) -> Sequence[Change] | NothingDone:
        if root.refused:
            return root.refused
        last = root.reconcile().list(state="applied", limit=1)
        if not last:
            return NothingDone((_nothing_to_undo("apply"),), root.recovered)
        return judge_undo(last[0], root) or last

    def undo(
        last: Sequence[Change], root: LockedWorkspace, notes: tuple[str, ...]
    ) -> Undone | NothingDone:
        rewound = undo_change(last[0], root, left_by="the last apply")
        if isinstance(rewound, NothingDone):
            return rewound
        changes = tuple(last)
        return Undone(
            rewound.files, rewound.recovered, rewound.unrecorded, rewound.seq, changes, None, notes
        )

    return undo_after_stop(workspace, turns_of, find, undo)


def undo_turn(
    workspace: Workspace,
    turns_of: TurnsOf | None = None,
    worktrees: Worktrees | None = None,
    *,
    session: str | None = None,
) -> Undone | NothingDone:
    """Undo all changes of the last turn that has applied any, the newest first, or none of them.

    Only a turn of this session, if one is named. If a turn of that session runs, it is stopped
    first; without `turns_of` turns are left alone. `worktrees` is that of the same root; without
    it, what the undo leaves is not known.
    """
    undone = _undo_last_turn(workspace, turns_of, session)
    if isinstance(undone, NothingDone) or worktrees is None:
        return undone
    return replace(undone, left=find_leftovers(undone.changes, worktrees))


def _undo_last_turn(
    workspace: Workspace, turns_of: TurnsOf | None, session: str | None
) -> Undone | NothingDone:
    if not workspace.has_journal():
        return NothingDone((_nothing_to_undo("turn"),))

    def find(root: LockedWorkspace) -> Sequence[Change] | NothingDone:
        if root.refused:
            return root.refused
        log = root.reconcile()
        turn = log.last_turn(session)
        if turn is None:
            return NothingDone((_nothing_to_undo("turn"),), root.recovered)
        return log.list(state="applied", turn=turn)

    return undo_after_stop(workspace, turns_of, find, _undo_together)


def _undo_together(
    changes: Sequence[Change], root: LockedWorkspace, notes: tuple[str, ...]
) -> Undone | NothingDone:
    """Undo the changes of a turn, which are the newest first, in one batch."""
    turn = changes[0].turn
    files = SwappedFiles(root.workspace.files)
    together = {change.id for change in changes}
    batches: list[Batch] = []
    for change in changes:
        later = root.workspace.log.list(state="applied", after=change.seq, touching=change.paths)
        in_the_way = [each for each in later if each.id not in together]
        batch = plan_rewind(change, files, in_the_way, left_by=f"turn {turn}")
        if not isinstance(batch, Batch):
            return NothingDone(batch, root.recovered)
        files.swap(batch.swaps)
        batches.append(batch)

    batch = sum_of(batches, files.sum())
    undone: dict[str, FileUndone] = {}
    for change in changes:
        undone.update({swap.path: undone_swap(swap) for swap in change.plan.swaps})

    def done(seq: int | None, unrecorded: LogUnavailable | None) -> Undone:
        reports = tuple(undone.values())
        return Undone(reports, root.recovered, unrecorded, seq, tuple(changes), turn, notes)

    if not batch.swaps:
        published = record_batch(root.workspace, batch, changes)
        return done(published.seq, None)

    carried, published = root.carry_out(batch, *changes)
    if not isinstance(carried, Done):
        return nothing_done(carried, root.recovered)

    return done(published.seq, carried.unrecorded)


def _nothing_to_undo(what: str) -> FileRefused:
    message = "there is nothing to undo: no apply below this root is on record."
    if what == "turn":
        message = (
            "there is nothing to undo: no change of a turn below this root is on record. Ignored "
            "files and empty directories are in no change; the checkpoint before the turn may have "
            "them: holdfast checkpoint list."
        )
    return FileRefused("", Refused("not_found", message))
