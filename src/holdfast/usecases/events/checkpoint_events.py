"""The events of checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vocab.events import CheckpointsRemoved, CheckpointTaken, SkippedPath, TurnEnded
from holdfast.vocab.owned_event import OwnedEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.checkpoints.checkpoint import Checkpoint


def checkpoint_taken(checkpoint: Checkpoint, turn: str | None = None) -> OwnedEvent:
    """Return the event of a new checkpoint."""
    draft = checkpoint.draft
    skipped = tuple(SkippedPath(each.path, each.why) for each in checkpoint.present.skipped)
    taken = CheckpointTaken(
        checkpoint.id, skipped, draft.message, draft.label, draft.kind, draft.chat
    )
    return OwnedEvent(taken, draft.session, turn)


def checkpoints_removed(ids: Sequence[str]) -> list[OwnedEvent]:
    """Return the event of checkpoints that are gone for good; none if there are no such."""
    if not ids:
        return []
    return [OwnedEvent(CheckpointsRemoved(tuple(ids)))]


def turns_cancelled(session: str) -> Callable[[Sequence[str]], list[OwnedEvent]]:
    """Return the function that makes the events of turns that a restore has cancelled."""
    ended = TurnEnded("cancelled", "Cancelled by a restore.", 0, 0, 0, ended_by="stop")
    return lambda turns: [OwnedEvent(ended, session, turn) for turn in turns]
