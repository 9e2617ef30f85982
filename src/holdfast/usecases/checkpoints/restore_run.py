"""Carry a restore or an undo out: the undo checkpoint, the journal, the files, the conversation.

The order is what makes a kill at any instant harmless. Until the journal is written no file has
changed, and there is an undo checkpoint. From then on the journal names both, and the next command
finishes the restore, or goes back if it cannot. That command captures the files on the disk first:
they may have been edited in between.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.checkpoints.checkpoint import (
    Checkpoint,
    CheckpointDraft,
    CheckpointKind,
    WorktreeState,
)
from holdfast.checkpoints.ports import (
    Blocked,
    CheckpointFailed,
    PreparedRestore,
    RestoreFailed,
    UnfinishedRestore,
    Worktree,
)
from holdfast.usecases.checkpoints.find_checkpoint import refused
from holdfast.usecases.checkpoints.repeated_restore import restore_done_before
from holdfast.usecases.checkpoints.restore_outcome import described, with_index
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed, last_event
from holdfast.usecases.checkpoints.restore_recovery import (
    drop_outdated_batches,
    follow_files,
    restored_from,
)
from holdfast.usecases.events.checkpoint_events import checkpoints_removed, turns_cancelled

if TYPE_CHECKING:
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.checkpoints.restore_task import RestoreTask
    from holdfast.usecases.sessions.stop_turns import TurnsStopped
    from holdfast.usecases.settle_outcome import Restored, Settled
    from holdfast.usecases.workspace import NothingDone


def run_restore(
    task: RestoreTask,
    worktree: Worktree,
    worktrees: Worktrees,
    recovered: Settled,
    stopped: TurnsStopped,
) -> Restored | NothingDone:
    """Carry the task out while no turn is running, or return why nothing was done."""
    evicted, notes = _evict(task, worktrees)
    backend_reset = evicted or stopped.any
    present = worktree.capture()
    plan = _plan_files(task, present, worktree)
    if isinstance(plan, Blocked):
        return refused(f"{plan.message}; move it away, and try again.")

    done = restore_done_before(task, plan, worktree, worktrees, recovered)
    if done is not None:
        backend_reset = backend_reset or done.backend_reset
        notes = stopped.notes + done.notes
        return replace(done, backend_reset=backend_reset, notes=notes, recovered=recovered)

    if plan is not None:
        present = plan.present

    undo_checkpoint = _take_undo_checkpoint(task, present, worktree, worktrees)
    entry = _journal_entry(task, plan, undo_checkpoint)
    worktree.begin(entry)
    if plan is not None:
        applied = worktree.apply_restore(plan)
        if isinstance(applied, RestoreFailed):
            return _abandon(applied, entry, undo_checkpoint, worktree)
        entry = replace(entry, phase="talk", tree=plan.tree)
        worktree.begin(entry)
        recovered = recovered.joined_with(drop_outdated_batches(worktrees))

    try:
        followed = follow_files(
            entry, task.target, undo_checkpoint, worktree, worktrees, backend_reset
        )
    except CheckpointFailed as error:
        return replace(refused(f"the rest could not be done: {error}"), unsettled=True)

    worktree.finish(entry)
    restored = restored_from(entry, followed.exchanged, backend_reset=backend_reset)
    if not notes:
        problem = followed.problem
        if problem is None:
            seq, problem = _forget_pruned(worktree, worktrees)
            restored = replace(restored, seq=seq or restored.seq)
        notes = tuple(filter(None, (problem,)))

    notes = stopped.notes + task.notes + notes + worktree.notes()
    restored = replace(restored, notes=notes, recovered=recovered)
    if plan is None:
        return restored

    return with_index(described(restored, task, plan, worktree), task, plan, worktree)


def _plan_files(
    task: RestoreTask, present: WorktreeState, worktree: Worktree
) -> PreparedRestore | Blocked | None:
    """Prepare the restore of the files; return None for a conversation alone."""
    if not task.files:
        return None

    lock = worktree.index_lock()
    if task.index and lock is not None:
        what = "a git command is at work, or was killed, so what was staged cannot be restored"
        return Blocked(lock, f"{lock}: {what}")

    exact = task.target.is_undo_checkpoint
    return worktree.prepare_restore(present, task.target.present, exact=exact, keep=task.keep)


def _evict(task: RestoreTask, worktrees: Worktrees) -> tuple[bool, tuple[str, ...]]:
    """Reset the agent; return whether it was reset, and notes.

    If that cannot be recorded, files alone are restored all the same.
    """
    session = task.target.draft.session
    if session is None:
        return False, ()

    try:
        backend = worktrees.conversations.backend
        return backend.evict(session, turns_cancelled(session)), ()
    except ConversationFailed as error:
        if task.conversation:
            raise
        return False, (f"the agent of session {session} could not be reset: {error}",)


def _forget_pruned(worktree: Worktree, worktrees: Worktrees) -> tuple[int | None, str | None]:
    """Remove the record of checkpoints that were too old.

    Return the number of the event if there is one, and why the record could not be removed.
    """
    gone = [each.id for each in worktree.pruned()]
    if not gone:
        return None, None

    try:
        return worktrees.conversations.transcript.forget(gone, (), checkpoints_removed), None
    except ConversationFailed as error:
        return None, f"the store does not know of this: {error}"


def _journal_entry(
    task: RestoreTask, plan: PreparedRestore | None, undo_checkpoint: Checkpoint
) -> UnfinishedRestore:
    """Return the journal entry of a restore; without a plan no file is restored."""
    entry = UnfinishedRestore(
        undo_id=undo_checkpoint.id,
        undo_commit=undo_checkpoint.commit,
        target_id=task.target.id,
        target_commit=task.target.commit,
        verb=task.verb,
        files=task.files,
        conversation=task.conversation,
        phase="talk",
        orphans=task.orphans,
    )
    if plan is None:
        return entry

    return replace(entry, phase="files", kept=tuple(plan.kept), lost=tuple(plan.lost))


def _take_undo_checkpoint(
    task: RestoreTask, present: WorktreeState, worktree: Worktree, worktrees: Worktrees
) -> Checkpoint:
    """Take the checkpoint that an undo of this task restores."""
    target = task.target.draft
    kind: CheckpointKind = "undone"
    if task.verb == "restore":
        kind = "undo"

    draft = CheckpointDraft(
        worktrees.new_id(),
        kind,
        worktrees.now(),
        f"before {task.verb} of {target.id}",
        session=target.session,
        chat=target.chat,
        target=target.id,
        files=task.files,
        index=task.index,
        logged=last_event(worktrees.conversations.transcript),
    )
    if task.conversation:
        draft = replace(draft, message=target.message, state_sequence=task.target.state_sequence)

    return worktree.record(draft, present)


def _abandon(
    failure: RestoreFailed,
    entry: UnfinishedRestore,
    undo_checkpoint: Checkpoint,
    worktree: Worktree,
) -> NothingDone:
    """Leave all files as they were; if git stopped halfway, go back first."""
    if failure.unsettled and not _went_back(undo_checkpoint, worktree):
        return replace(refused(failure.message), unsettled=True)
    worktree.finish(entry)
    worktree.remove([undo_checkpoint.id])
    return refused(failure.message)


def _went_back(undo_checkpoint: Checkpoint, worktree: Worktree) -> bool:
    """Restore the files of the undo checkpoint; return whether that succeeded."""
    try:
        plan = worktree.prepare_restore(worktree.capture(), undo_checkpoint.present, exact=True)
        if isinstance(plan, Blocked):
            return False
        applied = worktree.apply_restore(plan)
    except CheckpointFailed:
        # What stopped it halfway may well stop this restore too: a full disk.
        return False

    return not isinstance(applied, RestoreFailed)
