"""The changes of a project as they were when a checkpoint was taken, from the event log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.usecases.events.event_json import event_from_json
from holdfast.usecases.events.fold import LogFold
from holdfast.vocab.events import CheckpointRestored, CheckpointTaken
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from holdfast.changes.change import ChangeState
    from holdfast.vocab.events import Event

CHANGE_HISTORY_KINDS = (
    "change_moved",
    "changes_removed",
    "checkpoint_taken",
    "restored",
    "session_deleted",
    "baseline",
)
"""The kinds of the events that `changes_at` reads."""


@dataclass(frozen=True, slots=True)
class ChangesAt:
    """The changes at a checkpoint, in order, with their states.

    `known` are the ids of all changes that the log has ever named.
    """

    states: Mapping[str, ChangeState]
    known: frozenset[str]


def changes_at(
    checkpoint_id: str,
    events: Iterable[tuple[int, str, Mapping[str, Any]]],
    logged: int | None = None,
) -> ChangesAt | None:
    """Return the changes at a checkpoint, or None if they are not known.

    `events` are the numbers, kinds and bodies of the events of the project, from the beginning of
    its log. `logged` is the number of the last one when the checkpoint was taken. The log may name
    the checkpoint later than that, or never: if its process was killed before it was recorded, it
    is recorded by the first restore that leads to it.
    """
    folded = LogFold()
    found: Mapping[str, ChangeState] | None = None
    for number, kind, body in events:
        event = event_from_json(kind, body)
        if event is None:
            continue
        is_after = logged is not None and number > logged
        if found is None and (is_after or _begins(checkpoint_id, event)):
            found = dict(folded.result().changes)
        folded = folded.after(event)

    if found is None and logged is not None:
        found = dict(folded.result().changes)

    if found is None:
        return None

    return ChangesAt(found, frozenset(folded.states))


def _begins(checkpoint_id: str, event: Event) -> bool:
    """Return whether a checkpoint was taken with this event: alone, or before a restore."""
    match event:
        case CheckpointTaken():
            return event.checkpoint_id == checkpoint_id
        case CheckpointRestored():
            return event.undo_checkpoint_id == checkpoint_id
        case _:
            return False
