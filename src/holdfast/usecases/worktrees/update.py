"""Merge the new commits of the base into the branch of a session's worktree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.checkpoints.checkpoint import create_checkpoint
from holdfast.usecases.workspace import NothingDone
from holdfast.usecases.worktrees.make import worktree_event
from holdfast.usecases.worktrees.ports import MergeConflict
from holdfast.usecases.worktrees.session_worktree import (
    SessionWorktree,
    WorktreeRefused,
    WorktreesUnavailable,
    find_worktree,
)
from holdfast.usecases.worktrees.turn_at_work import refuse_while_running
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.usecases.worktrees.ports import WorktreeDependencies


@dataclass(frozen=True, slots=True)
class WorktreeUpdated:
    """The branch has the commits of its base. `commit` is its last one; None: it had them before.

    `checkpoint_id` is the checkpoint of the files before.
    """

    worktree: SessionWorktree
    commit: str | None = None
    checkpoint_id: str | None = None
    seq: int | None = None


def update_worktree(wanted: str, needs: WorktreeDependencies) -> WorktreeUpdated | WorktreeRefused:
    """Merge the new commits of what a worktree was made from; a conflict changes nothing."""
    try:
        worktree = find_worktree(wanted, needs.records)
        if isinstance(worktree, WorktreeRefused):
            return worktree
        return _update(worktree, needs)
    except (CheckpointFailed, WorktreesUnavailable) as error:
        return WorktreeRefused.because(str(error))


def _update(
    worktree: SessionWorktree, needs: WorktreeDependencies
) -> WorktreeUpdated | WorktreeRefused:
    repository = needs.repository
    theirs = _find_theirs(worktree, needs)
    if isinstance(theirs, WorktreeRefused):
        return theirs

    merged = repository.merge(worktree, theirs) if theirs else None
    if merged is None:
        return WorktreeUpdated(worktree)
    if isinstance(merged, MergeConflict):
        branch = worktree.follows.removeprefix("refs/heads/")
        where = f"changed in the worktree and in {branch}"
        return WorktreeRefused.because(
            f"{', '.join(merged.paths)}: {where}; nothing was changed. Merge this by hand: "
            f"`git merge {merged.theirs[:12]}` in {worktree.path}."
        )

    taken = create_checkpoint(
        needs.checkpoints_at(worktree.path), "before an update of the worktree"
    )
    if isinstance(taken, NothingDone):
        return WorktreeRefused(tuple(each.refused.message for each in taken.refusals))

    base = repository.write_merge(worktree, merged)
    changed = replace(worktree, base=base)
    before = taken.checkpoint.id
    seq = needs.records.update(changed, [worktree_event("updated", changed, checkpoint=before)])
    return WorktreeUpdated(changed, merged.commit, before, seq)


def _find_theirs(
    worktree: SessionWorktree, needs: WorktreeDependencies
) -> str | WorktreeRefused | None:
    """Return the commit to merge; None for a worktree that was made from a bare commit."""
    refused = refuse_while_running(worktree, needs)
    if refused is not None:
        return refused

    elsewhere = needs.repository.why_elsewhere(worktree)
    if elsewhere is not None:
        return WorktreeRefused.because(elsewhere)
    if not worktree.follows:
        return None

    theirs = needs.repository.find_commit(worktree.follows)
    if theirs is None:
        return WorktreeRefused.because(
            f"{worktree.follows}: the worktree was made from this, and it is gone; run `git merge` "
            f"in {worktree.path}."
        )

    return theirs.commit
