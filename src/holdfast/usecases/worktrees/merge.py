"""Merge the work of a session's worktree: as changes of the project, or as a branch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.change import ChangeOwner
from holdfast.changes.change_log import LogUnavailable
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.changes.propose import propose_difference
from holdfast.usecases.checkpoints.file_history import hunks_between
from holdfast.usecases.workspace import NothingDone
from holdfast.usecases.worktrees.make import worktree_event
from holdfast.usecases.worktrees.session_worktree import (
    SessionWorktree,
    WorktreeRefused,
    WorktreesUnavailable,
    find_worktree,
)
from holdfast.usecases.worktrees.turn_at_work import refuse_while_running
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.changes.change import Change
    from holdfast.usecases.workspace import Workspace
    from holdfast.usecases.worktrees.ports import WorktreeDependencies


@dataclass(frozen=True, slots=True)
class WorktreeMerged:
    """The work is proposed as `change`, or is on the branch as `commit`; both None: there is none.

    `partly`: some hunks were left out.
    """

    worktree: SessionWorktree
    change: Change | None = None
    commit: str | None = None
    partly: bool = False
    seq: int | None = None


def merge_as_changes(
    wanted: str, hunks: Collection[int], project: Workspace, needs: WorktreeDependencies
) -> WorktreeMerged | WorktreeRefused:
    """Propose the difference of a worktree from its base as a change of the project.

    Commits of the agent are a part of the difference. No file of the project is written.
    """
    worktree = _find(wanted, needs)
    if isinstance(worktree, WorktreeRefused):
        return worktree

    try:
        with needs.repository.look(worktree.session) as files:
            difference = files.difference(worktree.base)
            tree = files.tree
        refusals = [_as_branch(path, worktree, "a submodule") for path in difference.submodules]
        refusals += [_as_branch(path, worktree, "larger than 50 MB") for path in difference.large]
        if refusals:
            return WorktreeRefused(tuple(refusals))
        owner = ChangeOwner(worktree.session)
        before, after = difference.before, difference.after
        proposed = propose_difference(before, after, project, hunks=hunks, owner=owner)
        if isinstance(proposed, NothingDone):
            return WorktreeRefused(tuple(each.refused.message for each in proposed.refusals))
        partly = bool(hunks) and len(set(hunks)) < len(hunks_between(before, after))
        merged = worktree if partly else replace(worktree, merged=tree)
        change = proposed.change if proposed else None
        event = worktree_event("merged", merged, change=change.id if change else None)
        seq = needs.records.update(merged, [event] if change else [])
        return WorktreeMerged(merged, change, None, partly, seq)
    except (CheckpointFailed, WorktreesUnavailable, LogUnavailable) as error:
        return WorktreeRefused.because(str(error))


def merge_as_branch(wanted: str, needs: WorktreeDependencies) -> WorktreeMerged | WorktreeRefused:
    """Commit what is uncommitted in a worktree, and leave the commits on its branch."""
    worktree = _find(wanted, needs)
    if isinstance(worktree, WorktreeRefused):
        return worktree

    try:
        with needs.repository.look(worktree.session) as files:
            tree = files.tree
            if tree == files.tree_of(worktree.base) and files.head == worktree.base:
                return WorktreeMerged(worktree)
        message = worktree.title.partition("\n")[0] or f"Work of session {worktree.session}"
        commit = needs.repository.commit_files(worktree, message)
        merged = replace(worktree, merged=tree)
        seq = needs.records.update(merged, [worktree_event("merged", merged)])
        return WorktreeMerged(merged, None, commit, seq=seq)
    except (CheckpointFailed, WorktreesUnavailable) as error:
        return WorktreeRefused.because(str(error))


def _find(wanted: str, needs: WorktreeDependencies) -> SessionWorktree | WorktreeRefused:
    """Return the worktree, unless a turn works in it."""
    try:
        worktree = find_worktree(wanted, needs.records)
        if isinstance(worktree, WorktreeRefused):
            return worktree
        return refuse_while_running(worktree, needs) or worktree
    except WorktreesUnavailable as error:
        return WorktreeRefused.because(str(error))


def _as_branch(path: str, worktree: SessionWorktree, what: str) -> str:
    return (
        f"{path}: {what}, which no change of files can have; "
        f"use holdfast worktree merge {worktree.session} --as branch"
    )
