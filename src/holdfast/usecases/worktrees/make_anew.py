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
    repository, session = needs.repository, worktree.session
    try:
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
            again = replace(worktree, removed=False, is_there=True)
            event = worktree_event("made_anew", again, checkpoint=wanted)
            seq = needs.records.add(again, [event], agent="")
        finally:
            needs.makers.drop(session)
        made = WorktreeMade(again, copied.paths, notes, None, seq, wanted)
        if wanted is not None:
            restored = restore(wanted, needs.checkpoints_at(worktree.path), scope="files")
            if isinstance(restored, NothingDone):
                why = "; ".join(each.refused.message for each in restored.refusals)
                note = f"checkpoint {wanted} was not restored: {why}"
                made = replace(made, notes=(*notes, note), checkpoint_id=None)
    except (CheckpointFailed, WorktreesUnavailable) as error:
        return WorktreeRefused.because(str(error))
    except OSError as error:
        return WorktreeRefused.because(f"{error.filename}: {error.strerror}; try again.")
    if setup is not None:
        made = replace(made, setup=setup.run(again))
    return made


def _last_checkpoint(worktree: SessionWorktree, needs: WorktreeDependencies) -> str | None:
    """Return the id of the latest checkpoint of a worktree, None if it has none."""
    try:
        with needs.checkpoints_at(worktree.path).look() as looked:
            taken = looked.checkpoints()
    except NoCheckpoints:
        return None
    return taken[0].id if taken else None
