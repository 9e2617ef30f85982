"""The state of a project, from its event log alone.

Ids, order and states, as the tables have them.
"""

from __future__ import annotations

from dataclasses import field
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
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.session_events import SessionChanged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.changes.change import ChangeState
    from holdfast.usecases.events.ports import LoggedEvent
    from holdfast.vocab.events import Event


@dataclass(frozen=True, slots=True)
class LogState:
    """What a log leads to.

    Changes with their states, messages by chat, checkpoints by chat, turns with their status. All
    but the turns are in order. Checkpoints outside of a session have None for a chat. A chat that
    has none is left out.
    """

    changes: tuple[tuple[str, ChangeState], ...]
    messages: Mapping[str, tuple[str, ...]]
    checkpoints: Mapping[str | None, tuple[str, ...]]
    turns: Mapping[str, str]


def fold(events: Iterable[LoggedEvent]) -> LogState:
    """Return the state after the events of a log, from its beginning on."""
    state = LogFold()
    for logged in events:
        event = event_from_json(logged.kind, logged.body)
        if event is not None:
            state = state.after(event, logged.turn)
    return state.result()


@dataclass(slots=True)
class LogFold:
    """The state while a log is read.

    `left` are the ids of the rows that a restore took out. They can come back to their place, so
    that they keep it in the lists.
    """

    changes: list[str] = field(default_factory=list)
    states: dict[str, ChangeState] = field(default_factory=dict)
    messages: dict[str, list[str]] = field(default_factory=dict)
    checkpoints: dict[str, str | None] = field(default_factory=dict)
    turns: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)

    def after(self, event: Event, turn: str | None = None) -> LogFold:
        """Return the state after the next event; this one is used up."""
        if isinstance(event, LogBaseline):
            return _from_baseline(event)
        self._apply(event, turn)
        return self

    def _apply(self, event: Event, turn: str | None) -> None:  # noqa: C901, PLR0912 - one case for each kind
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
            case SessionChanged(action="forked"):
                self.messages[event.chat_id] = list(event.message_ids)
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
        self.left.update(event.message_ids_deleted, event.checkpoint_ids_removed)
        self.left.update(event.turn_ids_removed, event.change_ids_removed)
        self.left.difference_update(
            event.message_ids_brought_back,
            event.checkpoint_ids_brought_back,
            event.turn_ids_brought_back,
            event.change_ids_brought_back,
        )
        for change in event.changes_restored:
            self._remove_change(change.change_id)
            self.changes.append(change.change_id)
            self.states[change.change_id] = change.state

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
        """Return the state, without what has left."""
        changes = [(change, self.states[change]) for change in self._there(self.changes)]
        messages = {}
        for chat, ids in self.messages.items():
            there = self._there(ids)
            if there:
                messages[chat] = there

        by_chat: dict[str | None, list[str]] = {}
        for checkpoint in self._there(self.checkpoints):
            by_chat.setdefault(self.checkpoints[checkpoint], []).append(checkpoint)

        checkpoints = {of_chat: tuple(there) for of_chat, there in by_chat.items()}
        turns = {turn: self.turns[turn] for turn in self._there(self.turns)}
        return LogState(tuple(changes), messages, checkpoints, turns)

    def _there(self, ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(each for each in ids if each not in self.left)


def _from_baseline(event: LogBaseline) -> LogFold:
    state = LogFold()
    for change in event.changes:
        state.changes.append(change.change_id)
        state.states[change.change_id] = change.state

    for chat in event.chats:
        state.messages[chat.chat_id] = list(chat.message_ids)

    for checkpoint in event.checkpoints:
        state.checkpoints[checkpoint.checkpoint_id] = checkpoint.chat_id
        if checkpoint.trashed:
            state.left.add(checkpoint.checkpoint_id)

    for turn in event.turns:
        state.turns[turn.turn_id] = turn.status

    return state
