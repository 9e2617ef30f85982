"""The port to the worktree of one root, and to its conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from holdfast.checkpoints.checkpoint import Checkpoint
    from holdfast.checkpoints.ports import Worktree
    from holdfast.usecases.checkpoints.restore_ports import CheckpointElsewhere, Conversations
    from holdfast.usecases.open_journal_entries import WorktreeJournal
    from holdfast.usecases.sessions.ports import RunningTurns
    from holdfast.usecases.settle_worktree import BatchRoots


class Worktrees(Protocol):
    """Where the worktree of one root is found."""

    def hold(self, *, make: bool) -> AbstractContextManager[Worktree]:
        """Wait for the lock.

        Raise `NoCheckpoints` if there is no place for checkpoints and none is to be made.
        """

    def look(self, *, files: bool = False) -> AbstractContextManager[Worktree]:
        """Return the worktree to read its checkpoints, without its lock.

        With `files`, the files as they are can be captured too; nothing of that is kept.
        Raise `NoCheckpoints` if there is no place for checkpoints.
        """

    @property
    def journal(self) -> WorktreeJournal:
        """The journal of the worktree, while it is held."""

    @property
    def batch_roots(self) -> BatchRoots:
        """The roots of batches that dead processes left in the worktree, while it is held."""

    @property
    def conversations(self) -> Conversations:
        """What belongs to sessions besides files; while the worktree is held."""

    def elsewhere(self) -> tuple[CheckpointElsewhere, ...]:
        """Return the checkpoints of the project's other worktrees, the latest first.

        Raise `ConversationFailed` if the store cannot be used.
        """

    def adopt(self, wanted: str) -> bool:
        """Record a checkpoint of a worktree that is gone here; return whether there is one.

        Only if the user's repository has the commit that the checkpoint was taken on.
        """

    def gone(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints that `adopt` can record, the latest first."""

    def running_turns(self) -> AbstractContextManager[RunningTurns]:
        """Return the turns that work on the files of this root; the worktree need not be held."""

    @property
    def prefix(self) -> str:
        """What the paths of the worktree below this root begin with; while the worktree is held.

        "" if the root is that of the worktree, else a directory with a slash.
        """

    def new_id(self) -> str:
        """Return a name that no other checkpoint has."""

    def now(self) -> str:
        """Return the time, for people."""
