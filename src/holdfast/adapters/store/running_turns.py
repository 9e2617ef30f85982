"""The turns that are at work: their rows, their locks and their processes (port `RunningTurns`)."""

from __future__ import annotations

import os
import platform
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from holdfast.adapters.processes.process_identity import is_alive
from holdfast.adapters.processes.turn_processes import end_process, turn_of_process
from holdfast.adapters.store.database_url import SqliteFile
from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.approvals import close_questions
from holdfast.adapters.store.queries.projects import find_project, lock_project_by_id
from holdfast.adapters.store.queries.sessions import session_by_id
from holdfast.adapters.store.queries.turns import (
    ask_turns_to_stop,
    end_turn,
    lock_turns,
    running_turns,
    turns_and_sessions,
    turns_by_id,
    withdraw_stop,
)
from holdfast.adapters.store.store_errors import StoreUnavailable
from holdfast.adapters.store.tables import sessions
from holdfast.adapters.store.transcript import translated
from holdfast.adapters.store.turn_fence import RUNNING
from holdfast.adapters.store.turn_log import OURS
from holdfast.usecases.sessions.ports import RunningTurn, StopScope, TurnOwner
from holdfast.vocab.owned_event import OwnedEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from holdfast.adapters.filesystem.turn_locks import TurnLocks
    from holdfast.adapters.processes.turn_processes import TurnProcesses
    from holdfast.adapters.store.rows import TurnRow
    from holdfast.adapters.store.store import Store
    from holdfast.vocab.events import TurnEnded
    from holdfast.vocab.place import Place

_TICK = 0.05


class StoredRunningTurns:
    """The turns that work on one worktree, and those of the sessions of its project."""

    def __init__(
        self, store: Callable[[], Store], place: Place, locks: TurnLocks, processes: TurnProcesses
    ) -> None:
        """Use the store that `store` returns; it is called for each transaction."""
        self._store = store
        self._place = place
        self._locks = locks
        self._processes = processes

    def find_sessions(self, wanted: str) -> tuple[str, ...]:
        """Return the sessions of the project whose ids start with a prefix, at most two."""
        with translated():
            return self._store().query(_find_sessions, self._place, wanted)

    def at_work(self, scope: StopScope) -> tuple[RunningTurn, ...]:
        """Return the turns that a process runs now."""
        with translated():
            rows = self._store().query(running_turns)

        found = []
        for row, session in rows:
            turn = RunningTurn(
                row.id,
                session,
                owner=TurnOwner.parse(row.owner),
                around_us=row.id == turn_of_process(),
            )
            if self._is_in(scope, row, session):
                found.append(turn)

        return self.wait(found, 0.0)

    def ask_to_stop(self, turns: Sequence[RunningTurn], sentence: str) -> None:
        """Record that the turns are to end with this sentence, unless the store is kept from us."""
        with translated(), suppress(StoreUnavailable):
            self._store().run_soon(ask_turns_to_stop, [turn.id for turn in turns], sentence)

    def withdraw(self, turns: Sequence[RunningTurn]) -> None:
        """Record that the turns need not stop any more, unless the store is kept from us."""
        with translated(), suppress(StoreUnavailable):
            self._store().run_soon(withdraw_stop, [turn.id for turn in turns])

    def wait(self, turns: Sequence[RunningTurn], seconds: float) -> tuple[RunningTurn, ...]:
        """Wait until no process runs the turns any more; return those that one runs after that."""
        until = time.monotonic() + seconds
        left = tuple(filter(self._runs, turns))
        while left:
            if time.monotonic() >= until:
                break
            time.sleep(_TICK)
            left = tuple(filter(self._runs, left))

        return left

    def _runs(self, turn: RunningTurn) -> bool:
        """Return whether a process runs the turn.

        A lock tells, also of a process that has died; of another machine only the record does.
        """
        owner = turn.owner
        if owner is None or self._is_same_disk(owner.host):
            return self._locks.is_locked(turn.id)
        with translated():
            rows = self._store().query(turns_by_id, [turn.id])
        return any(row.status == RUNNING for row in rows)

    def end(self, turn: RunningTurn, ended: TurnEnded) -> bool:
        """End a turn that no process runs, unless it has recorded its own end."""
        with translated():
            return self._store().run(_end, turn, ended)

    def end_processes(self, turns: Sequence[RunningTurn]) -> tuple[int, ...]:
        """End the processes that were started by these turns."""
        return self._processes.end({turn.id for turn in turns})

    def end_left_processes(self, scope: StopScope) -> tuple[int, ...]:
        """End the agents of the session and, with `worktree`, what turns on its files started."""
        marked = {each.turn for each in self._processes.found()}
        if not marked:
            return ()

        with translated():
            rows = self._store().query(turns_and_sessions, marked)

        left = set()
        for row, session in rows:
            remembers = session == scope.session and _was_external(row)
            if remembers or (scope.worktree and self._is_on_our_files(row)):
                left.add(row.id)

        return self._processes.end(left)

    def end_owner(self, turn: RunningTurn) -> None:
        """End the process that runs a turn, if it is on this machine and runs no other turn."""
        owner = turn.owner
        if owner is None:
            return
        if owner.pid == os.getpid():
            return
        if not is_alive(owner):
            return

        with translated():
            rows = self._store().query(running_turns)

        of_owner = {row.id for row, _ in rows if row.owner == str(owner)}
        if of_owner <= {turn.id}:
            end_process(owner.pid, owner.started)

    def _is_in(self, scope: StopScope, row: TurnRow, session: str) -> bool:
        if session == scope.session:
            return True
        return scope.worktree and self._is_on_our_files(row)

    def _is_on_our_files(self, row: TurnRow) -> bool:
        """Return whether a turn works on files of this worktree.

        The same path on another machine is another folder.
        """
        root, host = row.metadata.get("root"), row.metadata.get("host")
        if root is None or not self._is_same_disk(host):
            return False
        return _overlap(Path(root), Path(self._place.worktree_root))

    def _is_same_disk(self, host: Any) -> bool:
        # A SQLite store is never shared by machines; this one may have got another name.
        return host == platform.node() or isinstance(self._store().address, SqliteFile)


def _was_external(row: TurnRow) -> bool:
    """Return whether an external agent did the work of a turn."""
    agent: str = row.metadata.get("agent", OURS)
    return agent != OURS


def _overlap(one: Path, other: Path) -> bool:
    return one == other or one in other.parents or other in one.parents


def _find_sessions(connection: Connection, place: Place, wanted: str) -> tuple[str, ...]:
    project = find_project(connection, place)
    if project is None or not wanted:
        return ()
    begins = sessions.c.id.startswith(wanted, autoescape=True)
    query = select(sessions.c.id).where(sessions.c.project_id == project.id, begins)
    return tuple(connection.execute(query.limit(2)).scalars())


def _end(connection: Connection, turn: RunningTurn, ended: TurnEnded) -> bool:
    lock_turns(connection, [turn.id])
    session = session_by_id(connection, turn.session)
    if session is None:
        return False

    lock_project_by_id(connection, session.project_id)
    values = {"status": ended.status, "stop_reason": ended.stop_reason}
    if end_turn(connection, turn.id, **values, by_owner=False) is None:
        return False

    closed = close_questions(connection, [turn.id])
    publish(connection, session.project_id, [*closed, OwnedEvent(ended, turn.session, turn.id)])
    return True
