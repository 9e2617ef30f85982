"""Remove the worktree of a session, and what dead processes and deleted sessions have left."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.checkpoints.checkpoint import create_checkpoint
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
    from holdfast.usecases.worktrees.ports import WorktreeDependencies


@dataclass(frozen=True, slots=True)
class WorktreeRemoved:
    """The worktree is gone. `branch` is its branch if that stays, because of its own commits.

    `checkpoint_id` is the last checkpoint; None if somebody had deleted the folder.
    """

    worktree: SessionWorktree
    checkpoint_id: str | None = None
    branch: str | None = None
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class WorktreesPruned:
    """Folders that no session leads to are removed; `kept` has the reason of each that stays."""

    removed: tuple[str, ...]
    kept: tuple[tuple[str, str], ...]


def remove_worktree(
    wanted: str, needs: WorktreeDependencies, *, force: bool
) -> WorktreeRemoved | WorktreeRefused:
    """Remove the worktree of a session.

    It is refused while a turn runs, and unless `force` if it has work that is not merged. A last
    checkpoint is taken first: a worktree that is made anew has all that the last turn did.
    """
    try:
        worktree = find_worktree(wanted, needs.records, gone=True)
        if isinstance(worktree, WorktreeRefused):
            return worktree
        checkpoint = None
        if worktree.is_there:
            refused = refuse_while_running(worktree, needs)
            refused = refused or (None if force else _refuse_loss(worktree, needs))
            if refused is not None:
                return refused
            taken = create_checkpoint(
                needs.checkpoints_at(worktree.path), "before the worktree was removed"
            )
            if isinstance(taken, NothingDone):
                problems = [each.refused.message for each in taken.refusals]
                return WorktreeRefused(tuple(problems))
            checkpoint = taken.checkpoint.id
        elif worktree.removed:
            return WorktreeRefused.because(
                f"session {worktree.session}: its worktree was removed before."
            )
        branch = needs.repository.remove(worktree)
        gone = replace(worktree, removed=True, is_there=False)
        event = worktree_event("removed", gone, checkpoint=checkpoint)
        return WorktreeRemoved(gone, checkpoint, branch, needs.records.update(gone, [event]))
    except (CheckpointFailed, WorktreesUnavailable) as error:
        return WorktreeRefused.because(str(error))


def prune_worktrees(needs: WorktreeDependencies) -> WorktreesPruned | WorktreeRefused:
    """Remove the worktrees of the state directory that belong to no session on record.

    A process that died while it made one has left it, or its session was deleted. One with work in
    it stays. The refs of sessions that are not on record go too, if no work is lost with them.
    """
    removed: list[str] = []
    kept: list[tuple[str, str]] = []
    try:
        known = {each.session for each in needs.records.list()}
        recorded = needs.records.paths()
        for session in needs.repository.sessions():
            if session in known:
                continue
            path = needs.repository.path_of(session)
            if needs.makers.is_locked(session):
                kept.append((path, "it is being made"))
                continue
            why = needs.repository.why_kept(session, strictly=path in recorded)
            if why is None:
                needs.repository.discard(session)
                removed.append(path)
            else:
                kept.append((path, why))
    except (CheckpointFailed, WorktreesUnavailable) as error:
        return WorktreeRefused.because(str(error))

    return WorktreesPruned(tuple(removed), tuple(kept))


def _refuse_loss(worktree: SessionWorktree, needs: WorktreeDependencies) -> WorktreeRefused | None:
    """Return the refusal to remove work that is not merged, or None."""
    lost = needs.repository.lost_commits(worktree)
    merge = f"holdfast worktree merge {worktree.session}"
    force = f"holdfast worktree remove {worktree.session} --force"
    cure = f"merge it with `{merge}`, or remove it with a last checkpoint: {force}"
    if lost is not None:
        return WorktreeRefused.because(f"no branch has the commit {lost[:12]}; {cure}")

    with needs.repository.look(worktree.session) as files:
        if files.tree in {worktree.merged, files.tree_of(worktree.base)}:
            return None
        count = len(files.compare(worktree.base))

    files_word = "file differs" if count == 1 else "files differ"
    return WorktreeRefused.because(
        f"session {worktree.session} has work that is not merged ({count} {files_word}); {cure}"
    )
