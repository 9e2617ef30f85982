"""A log in memory that keeps the promise of the port `ChangeLog`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from holdfast.changes.change import Change, ChangeState
from holdfast.changes.change_log import (
    KEPT,
    AddedChange,
    AnnounceRemoved,
    ChangeParts,
    LastUndo,
    LeftFile,
    LeftFiles,
    RemovedChanges,
)
from holdfast.changes.plan import ChangePlan
from holdfast.usecases.events.event_to_json import event_to_json
from holdfast.usecases.events.redo_stack import redo_stack
from holdfast.vocab.change_events import ChangeMoved
from holdfast.vocab.owned_event import OwnedEvent


class MemoryLog:
    """The changes of one project, by id."""

    def __init__(self) -> None:
        self._changes: dict[str, Change] = {}
        self.events: list[OwnedEvent] = []

    def add(self, change: Change, announce: AnnounceRemoved) -> AddedChange:
        added = self._insert(change)
        removed = self.prune(KEPT, announce)
        return AddedChange(added, removed.event_seq)

    def _insert(self, change: Change) -> Change:
        kept = replace(change, seq=self._next_seq(), created_at="then")
        if kept.state != "proposed":
            kept = replace(kept, settled_at="then")
        self._changes[change.id] = kept
        return kept

    def get(self, change_id: str) -> Change | None:
        return self._changes.get(change_id)

    def ids(self) -> tuple[str, ...]:
        return tuple(change.id for change in self.list())

    def list(
        self,
        *,
        state: ChangeState | None = None,
        origin: str | None = None,
        session: str | None = None,
        turn: str | None = None,
        after: int = 0,
        limit: int | None = None,
        everywhere: bool = False,
        touching: Collection[str] | None = None,
    ) -> tuple[Change, ...]:
        found = sorted(self._changes.values(), key=lambda change: -change.seq)
        owned = [c for c in found if session in {None, c.session} and turn in {None, c.turn}]
        kept = [
            c
            for c in owned
            if state in {None, c.state} and origin in {None, c.origin} and c.seq > after
        ]
        if touching is not None:
            kept = [c for c in kept if not c.paths.isdisjoint(touching)]
        return tuple(kept[:limit])

    def marks(self, state: ChangeState) -> tuple[tuple[str, int], ...]:
        return tuple((change.id, change.seq) for change in self.list(state=state))

    def left_since(self, event_seq: int | None) -> LeftFiles:
        files: dict[str, LeftFile] = {}
        for owned in self.events[len(self.events) if event_seq is None else event_seq :]:
            moved = owned.event
            if isinstance(moved, ChangeMoved):
                for each in moved.written:
                    earlier = files[each.path].mode if each.path in files else None
                    mode = earlier if each.mode is None else each.mode
                    files[each.path] = LeftFile(moved.change_id, each.digest, mode)
        return LeftFiles(files, len(self.events))

    def revise(self, change_id: str, plan: ChangePlan, events: Sequence[OwnedEvent]) -> int | None:
        return self._publish(events) if self._set(change_id, "proposed", plan=plan) else None

    def move(
        self, change_id: str, old: ChangeState, new: ChangeState, events: Sequence[OwnedEvent]
    ) -> int | None:
        latest = bool(self._changes) and self.list()[0].id == change_id
        seq = {"seq": self._next_seq()} if new == "applied" and not latest else {}
        if not self._set(change_id, old, state=new, settled_at="then", **seq):
            return None
        return self._publish(events)

    def move_together(
        self,
        change_ids: Sequence[str],
        old: ChangeState,
        new: ChangeState,
        events: Sequence[OwnedEvent],
    ) -> int | None:
        found = [self._changes.get(change_id) for change_id in change_ids]
        if not all(change is not None and change.state == old for change in found):
            return None
        for change_id in change_ids:
            self.move(change_id, old, new, [])
        return self._publish(events)

    def last_undo(self) -> LastUndo | None:
        bodies = ((each.event.kind, event_to_json(each.event)) for each in self.events)
        stack = redo_stack(bodies)
        return stack[-1] if stack else None

    def last_turn(self, session: str | None = None) -> str | None:
        applied = self.list(state="applied")
        here = [each for each in applied if session in {None, each.session}]
        turns = [change.turn for change in here if change.turn]
        return turns[0] if turns else None

    def split(
        self, change_id: str, accepted: Change, rest: Change, events: Sequence[OwnedEvent]
    ) -> ChangeParts | None:
        whole = self._changes.get(change_id)
        if whole is None or not self._set(
            change_id, "proposed", state="rejected", settled_at="then", seq=self._next_seq()
        ):
            return None
        first, second = self._insert(accepted), self._insert(rest)
        self._set(second.id, second.state, seq=whole.seq)
        return ChangeParts(first, self._changes[second.id], self._publish(events))

    def join(
        self, change_id: str, parts: Collection[str], events: Sequence[OwnedEvent]
    ) -> int | None:
        found = [self._changes[part] for part in parts if part in self._changes]
        fit = all(
            part.state == "proposed" and part.requested.part_of == change_id for part in found
        )
        whole = self._changes.get(change_id)
        if whole is None or whole.state != "rejected" or len(found) != len(parts) or not fit:
            return None
        for part in found:
            del self._changes[part.id]
        seq = min(part.seq for part in found)
        self._set(change_id, "rejected", state="proposed", settled_at=None, seq=seq)
        return self._publish(events)

    def prune(self, keep: int, announce: AnnounceRemoved) -> RemovedChanges:
        old = tuple(change.id for change in self.list() if change.state != "proposed")[keep:]
        for change_id in old:
            del self._changes[change_id]
        return RemovedChanges(old, self._publish(announce(old)))

    def _publish(self, events: Sequence[OwnedEvent]) -> int:
        self.events += events
        return len(self.events)

    def _set(self, change_id: str, old: ChangeState, **values: object) -> bool:
        change = self._changes.get(change_id)
        if change is None or change.state != old:
            return False
        self._changes[change_id] = replace(change, **values)  # type: ignore[arg-type]
        return True

    def _next_seq(self) -> int:
        return max((change.seq for change in self._changes.values()), default=0) + 1
