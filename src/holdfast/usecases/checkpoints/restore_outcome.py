"""The report of a restore: paths kept and lost, later commits, the state of the index."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.checkpoints.ports import PreparedRestore, Worktree
    from holdfast.usecases.checkpoints.restore_task import RestoreTask
    from holdfast.usecases.settle_outcome import Restored


def described(
    restored: Restored, task: RestoreTask, plan: PreparedRestore, worktree: Worktree
) -> Restored:
    """Add what a restore of files kept and lost, and the commits made since."""
    commits = worktree.commits_since(task.target.present.head)
    return replace(restored, commits=commits, kept_why=plan.kept, lost_why=plan.lost)


def with_index(
    restored: Restored, task: RestoreTask, plan: PreparedRestore, worktree: Worktree
) -> Restored:
    """Restore the user's index if that is asked for, or report whether it differs."""
    differs = worktree.differs_from_index(plan.present, plan.target)
    if not task.index:
        return replace(restored, index_differs=differs)

    problem = worktree.restore_index(plan.present, plan.target)
    if problem is None:
        return replace(restored, index_reset=True)

    note = f"what was staged could not be restored: {problem}."
    return replace(restored, index_differs=differs, notes=(*restored.notes, note))
