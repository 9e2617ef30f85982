"""Make the worktree of a session anew, from its last checkpoint."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.checkpoints.ports import CheckpointFailed, NoCheckpoints
from holdfast.usecases.checkpoints.restore import restore
from holdfast.usecases.workspace import NothingDone
from holdfast.usecases.worktrees.make import WorktreeMade, worktree_event
from holdfast.usecases.worktrees.session_worktree import WorktreeRefused, WorktreesUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.usecases.worktrees.ports import SetupCommand, WorktreeDependencies
    from holdfast.usecases.worktrees.session_worktree import SessionWorktree


def make_worktree_anew(
    worktree: SessionWorktree,
    needs: WorktreeDependencies,
    patterns: Sequence[str] = (),
    *,
    checkpoint: str | None = None,
    setup: SetupCommand | None = None,
) -> WorktreeMade | WorktreeRefused:
    """Make a worktree that is gone again, and restore its last checkpoint, or this one.

    It is the same worktree on record: it has its checkpoints and its changes.
    """
    try:
        made: WorktreeMade | WorktreeRefused = WorktreeMade(worktree)
        if not worktree.restoring:
            made = _make_again(worktree, needs, patterns, checkpoint)
        if isinstance(made, WorktreeRefused):
            return made
        made = _restore(made, needs)
    except (CheckpointFailed, WorktreesUnavailable) as error:
        return WorktreeRefused.because(str(error))
    except OSError as error:
        return WorktreeRefused.because(f"{error.filename}: {error.strerror}; try again.")

    if setup is not None:
        made = replace(made, setup=setup.run(made.worktree))

    return made


def _make_again(
    worktree: SessionWorktree,
    needs: WorktreeDependencies,
    patterns: Sequence[str],
    checkpoint: str | None,
) -> WorktreeMade | WorktreeRefused:
    """Make the folder, give it the checkpoints, and record which of them is to be restored."""
    repository, session = needs.repository, worktree.session
    unfit = repository.why_unfit()
    if unfit is not None:
        return WorktreeRefused.because(unfit)

    in_the_way = repository.why_kept(session, strictly=False, branch=False)
    if in_the_way is not None:
        return WorktreeRefused.because(
            f"{worktree.path}: another folder is at this path, and {in_the_way}; move it away."
        )

    needs.makers.take(session)
    try:
        repository.make_again(worktree)
        needs.adopt(worktree.folder, worktree.path)
        wanted = checkpoint or _last_checkpoint(worktree, needs)
        if wanted is None and worktree.with_changes:
            repository.write_base(worktree)
        copied = repository.copy_ignored(session, patterns)
        notes = (*copied.left, *repository.notes(session))
        again = replace(worktree, removed=False, is_there=True, restoring=wanted or "")
        event = worktree_event("made_anew", again, checkpoint=wanted)
        seq = needs.records.add(again, [event], agent="")
    finally:
        needs.makers.drop(session)

    return WorktreeMade(again, copied.paths, notes, None, seq)


def _restore(made: WorktreeMade, needs: WorktreeDependencies) -> WorktreeMade:
    """Restore the checkpoint that a worktree is to have, and record that this is done."""
    worktree = made.worktree
    wanted = worktree.restoring
    done = replace(worktree, restoring="", is_there=True)
    if not wanted:
        return replace(made, worktree=done)

    restored = restore(wanted, needs.checkpoints_at(worktree.path), scope="files")
    needs.records.update(done, [])
    if isinstance(restored, NothingDone):
        why = "; ".join(each.refused.message for each in restored.refusals)
        note = f"checkpoint {wanted} was not restored: {why}"
        return replace(made, worktree=done, notes=(*made.notes, note))

    return replace(made, worktree=done, checkpoint_id=wanted)


def _last_checkpoint(worktree: SessionWorktree, needs: WorktreeDependencies) -> str | None:
    """Return the id of the latest checkpoint of a worktree, None if it has none."""
    try:
        with needs.checkpoints_at(worktree.path).look() as looked:
            taken = looked.checkpoints()
    except NoCheckpoints:
        return None
    return taken[0].id if taken else None
