"""The port to the worktree of one root, and to the conversations that were held there."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from holdfast.checkpoints.checkpoint import Checkpoint
from holdfast.checkpoints.ports import Worktree
from holdfast.usecases.checkpoints.conversation import ConversationFailed, Conversations


class Worktrees(Protocol):
    """Where the worktree of one root is found."""

    def hold(self, *, make: bool) -> AbstractContextManager[Worktree]:
        """Wait for the lock; raises `NoCheckpoints` if there is no place for checkpoints and none is to be made."""

    @property
    def conversations(self) -> Conversations:
        """What belongs to sessions besides files; while the worktree is held."""

    def new_id(self) -> str:
        """Give a name that no other checkpoint has."""

    def now(self) -> str:
        """Give the time, for people."""


def keep_books(
    worktrees: Worktrees, *, taken: Sequence[Checkpoint] = (), gone: Sequence[Checkpoint] = ()
) -> str | None:
    """Have the store follow what was done in git, and say why it could not: that must not break what was done."""
    new = [each for each in taken if each.draft.session]
    old = [each.id for each in gone if each.draft.session]
    try:
        for each in new:
            worktrees.conversations.transcript.record(each)
        if old:
            worktrees.conversations.transcript.forget(old, ())
    except ConversationFailed as error:
        return f"the store does not know of this: {error}"
    return None
