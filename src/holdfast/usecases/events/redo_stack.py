"""What was undone and can be redone, from the event log."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from holdfast.changes.change_log import ChangesUndone, LastUndo, RestoreUndone
from holdfast.usecases.events.event_json import event_from_json
from holdfast.vocab.change_events import ChangeMoved, ChangesRemoved
from holdfast.vocab.events import CheckpointRestored, CheckpointsRemoved, SessionDeleted
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from holdfast.vocab.events import Event

REDO_KINDS = (
    "change_moved",
    "changes_removed",
    "restored",
    "checkpoints_removed",
    "session_deleted",
)
"""The kinds of the events that `redo_stack` reads."""


def redo_stack(
    events: Iterable[tuple[str, Mapping[str, Any]]], elsewhere: Collection[str] = ()
) -> tuple[LastUndo, ...]:
    """Return what can be redone, the last undo last.

    `events` are the kinds and bodies of the events of the project, from the beginning of its log.
    `elsewhere` are the ids of changes and checkpoints of other worktrees, whose events do not
    count. A newly applied change or a new restore clears the stack, as in an editor.
    """
    stack = _Stack()
    for kind, body in events:
        event = event_from_json(kind, body)
        if event is None:
            continue
        if _subject(event) not in elsewhere:
            stack.apply(event)

    return tuple(step.undone for step in stack.steps)


def _subject(event: Event) -> str | None:
    """Return the id by which the worktree of an event is known."""
    match event:
        case ChangeMoved():
            return event.change_id
        case CheckpointRestored():
            return event.undo_checkpoint_id
        case _:
            return None


@dataclass(slots=True)
class _Step:
    undone: LastUndo
    group: str | None = None


@dataclass(slots=True)
class _Stack:
    steps: list[_Step] = field(default_factory=list)

    def apply(self, event: Event) -> None:
        match event:
            case ChangeMoved(state="rewound"):
                self._push_change(event)
            case ChangeMoved(state="applied"):
                self._apply_change(event.change_id)
            case CheckpointRestored(verb="undo"):
                self.steps.append(_Step(RestoreUndone(event.undo_checkpoint_id)))
            case CheckpointRestored():
                self._restore(event.checkpoint_id)
            case ChangesRemoved() | SessionDeleted():
                self._remove(event.change_ids)
            case CheckpointsRemoved():
                self._remove(event.checkpoint_ids)
            case _:
                pass

    def _push_change(self, event: ChangeMoved) -> None:
        undone: tuple[str, ...] = (event.change_id,)
        if event.group is not None and event.group == self._last_group():
            # The newest is undone first, and redone last.
            undone += self._last_changes()
            self.steps.pop()
        self.steps.append(_Step(ChangesUndone(undone), event.group))

    def _apply_change(self, change_id: str) -> None:
        """Pop a change that is redone; clear the stack when another change is applied."""
        last = self._last_changes()
        if change_id not in last:
            self.steps.clear()
            return

        rest = tuple(each for each in last if each != change_id)
        done = self.steps.pop()
        if rest:
            self.steps.append(_Step(ChangesUndone(rest), done.group))

    def _restore(self, checkpoint_id: str) -> None:
        """Take a restore that is redone from the stack; another one clears it."""
        if self._last_undone() == RestoreUndone(checkpoint_id):
            self.steps.pop()
        else:
            self.steps.clear()

    def _last_undone(self) -> LastUndo | None:
        if not self.steps:
            return None
        return self.steps[-1].undone

    def _last_group(self) -> str | None:
        if not self.steps:
            return None
        return self.steps[-1].group

    def _last_changes(self) -> tuple[str, ...]:
        undone = self._last_undone()
        if isinstance(undone, ChangesUndone):
            return undone.change_ids
        return ()

    def _remove(self, ids: Collection[str]) -> None:
        """Remove the steps that cannot be redone any more."""
        self.steps = [step for step in self.steps if _ids_of(step.undone).isdisjoint(ids)]


def _ids_of(undone: LastUndo) -> frozenset[str]:
    if isinstance(undone, ChangesUndone):
        return frozenset(undone.change_ids)
    return frozenset({undone.checkpoint_id})
