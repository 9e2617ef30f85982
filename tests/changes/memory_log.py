"""A log in memory that keeps the promise of the port `ChangeLog`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from holdfast.changes.change import Change, ChangeState
from holdfast.changes.change_log import KEPT
from holdfast.changes.plan import ChangePlan


class MemoryLog:
    """The changes of one project, by id."""

    def __init__(self) -> None:
        self._changes: dict[str, Change] = {}

    def add(self, change: Change) -> Change:
        kept = replace(change, seq=self._next_seq(), created_at="then")
        self._changes[change.id] = (
            kept if kept.state == "proposed" else replace(kept, settled_at="then")
        )
        self.prune(KEPT)
        return self._changes[change.id]

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
    ) -> tuple[Change, ...]:
        found = sorted(self._changes.values(), key=lambda change: -change.seq)
        owned = [c for c in found if session in {None, c.session} and turn in {None, c.turn}]
        kept = [
            c
            for c in owned
            if state in {None, c.state} and origin in {None, c.origin} and c.seq > after
        ]
        return tuple(kept[:limit])

    def marks(self, state: ChangeState) -> tuple[tuple[str, int], ...]:
        return tuple((change.id, change.seq) for change in self.list(state=state))

    def revise(self, change_id: str, plan: ChangePlan) -> bool:
        return self._set(change_id, "proposed", plan=plan)

    def move(self, change_id: str, old: ChangeState, new: ChangeState) -> bool:
        latest = bool(self._changes) and self.list()[0].id == change_id
        seq = {"seq": self._next_seq()} if new == "applied" and not latest else {}
        return self._set(change_id, old, state=new, settled_at="then", **seq)

    def split(self, change_id: str, accepted: Change, rest: Change) -> tuple[Change, Change] | None:
        whole = self._changes.get(change_id)
        if whole is None or not self._set(
            change_id, "proposed", state="rejected", settled_at="then", seq=self._next_seq()
        ):
            return None
        first, second = self.add(accepted), self.add(rest)
        self._set(second.id, second.state, seq=whole.seq)
        return first, self._changes[second.id]

    def join(self, change_id: str, parts: Collection[str]) -> bool:
        found = [self._changes[part] for part in parts if part in self._changes]
        fit = all(
            part.state == "proposed" and part.requested.part_of == change_id for part in found
        )
        whole = self._changes.get(change_id)
        if whole is None or whole.state != "rejected" or len(found) != len(parts) or not fit:
            return False
        for part in found:
            del self._changes[part.id]
        seq = min(part.seq for part in found)
        return self._set(change_id, "rejected", state="proposed", settled_at=None, seq=seq)

    def prune(self, keep: int) -> tuple[str, ...]:
        old = tuple(change.id for change in self.list() if change.state != "proposed")[keep:]
        for change_id in old:
            del self._changes[change_id]
        return old

    def _set(self, change_id: str, old: ChangeState, **values: object) -> bool:
        change = self._changes.get(change_id)
        if change is None or change.state != old:
            return False
        self._changes[change_id] = replace(change, **values)  # type: ignore[arg-type]
        return True

    def _next_seq(self) -> int:
        return max((change.seq for change in self._changes.values()), default=0) + 1
