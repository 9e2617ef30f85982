"""The changes of one project, in the store (port `ChangeLog`)."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.store.change_writes import (
    add_change,
    join_change,
    move_change,
    move_changes,
    prune_changes,
    revise_change,
    split_change,
)
from holdfast.adapters.store.plain.change_rows import change_of
from holdfast.adapters.store.queries.changes import (
    change_ids,
    change_marks,
    change_rows,
    last_turn,
    last_undo,
    left_since,
    touches,
)
from holdfast.adapters.store.store_errors import StoreError
from holdfast.adapters.store.tables import changes
from holdfast.changes.change_log import (
    KEPT,
    AddedChange,
    ChangeParts,
    LogUnavailable,
    RemovedChanges,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from sqlalchemy import RowMapping

    from holdfast.adapters.store.store import Store
    from holdfast.changes.change import Change, ChangeState
    from holdfast.changes.change_log import AnnounceRemoved, LastUndo, LeftFiles
    from holdfast.changes.plan import ChangePlan
    from holdfast.vocab.owned_event import OwnedEvent
    from holdfast.vocab.place import Place


_MOST_PATHS = 200
"""For more paths than these all changes are read: a condition for each would be too long."""


def changes_at(open_store: Callable[[], Store], place: Place) -> StoredChanges:
    """Return the changes of the project of a place, in a store that others use too.

    Raise `LogUnavailable`.
    """
    with _translated():
        return StoredChanges(open_store(), place)


class StoredChanges:
    """The changes of one project, as seen from one of its worktrees."""

    def __init__(self, store: Store, place: Place) -> None:
        """Use a store that is open."""
        self._store = store
        self._place = place

    def add(self, change: Change, announce: AnnounceRemoved) -> AddedChange:
        """Record a new change as the latest, and remove the oldest of the settled ones."""
        with _translated():
            if change.state == "applied":
                # Observed: the files are written, also if the turn is to stop now.
                return self._store.settle(add_change, self._place, change, KEPT, announce)
            return self._store.run(add_change, self._place, change, KEPT, announce)

    def get(self, change_id: str) -> Change | None:
        """Return the change of this project with this id, or None."""
        with _translated():
            found = self._store.query(change_rows, self._place, changes.c.id == change_id)
        if not found:
            return None
        return self._change(found[0])

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all changes, newest first."""
        with _translated():
            return self._store.query(change_ids, self._place)

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
        """Return changes, newest first."""
        wanted = {"state": state, "origin": origin, "session_id": session, "turn_id": turn}
        where = [changes.c.seq > after]
        for column, value in wanted.items():
            if value is not None:
                where.append(changes.c[column] == value)

        if touching is not None and len(touching) <= _MOST_PATHS:
            where.append(touches(touching))

        with _translated():
            rows = self._store.query(
                change_rows, self._place, *where, limit=limit, everywhere=everywhere
            )

        found = tuple(self._change(row) for row in rows)
        if touching is None:
            return found

        return tuple(each for each in found if not each.paths.isdisjoint(touching))

    def _change(self, row: RowMapping) -> Change:
        return change_of(row, self._place)

    def marks(self, state: ChangeState) -> tuple[tuple[str, int], ...]:
        """Return id and `seq` of the changes in a state, newest first."""
        with _translated():
            return self._store.query(change_marks, self._place, state)

    def left_since(self, event_seq: int | None) -> LeftFiles:
        """Return the files of this worktree that changes have written since an event."""
        with _translated():
            return self._store.query(left_since, self._place, event_seq)

    def revise(self, change_id: str, plan: ChangePlan, events: Sequence[OwnedEvent]) -> int | None:
        """Replace the plan of a proposed change."""
        with _translated():
            return self._store.run(revise_change, self._place, change_id, plan, events)

    def move(
        self, change_id: str, old: ChangeState, new: ChangeState, events: Sequence[OwnedEvent]
    ) -> int | None:
        """Change the state, if it is still `old`."""
        with _translated():
            # The files are written, or will never be: also a turn that is to stop records that.
            return self._store.settle(move_change, self._place, change_id, old, new, events)

    def move_together(
        self,
        change_ids: Sequence[str],
        old: ChangeState,
        new: ChangeState,
        events: Sequence[OwnedEvent],
    ) -> int | None:
        """Change the states of several changes, if all are still `old`."""
        with _translated():
            return self._store.settle(move_changes, self._place, change_ids, old, new, events)

    def last_undo(self) -> LastUndo | None:
        """Return what a redo does again, or None."""
        with _translated():
            return self._store.query(last_undo, self._place)

    def last_turn(self, session: str | None = None) -> str | None:
        """Return the turn of the latest applied change that belongs to a turn, or None."""
        with _translated():
            return self._store.query(last_turn, self._place, session)

    def split(
        self, change_id: str, accepted: Change, rest: Change, events: Sequence[OwnedEvent]
    ) -> ChangeParts | None:
        """Reject a proposed change and record its two parts."""
        with _translated():
            return self._store.run(split_change, self._place, change_id, accepted, rest, events)

    def join(
        self, change_id: str, parts: Collection[str], events: Sequence[OwnedEvent]
    ) -> int | None:
        """Undo a split."""
        with _translated():
            return self._store.run(join_change, self._place, change_id, parts, events)

    def prune(self, keep: int, announce: AnnounceRemoved) -> RemovedChanges:
        """Remove all but the latest changes that are settled."""
        with _translated():
            return self._store.run(prune_changes, self._place, keep, announce)


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what the store raises as the error of the port."""
    try:
        yield
    except StoreError as error:
        raise LogUnavailable(str(error)) from error
