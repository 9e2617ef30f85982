"""The changes of a project, brought to the states that they had at a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, func, select, update

from holdfast.adapters.store.tables import changes, events, turns, worktrees
from holdfast.usecases.events.changes_at_checkpoint import (
    CHANGE_HISTORY_KINDS,
    ChangesAt,
    changes_at,
)
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Connection

    from holdfast.changes.change import ChangeState
    from holdfast.checkpoints.checkpoint import Checkpoint


@dataclass(frozen=True, slots=True)
class ChangesExchanged:
    """The ids of the changes that left and that came back.

    `restored` are those with another state or place, which are the last ones now, in this order.
    """

    left: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    restored: tuple[tuple[str, ChangeState], ...] = ()


@dataclass(frozen=True, slots=True)
class _Row:
    """What a restore needs to know of a change."""

    id: str
    state: ChangeState
    seq: int
    left_with: str | None
    turn_left: bool
    worktree: str | None


def changes_in_log(
    connection: Connection, project_id: str, checkpoint: Checkpoint
) -> ChangesAt | None:
    """Return the changes of a project at a checkpoint, None if they are not known."""
    query = select(events.c.seq, events.c.kind, events.c.body).where(
        events.c.project_id == project_id, events.c.kind.in_(CHANGE_HISTORY_KINDS)
    )
    found = connection.execute(query.order_by(events.c.seq))
    return changes_at(checkpoint.id, (tuple(row) for row in found), checkpoint.draft.logged)


def plan_exchange(
    connection: Connection,
    project_id: str,
    *,
    target_id: str,
    at_target: ChangesAt | None,
    worktrees_restored: Collection[str | None],
) -> ChangesExchanged:
    """Return what brings the changes of a project to where they were at a checkpoint.

    What is no longer there leaves; what left with the target comes back. `worktrees_restored` are
    the identities of the worktrees whose files are restored to the target, None for the changes
    without one. A change elsewhere, or without `at_target`, is as it is, but that it leaves with
    its turn, unless it is applied. An applied change is in the files.
    """
    rows = _rows(connection, project_id)
    by_id = {row.id: row for row in rows}
    decided = _decided(rows, at_target, worktrees_restored)
    states: dict[str, ChangeState] = {}
    if at_target is not None:
        states = _states(at_target, by_id, decided)

    wanted = states.keys() | _undecided(rows, target_id, decided)
    there = {row.id for row in rows if row.left_with is None}
    left = [row.id for row in rows if row.id in there - wanted]
    back = [row.id for row in rows if row.id in wanted - there]
    return ChangesExchanged(tuple(left), tuple(back), _to_restore(by_id, states))


def exchange_changes(
    connection: Connection, project_id: str, plan: ChangesExchanged, undo_id: str
) -> None:
    """Do what `plan_exchange` returned; what leaves, leaves with the undo checkpoint."""
    _mark(connection, plan.left, undo_id)
    _mark(connection, plan.back, None)
    _set(connection, project_id, plan.restored)


def _rows(connection: Connection, project_id: str) -> list[_Row]:
    """Return the changes of a project in order, with those that have left."""
    query = (
        select(
            changes.c.id,
            changes.c.state,
            changes.c.seq,
            changes.c.left_with,
            turns.c.left_with.is_not(None),
            worktrees.c.identity,
        )
        .outerjoin(turns, turns.c.id == changes.c.turn_id)
        .outerjoin(worktrees, worktrees.c.id == changes.c.worktree_id)
        .where(changes.c.project_id == project_id)
        .order_by(changes.c.seq)
    )
    return [_Row(*row) for row in connection.execute(query)]


def _decided(
    rows: Sequence[_Row],
    at_target: ChangesAt | None,
    worktrees_restored: Collection[str | None],
) -> frozenset[str]:
    """Return the changes whose states the target decides: those of the restored files."""
    if at_target is None:
        return frozenset()
    here = {row.id for row in rows if row.worktree in worktrees_restored}
    return at_target.known & here


def _states(
    at_target: ChangesAt, rows: Mapping[str, _Row], decided: Collection[str]
) -> dict[str, ChangeState]:
    """Return the changes that were there at the target, in order, with their states then."""
    states = {}
    for change, state in at_target.states.items():
        if change not in decided:
            continue
        if _may_be_there(rows[change], state):
            states[change] = state

    return states


def _undecided(rows: Sequence[_Row], target_id: str, decided: Collection[str]) -> set[str]:
    """Return the changes that are to be there, of those that the target says nothing about."""
    undecided = set()
    for row in rows:
        if row.id in decided:
            continue
        if row.left_with not in {None, target_id}:
            continue
        if _may_be_there(row, row.state):
            undecided.add(row.id)

    return undecided


def _may_be_there(row: _Row, state: str) -> bool:
    """Return whether a change can be there: with its turn, or because it is in the files."""
    if state == "applied":
        return True
    return not row.turn_left


def _to_restore(
    rows: Mapping[str, _Row], states: Mapping[str, ChangeState]
) -> tuple[tuple[str, ChangeState], ...]:
    """Return the changes from the first one on that has another state, or another place."""
    last = 0
    for number, (change, state) in enumerate(states.items()):
        row = rows[change]
        if row.state != state or row.seq < last:
            return tuple(states.items())[number:]
        last = row.seq

    return ()


def _mark(connection: Connection, ids: Collection[str], left_with: str | None) -> None:
    if not ids:
        return
    these = update(changes).where(changes.c.id.in_(ids))
    connection.execute(these.values(left_with=left_with))


def _set(
    connection: Connection, project_id: str, restored: Sequence[tuple[str, ChangeState]]
) -> None:
    """Make these the last changes, in this order, with these states."""
    if not restored:
        return

    highest = select(func.max(changes.c.seq)).where(changes.c.project_id == project_id)
    first = connection.execute(highest).scalar_one() + 1
    values = [
        {"this_id": change, "new_state": state, "place": first + number}
        for number, (change, state) in enumerate(restored)
    ]
    connection.execute(_SET, values)


_SET = (
    update(changes)
    .where(changes.c.id == bindparam("this_id"))
    .values(state=bindparam("new_state"), seq=bindparam("place"))
)
