"""The ports of a restore to what a session has besides files: its transcript and its agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from holdfast.changes.change import ChangeState
    from holdfast.checkpoints.checkpoint import Checkpoint
    from holdfast.vocab.owned_event import OwnedEvent


RestoreScope: TypeAlias = Literal["both", "files", "conversation"]
"""What a restore brings back."""


class ConversationFailed(CheckpointFailed):
    """The store cannot be used, and nothing was recorded. The message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The ids of what left the record with a restore, and of what came back to it.

    `changes_restored` are the changes that have another state or place now, with their states:
    they are the last ones, in this order. `target_recorded` says that the target was not on record
    before. `seq` is the number of the last event, None if none was published: the exchange had been
    made before, or the chat is gone.
    """

    messages_removed: tuple[str, ...] = ()
    messages_brought_back: tuple[str, ...] = ()
    checkpoints_removed: tuple[str, ...] = ()
    checkpoints_brought_back: tuple[str, ...] = ()
    turns_removed: tuple[str, ...] = ()
    turns_brought_back: tuple[str, ...] = ()
    changes_removed: tuple[str, ...] = ()
    changes_brought_back: tuple[str, ...] = ()
    changes_restored: tuple[tuple[str, ChangeState], ...] = ()
    target_recorded: bool = False
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class CheckpointElsewhere:
    """A checkpoint of another worktree of the project, with its path and the id of its folder.

    `is_gone` is whether that folder is no longer there.
    """

    id: str
    worktree: str
    worktree_id: str
    created_at: str
    kind: str
    label: str = ""
    session: str | None = None
    is_gone: bool = False


AnnounceExchange: TypeAlias = "Callable[[Exchanged], Sequence[OwnedEvent]]"
"""Return the events to publish for the messages that were exchanged."""
AnnounceIds: TypeAlias = "Callable[[Sequence[str]], Sequence[OwnedEvent]]"
"""Return the events to publish, from the ids of what was removed or ended."""


class Transcript(Protocol):
    """The messages of chats, and the record of checkpoints with their place among the messages.

    Each call is one transaction, in which its events are published, and raises `ConversationFailed`
    if it cannot be made.
    """

    def record(
        self,
        checkpoint: Checkpoint,
        events: Sequence[OwnedEvent],
        gone: Collection[str] = (),
        announce: AnnounceIds = lambda _: (),
    ) -> int | None:
        """Record a checkpoint, and the message that it precedes.

        Return the number of the last event. Remove the checkpoints in `gone` with what left with
        them, and publish what `announce` returns for those that were on record. Return
        None, and do nothing, if the checkpoint is on record already.
        """

    def last_event(self) -> int:
        """Return the number of the last event of the project; 0 if there is none."""

    def elsewhere(self) -> tuple[CheckpointElsewhere, ...]:
        """Return the checkpoints of the project's other worktrees, the latest first."""

    def following(self, checkpoint: Checkpoint) -> int | None:
        """Return how many messages its chat has from the checkpoint's place on.

        None if the place is not known.
        """

    def changes_differ(self, target: Checkpoint, scope: RestoreScope) -> bool:
        """Return whether an exchange with the target would take out, bring back or move a change.

        Only if files are restored: else a change moves only with its turn.
        """

    def exchange(
        self,
        target: Checkpoint,
        undo_checkpoint: Checkpoint,
        orphans: Collection[str],
        announce: AnnounceExchange,
        *,
        scope: RestoreScope = "both",
        uses_up_target: bool = False,
    ) -> Exchanged:
        """Take what is newer than the target out of the record, and bring back what it had.

        With the conversation: the messages from the target's place on, with their turns, and the
        orphaned checkpoints. With the files: the changes of this worktree get the states that they
        had at the target, and those that were made since leave. Without the files only what was
        proposed by a turn leaves with the turn: an applied change is in the files.

        What leaves is marked with the undo checkpoint, which is recorded with the same place: to
        undo this is to exchange with the undo checkpoint as the target. A target that is used up is
        removed. A second call with the same undo checkpoint changes and publishes nothing, and
        returns the same messages.
        """

    def forget(
        self, ids: Collection[str], emptied: Collection[str], announce: AnnounceIds
    ) -> int | None:
        """Remove these checkpoints, and what left with them and with those in `emptied`.

        Publish what `announce` returns for the ids that were on record; return the number of the
        last event, or None.
        """


def last_event(transcript: Transcript) -> int | None:
    """Return the number of the last event of the project, None if the store cannot be read."""
    try:
        return transcript.last_event()
    except ConversationFailed:
        return None


class Backend(Protocol):
    """The running agents of sessions."""

    def refuse_waiting(self, session: str) -> None:
        """Let no turn of the session begin that an agent was asked for before this call."""

    def evict(self, session: str, announce: AnnounceIds) -> bool:
        """Drop the agent's memory; return whether there was any.

        Before git is touched. Turns that are still on record as running, though nobody runs them,
        are cancelled; `announce` returns the events to publish for their ids.
        """


@dataclass(frozen=True, slots=True)
class Conversations:
    """What belongs to the sessions at a root. Nothing is opened before the first call."""

    transcript: Transcript
    backend: Backend
