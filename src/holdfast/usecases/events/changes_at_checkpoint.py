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
    its log. `logged` is the number of the last one when the checkpoint was taken: a checkpoint
    whose process was killed before it could be recorded is not named by the log.
    """
    folded = LogFold()
    named: Mapping[str, ChangeState] | None = None
    numbered: Mapping[str, ChangeState] | None = None if logged is None else {}
    for number, kind, body in events:
        event = event_from_json(kind, body)
        if event is None:
            continue
        if _begins(checkpoint_id, event):
            named = dict(folded.result().changes)
        folded = folded.after(event)
        if logged is not None and number <= logged:
            numbered = dict(folded.result().changes)
    found = named
    if found is None:
        found = numbered
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
