"""Take checkpoints, look at them, and let old ones go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.checkpoints import retention
from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, CheckpointKind
from holdfast.checkpoints.ports import (
    CheckpointFailed,
    FileDifference,
    NoCheckpoints,
    UnfinishedRestore,
    Worktree,
)
from holdfast.usecases.checkpoints.ports import Worktrees, keep_books
from holdfast.usecases.checkpoints.restore import belonging, refused, refused_by
from holdfast.usecases.checkpoints.restore_recovery import NOTHING_LEFT, RestoresFinished, recover
from holdfast.usecases.workspace import NothingDone


@dataclass(frozen=True, slots=True)
class CheckpointOwner:
    """Whom a checkpoint belongs to: the message that it precedes."""

    session: str
    chat: str
    message: str


@dataclass(frozen=True, slots=True)
class Created:
    """A checkpoint was taken. `unrecorded` says why the store does not know of it; restore asks the store again."""

    checkpoint: Checkpoint
    recovered: RestoresFinished
    unrecorded: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """The checkpoints of a worktree, the latest first."""

    checkpoints: tuple[Checkpoint, ...]
    recovered: RestoresFinished = NOTHING_LEFT


@dataclass(frozen=True, slots=True)
class Compared:
    """What differs between two checkpoints, or (`after` is None) one and the files as they are."""

    before: Checkpoint
    after: Checkpoint | None
    files: tuple[FileDifference, ...]
    diff: str
    recovered: RestoresFinished


@dataclass(frozen=True, slots=True)
class Shown:
    """A checkpoint, and what differs between the commit that it was taken on and it."""

    checkpoint: Checkpoint
    files: tuple[FileDifference, ...]
    recovered: RestoresFinished


@dataclass(frozen=True, slots=True)
class CheckpointsPruned:
    """Old checkpoints are gone, and so is the trash that was kept under the undo points in `emptied`."""

    removed: tuple[str, ...]
    emptied: tuple[str, ...]
    left: int
    recovered: RestoresFinished = NOTHING_LEFT


def create_checkpoint(
    worktrees: Worktrees,
    label: str = "",
    *,
    kind: CheckpointKind = "manual",
    owner: CheckpointOwner | None = None,
) -> Created | NothingDone:
    """Take a checkpoint of the files as they are. A caller in a turn shows a refusal, and the turn goes on.

    That caller has called `finish_restores` before it wrote the prompt down.
    """
    try:
        with worktrees.hold(make=True) as worktree:
            if owner and any(
                _is_of(owner.session, left, worktree) for left in worktree.unfinished()
            ):
                # To finish it here would take the messages of this very turn away.
                cure = "let `holdfast checkpoint list` finish it between two turns"
                return refused(f"a restore in session {owner.session} was stopped halfway; {cure}.")
            recovered = recover(worktree, worktrees)
            draft = CheckpointDraft(
                worktrees.new_id(),
                kind,
                worktrees.now(),
                label,
                session=owner.session if owner else None,
                chat=owner.chat if owner else None,
                message=owner.message if owner else None,
            )
            taken = worktree.record(draft, worktree.capture())
            return Created(
                taken, recovered, keep_books(worktrees, taken=(taken,), gone=worktree.pruned())
            )
    except CheckpointFailed as error:
        return refused_by(error)


def finish_restores(worktrees: Worktrees) -> RestoresFinished | NothingDone:
    """Finish what restores of dead processes have left. A turn begins with it, before its prompt is written down."""
    try:
        with worktrees.hold(make=False) as worktree:
            return recover(worktree, worktrees)
    except NoCheckpoints:
        return NOTHING_LEFT
    except CheckpointFailed as error:
        return refused_by(error)


def list_checkpoints(worktrees: Worktrees) -> Listed | NothingDone:
    """Give the checkpoints of the worktree."""
    try:
        with worktrees.hold(make=False) as worktree:
            recovered = recover(worktree, worktrees)
            return Listed(worktree.checkpoints(), recovered)
    except NoCheckpoints:
        return Listed(())
    except CheckpointFailed as error:
        return refused_by(error)


def show_checkpoint(wanted: str, worktrees: Worktrees) -> Shown | NothingDone:
    """Give one checkpoint, and what it holds that its commit does not."""
    try:
        with worktrees.hold(make=False) as worktree:
            recovered = recover(worktree, worktrees)
            found = belonging(wanted, worktree.checkpoints())
            if isinstance(found, NothingDone):
                return found
            base = found.present.head or worktree.empty_tree()
            return Shown(found, worktree.compare(base, found.present.tree), recovered)
    except CheckpointFailed as error:
        return refused_by(error)


def compare_checkpoints(
    wanted: str, other: str | None, worktrees: Worktrees
) -> Compared | NothingDone:
    """Give the difference from one checkpoint to another, or to the files as they are."""
    try:
        with worktrees.hold(make=False) as worktree:
            recovered = recover(worktree, worktrees)
            before = belonging(wanted, worktree.checkpoints())
            if isinstance(before, NothingDone):
                return before
            after = belonging(other, worktree.checkpoints()) if other else None
            if isinstance(after, NothingDone):
                return after
            trees = before.present.tree, (after.present if after else worktree.capture()).tree
            return Compared(
                before, after, worktree.compare(*trees), worktree.diff(*trees), recovered
            )
    except CheckpointFailed as error:
        return refused_by(error)


def prune_checkpoints(worktrees: Worktrees, keep: int) -> CheckpointsPruned | NothingDone:
    """Remove all but the latest checkpoints, and empty the trash; then an undo brings back no messages."""
    try:
        with worktrees.hold(make=False) as worktree:
            recovered = recover(worktree, worktrees)
            there = worktree.checkpoints()
            removed = retention.outdated(there, keep)
            _forget_talk(there, removed, worktrees)
            worktree.remove(removed)
            emptied = worktree.empty_trash()
            worktree.reclaim_space()
            return CheckpointsPruned(removed, emptied, len(there) - len(removed), recovered)
    except NoCheckpoints:
        return CheckpointsPruned((), (), 0)
    except CheckpointFailed as error:
        return refused_by(error)


def _is_of(session: str, left: UnfinishedRestore, worktree: Worktree) -> bool:
    target = worktree.at(left.target_commit)
    return target is not None and target.draft.session == session


def _forget_talk(there: Sequence[Checkpoint], removed: Sequence[str], worktrees: Worktrees) -> None:
    """Have the store forget first: refs that a kill leaves are found by the next prune, rows without refs by nobody."""
    ours = [each for each in there if each.draft.session]
    if ours:
        gone = [each.id for each in ours if each.id in removed]
        worktrees.conversations.transcript.forget(
            gone, [each.id for each in ours if each.is_undo_checkpoint]
        )
