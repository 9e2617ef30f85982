"""A restore that is asked for again, though it was done and nothing has changed since."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.checkpoints.checkpoint import Checkpoint, last_undo_checkpoint
from holdfast.usecases.checkpoints.restore_outcome import described, with_index
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed
from holdfast.usecases.checkpoints.restore_task import RestoreTask, scope_of
from holdfast.usecases.settle_outcome import Restored

if TYPE_CHECKING:
    from holdfast.checkpoints.ports import PreparedRestore, Worktree
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.settle_outcome import Settled


def restore_done_before(
    task: RestoreTask,
    plan: PreparedRestore | None,
    worktree: Worktree,
    worktrees: Worktrees,
    recovered: Settled,
) -> Restored | None:
    """Return the outcome of the same restore, if it was done and nothing has changed since.

    Then its undo checkpoint stays. A restore that died just before it could print its outcome is
    run again; its undo must lead to where it began, not here.
    """
    if not _may_be_done(task, plan, worktree):
        return None

    for done in recovered.finished:
        if _is_same(done, task, plan):
            return done

    undo_checkpoint = last_undo_checkpoint(worktree.checkpoints())
    if undo_checkpoint is None or not _is_undo_of(undo_checkpoint, task):
        return None

    moved_on = plan is not None and _has_moved_on(plan, undo_checkpoint, worktree)
    if moved_on or _changes_differ(task, worktrees):
        return None

    again = Restored(
        "restore",
        task.target.id,
        undo_checkpoint.id,
        messages_deleted=0,
        messages_brought_back=0,
        worktree_reset=task.files,
        backend_reset=False,
    )
    if plan is None:
        return again

    again = replace(again, kept=tuple(plan.kept), lost=tuple(plan.lost), tree=plan.tree)
    return with_index(described(again, task, plan, worktree), task, plan, worktree)


def _may_be_done(task: RestoreTask, plan: PreparedRestore | None, worktree: Worktree) -> bool:
    """Return whether a restore has nothing to do: no message follows, no file differs."""
    if task.verb != "restore" or task.following:
        return False
    if plan is None:
        return True
    if task.index and worktree.differs_from_index(plan.present, plan.target):
        return False

    return plan.present.tree == plan.tree


def _is_same(done: Restored, task: RestoreTask, plan: PreparedRestore | None) -> bool:
    """Return whether a restore just finished for a dead process is the requested one."""
    if done.verb != "restore":
        return False
    if done.checkpoint_id != task.target.id:
        return False
    if done.worktree_reset != task.files:
        return False
    if plan is None:
        return True

    return done.tree == plan.tree


def _is_undo_of(undo_checkpoint: Checkpoint, task: RestoreTask) -> bool:
    """Return whether the undo checkpoint was taken by a restore of the same target and scope."""
    draft = undo_checkpoint.draft
    if draft.target != task.target.id:
        return False
    if draft.files != task.files:
        return False
    if set(task.orphans) - {undo_checkpoint.id}:
        return False

    had_conversation = draft.message is not None
    return had_conversation == task.conversation


def _has_moved_on(plan: PreparedRestore, undo_checkpoint: Checkpoint, worktree: Worktree) -> bool:
    """Return whether something has changed since the restore that took the undo checkpoint.

    Permissions are not in the tree. Files that the target did not know stay; they must be the same
    as after that restore.
    """
    if plan.changes_attributes:
        return True
    if plan.tree == plan.target.tree:
        return False

    present = plan.present.tree
    stays = {each.path for each in worktree.compare(plan.target.tree, present)}
    changed = {each.path for each in worktree.compare(undo_checkpoint.present.tree, present)}
    return not stays.isdisjoint(changed)


def _changes_differ(task: RestoreTask, worktrees: Worktrees) -> bool:
    """Return whether a change is not as it was at the target, though no file differs."""
    try:
        scope = scope_of(files=task.files, conversation=task.conversation)
        return worktrees.conversations.transcript.changes_differ(task.target, scope)
    except ConversationFailed:
        # Then nothing can be exchanged.
        return False
