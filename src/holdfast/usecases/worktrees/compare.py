"""The difference of a session's worktree from its base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.checkpoints.file_history import hunks_between
from holdfast.usecases.worktrees.session_worktree import (
    SessionWorktree,
    WorktreeRefused,
    WorktreesUnavailable,
    find_worktree,
)
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.changes.hunks import ChangeHunk
    from holdfast.checkpoints.ports import FileDifference
    from holdfast.usecases.worktrees.ports import WorktreeDependencies


@dataclass(frozen=True, slots=True)
class WorktreeCompared:
    """What a worktree has that its base has not; `hunks` are numbered as `merge` counts them."""

    worktree: SessionWorktree
    files: tuple[FileDifference, ...]
    patch: str
    hunks: tuple[ChangeHunk, ...]


def compare_worktree(
    wanted: str, needs: WorktreeDependencies
) -> WorktreeCompared | WorktreeRefused:
    """Return the difference of a session's worktree from its base. Nothing is written."""
    try:
        worktree = find_worktree(wanted, needs.records)
        if isinstance(worktree, WorktreeRefused):
            return worktree
        with needs.repository.look(worktree.session) as files:
            base = worktree.base
            difference = files.difference(base)
            hunks = hunks_between(difference.before, difference.after)
            return WorktreeCompared(worktree, files.compare(base), files.patch(base), hunks)
    except (CheckpointFailed, WorktreesUnavailable) as error:
        return WorktreeRefused.because(str(error))
