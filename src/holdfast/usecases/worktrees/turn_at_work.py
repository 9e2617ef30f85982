"""Whether a turn works in a session's worktree now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.usecases.checkpoints.restore_ports import ConversationFailed
from holdfast.usecases.sessions.ports import StopScope
from holdfast.usecases.worktrees.session_worktree import WorktreeRefused, WorktreesUnavailable

if TYPE_CHECKING:
    from holdfast.usecases.worktrees.ports import WorktreeDependencies
    from holdfast.usecases.worktrees.session_worktree import SessionWorktree


def refuse_while_running(
    worktree: SessionWorktree, needs: WorktreeDependencies
) -> WorktreeRefused | None:
    """Return the refusal to touch a worktree in which a turn works now, or None.

    Raise `WorktreesUnavailable` if the turns are not known.
    """
    session = worktree.session
    try:
        with needs.checkpoints_at(worktree.path).running_turns() as turns:
            running = turns.at_work(StopScope(session, worktree=True))
    except ConversationFailed as error:
        raise WorktreesUnavailable(str(error)) from error

    if not running:
        return None

    at_work = running[0].session
    return WorktreeRefused.because(
        f"session {at_work}: a turn of it is running in {worktree.path}; wait for its end, or stop "
        f"it: holdfast cancel {at_work}"
    )
