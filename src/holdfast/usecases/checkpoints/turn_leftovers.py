"""What an undo of a turn's changes leaves: no change records ignored files and directories."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from holdfast.checkpoints.ports import Blocked, CheckpointFailed, PreparedRestore, Worktree
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.changes.change import Change
    from holdfast.checkpoints.checkpoint import Checkpoint, WorktreeState
    from holdfast.usecases.checkpoints.ports import Worktrees

_IGNORED = "git ignores it, so no change of it is on record"


@dataclass(frozen=True, slots=True)
class TurnLeftovers:
    """The paths that are not as in the checkpoint before a turn, with the reasons."""

    checkpoint_id: str
    paths: tuple[tuple[str, str], ...]


def find_leftovers(changes: Sequence[Change], worktrees: Worktrees) -> TurnLeftovers | None:
    """Return what is not as before a turn, and is nothing that a change could have undone.

    `changes` are those of the turn, the newest first. None without a checkpoint before the turn.
    """
    try:
        with worktrees.hold(make=False) as worktree:
            checkpoint = _checkpoint_before(changes[-1], worktree.checkpoints())
            if checkpoint is None:
                return None
            paths = _differing(checkpoint.present, worktree)
            prefix = worktrees.prefix
    except CheckpointFailed:
        # The undo is done; only what is beside it is not known.
        return None

    here = {path: why for path, why in paths.items() if path.startswith(prefix)}
    listed = [(path.removeprefix(prefix), here[path]) for path in sorted(here)]
    return TurnLeftovers(checkpoint.id, tuple(listed))


def _checkpoint_before(change: Change, checkpoints: Sequence[Checkpoint]) -> Checkpoint | None:
    """Return the last checkpoint of the session's turns that is not younger than a change."""
    made = datetime.fromisoformat(change.created_at)
    before = []
    for each in checkpoints:
        is_turn = each.draft.kind == "turn" and each.draft.session == change.session
        if is_turn and datetime.fromisoformat(each.draft.created_at) <= made:
            before.append(each)

    return max(before, key=lambda each: each.seq, default=None)


def _differing(then: WorktreeState, worktree: Worktree) -> dict[str, str]:
    now = worktree.capture()
    plan = worktree.prepare_restore(now, then, exact=False)
    if isinstance(plan, Blocked):
        return {plan.path: plan.message}

    on_record = {each.path for each in worktree.versions(then, now, 0)}
    paths = {path: _IGNORED for path in plan.writes if path not in on_record}
    paths.update(plan.kept)
    paths.update(plan.lost)
    paths.update(_directories(then, now, plan))
    return paths


def _directories(then: WorktreeState, now: WorktreeState, plan: PreparedRestore) -> dict[str, str]:
    """Return the empty directories that came and went, and directories with other permissions."""
    paths: dict[str, str] = {}
    with_files = [*plan.writes, *plan.kept]
    for path in set(then.empty) - set(now.empty):
        if not any(each.startswith(f"{path}/") for each in with_files):
            paths[path] = "an empty directory that is gone"

    for path in set(now.empty) - set(then.empty):
        paths[path] = "an empty directory that is new"

    for path in {*then.directories, *now.directories} - paths.keys():
        mode_then = then.directories.get(path, then.usual[2])
        mode_now = now.directories.get(path, now.usual[2])
        if mode_then != mode_now:
            paths[path or "."] = f"its permissions were {mode_then:o}, and are {mode_now:o}"

    return paths
