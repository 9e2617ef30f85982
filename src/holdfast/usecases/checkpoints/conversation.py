"""The ports to what belongs to a session besides files: its transcript, and the agents at work in it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from holdfast.checkpoints.checkpoint import Checkpoint
from holdfast.checkpoints.ports import CheckpointFailed


class ConversationFailed(CheckpointFailed):
    """The store cannot be used, and nothing was recorded. The message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """So many messages left a chat, and so many came back to it."""

    left: int = 0
    back: int = 0


class Transcript(Protocol):
    """The messages of chats, and where each checkpoint stands among them.

    Each call is one transaction, and raises `ConversationFailed` if it cannot be made.
    """

    def record(self, checkpoint: Checkpoint) -> None:
        """Write down that a checkpoint of a session was taken, and the message that it precedes."""

    def following(self, checkpoint: Checkpoint) -> int | None:
        """Say how many messages stand in its chat from the checkpoint's place on; None if the place is not known."""

    def exchange(
        self, target: Checkpoint, point: Checkpoint, orphans: Collection[str]
    ) -> Exchanged:
        """Take the messages from the target's place on out, and put back what the trash keeps for the target.

        What leaves, and the orphaned checkpoints with it, is kept in the trash under the point, which is recorded with
        the same place: to go back is to exchange with the point as the target. A second call with the same point
        changes nothing, and gives the same count of what left.
        """

    def forget(self, ids: Collection[str], emptied: Collection[str]) -> None:
        """Drop these checkpoints with the trash that is kept under them; and only the trash of those in `emptied`."""


class Backend(Protocol):
    """The agents at work for sessions."""

    def evict(self, session: str) -> bool:
        """Cancel the running turn and drop the agent's memory; whether there was any. Before git is touched."""


@dataclass(frozen=True, slots=True)
class Conversations:
    """What belongs to the sessions at a root. Nothing is opened before the first call."""

    transcript: Transcript
    backend: Backend
