"""The state of a project, from its event log alone.

Ids, order and states, as the tables have them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.usecases.events.event_json import event_from_json
from holdfast.vocab.change_events import ChangeMoved, ChangesRemoved
from holdfast.vocab.events import (
    CheckpointRestored,
    CheckpointsRemoved,
    CheckpointTaken,
    LogBaseline,
    SessionDeleted,
    TurnEnded,
    TurnStarted,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.usecases.events.ports import LoggedEvent
    from holdfast.vocab.events import Event


@dataclass(frozen=True, slots=True)
class LogState:
    """What a log leads to.

    Changes with their states, messages by chat, checkpoints by chat, turns with their status. All
    but the turns are in order. Checkpoints outside of a session have None for a chat. A chat that
    has none is left out.
    """

    changes: tuple[tuple[str, str], ...]
    messages: Mapping[str, tuple[str, ...]]
    checkpoints: Mapping[str | None, tuple[str, ...]]
    turns: Mapping[str, str]


def fold(events: Iterable[LoggedEvent]) -> LogState:
    """Return the state after the events of a log, from its beginning on."""
    state = _Fold()
    for logged in events:
        event = event_from_json(logged.kind, logged.body)
        if isinstance(event, LogBaseline):
            state = _from_baseline(event)
        elif event is not None:
            state.apply(event, logged.turn)
    return state.result()


@dataclass(slots=True)
class _Fold:
    """The state while a log is read.

    `trashed` are checkpoints that can come back to their place.
    """

    changes: list[str] = field(default_factory=list)
    states: dict[str, str] = field(default_factory=dict)
    messages: dict[str, list[str]] = field(default_factory=dict)
    checkpoints: dict[str, str | None] = field(default_factory=dict)
    trashed: set[str] = field(default_factory=set)
    turns: dict[str, str] = field(default_factory=dict)

    def apply(self, event: Event, turn: str | None) -> None:  # noqa: C901 - one case for each kind
        match event:
            case TurnStarted():
                self._start_turn(event)
            case TurnEnded():
                if turn is not None:
                    self.turns[turn] = event.status
            case ChangeMoved():
                self._move_change(event)
            case ChangesRemoved():
                for change in event.change_ids:
                    self._remove_change(change)
            case CheckpointTaken():
                self.checkpoints[event.checkpoint_id] = event.chat_id
            case CheckpointsRemoved():
                for checkpoint in event.checkpoint_ids:
                    self.checkpoints.pop(checkpoint, None)
            case CheckpointRestored():
                self._restore(event)
            case SessionDeleted():
                self._delete_session(event)
            case _:
                pass

    def _start_turn(self, event: TurnStarted) -> None:
        self.turns[event.turn] = "running"
        messages = self.messages.setdefault(event.chat_id, [])
        if event.prompt_message_id is not None:
            messages.append(event.prompt_message_id)
        messages.append(event.message_id)

    def _move_change(self, event: ChangeMoved) -> None:
        change, replaced = event.change_id, event.replaces
        self.states[change] = event.state
        moves = replaced is not None or event.state == "applied"
        if moves:
            self._remove_change(change)
        if replaced is not None and replaced in self.changes:
            place = self.changes.index(replaced)
            self.changes[place] = change
            self.changes.append(replaced)
        elif change not in self.changes:
            self.changes.append(change)

    def _remove_change(self, change: str) -> None:
        if change in self.changes:
            self.changes.remove(change)

    def _restore(self, event: CheckpointRestored) -> None:
        self.checkpoints[event.undo_checkpoint_id] = event.chat_id
        self.trashed.update(event.checkpoint_ids_removed)
        self.trashed.difference_update(event.checkpoint_ids_brought_back)
        if event.chat_id is None:
            return
        gone = set(event.message_ids_deleted)
        kept = [each for each in self.messages.get(event.chat_id, ()) if each not in gone]
        self.messages[event.chat_id] = [*kept, *event.message_ids_brought_back]

    def _delete_session(self, event: SessionDeleted) -> None:
        for chat in event.chat_ids:
            self.messages.pop(chat, None)
        for turn in event.turn_ids:
            self.turns.pop(turn, None)
        for change in event.change_ids:
            self._remove_change(change)
        chats = set(event.chat_ids)
        self.checkpoints = {
            checkpoint: chat for checkpoint, chat in self.checkpoints.items() if chat not in chats
        }

    def result(self) -> LogState:
        changes = [(change, self.states[change]) for change in self.changes]
        messages = {}
        for chat, ids in self.messages.items():
            if ids:
                messages[chat] = tuple(ids)
        by_chat: dict[str | None, list[str]] = {}
        for checkpoint, of_chat in self.checkpoints.items():
            if checkpoint not in self.trashed:
                by_chat.setdefault(of_chat, []).append(checkpoint)
        checkpoints = {of_chat: tuple(there) for of_chat, there in by_chat.items()}
        return LogState(tuple(changes), messages, checkpoints, dict(self.turns))


def _from_baseline(event: LogBaseline) -> _Fold:
    state = _Fold()
    for change in event.changes:
        state.changes.append(change.change_id)
        state.states[change.change_id] = change.state
    for chat in event.chats:
        state.messages[chat.chat_id] = list(chat.message_ids)
    for checkpoint in event.checkpoints:
        state.checkpoints[checkpoint.checkpoint_id] = checkpoint.chat_id
        if checkpoint.trashed:
            state.trashed.add(checkpoint.checkpoint_id)
    for turn in event.turns:
        state.turns[turn.turn_id] = turn.status
    return state
