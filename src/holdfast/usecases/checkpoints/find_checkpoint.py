"""The checkpoint that a command means, or why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.plan import FileRefused
from holdfast.checkpoints.checkpoint import AmbiguousCheckpoint, Checkpoint, find
from holdfast.checkpoints.ports import CheckpointFailed, NoCheckpoints
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import Reason, Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.usecases.checkpoints.ports import Worktrees

_SESSION = lazy_pattern(r"[0-9a-f]{12}")


def belonging(
    wanted: str, checkpoints: Sequence[Checkpoint], session: str | None = None
) -> Checkpoint | NothingDone:
    """Return the checkpoint that is meant, if it belongs to the session."""
    found = find(wanted, of_session(session, checkpoints))
    if isinstance(found, AmbiguousCheckpoint):
        ids = ", ".join(found.ids)
        return refused(
            f"{wanted}: several checkpoints start with this ({ids}); type more of the id.",
            "ambiguous",
        )
    if found is None:
        return refused(
            f"{wanted or '(no id)'}: there is no such checkpoint here; `holdfast checkpoint list` "
            "has them.",
            "not_found",
        )

    return found


def belonging_elsewhere(wanted: str, worktrees: Worktrees) -> NothingDone | None:
    """Return the refusal of a checkpoint of another worktree, which names where to go on.

    None if no other worktree has it.
    """
    try:
        others = worktrees.elsewhere()
    except ConversationFailed:
        # What this worktree has was looked up already, and its refusal is true.
        return None

    found = [each for each in others if wanted and each.id.startswith(wanted)]
    if len(found) != 1:
        return None

    taken, root = found[0].id, found[0].worktree
    if found[0].is_gone:
        cure = _cure_of_gone(taken, root)
        message = f"{taken}: this was taken in the worktree {root}, which is gone; {cure}."
        return refused(message, "not_found")

    there = f"holdfast checkpoint restore {taken} --root {root}"
    return refused(f"{taken}: this was taken in the worktree {root}; restore it there: {there}")


def _cure_of_gone(taken: str, root: str) -> str:
    """Return how to go on with a checkpoint of a worktree that is gone."""
    name = root.rpartition("/")[2]
    if _SESSION.fullmatch(name) is None:
        return f"make it again (`git worktree add {root}`), and restore it there"
    return f"make it anew with this: holdfast worktree new --session {name} --from {taken}"


def of_session(session: str | None, checkpoints: Sequence[Checkpoint]) -> tuple[Checkpoint, ...]:
    """Return the checkpoints of a session; all of them if none is named."""
    if session is None:
        return tuple(checkpoints)
    in_session = [each for each in checkpoints if each.draft.session == session]
    return tuple(in_session)


def refused(message: str, reason: Reason = "conflict") -> NothingDone:
    """Return why nothing was done."""
    return NothingDone((FileRefused("", Refused(reason, message)),))


def refused_by(error: CheckpointFailed) -> NothingDone:
    """Return why git, the disk, a budget or the store refused."""
    if isinstance(error, NoCheckpoints):
        return refused(f"{error} `holdfast checkpoint create` takes one.", "not_found")
    return refused(str(error))
