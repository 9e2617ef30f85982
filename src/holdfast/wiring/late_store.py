"""The store, opened at its first use: many commands end without one."""

from __future__ import annotations

import threading
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Self

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import ModuleType

    from holdfast.adapters.filesystem.turn_locks import TurnLocks
    from holdfast.adapters.store.plain.plain_store import PlainStore
    from holdfast.adapters.store.rows import WorktreeRow
    from holdfast.adapters.store.sessions.approvals import StoredApprovals
    from holdfast.adapters.store.store import Store
    from holdfast.adapters.store.turn_log import StoredTurnLog
    from holdfast.changes.change_log import ChangeLog
    from holdfast.usecases.checkpoints.restore_ports import Conversations
    from holdfast.usecases.events.ports import EventLog, LoggedEvent
    from holdfast.usecases.sessions.ports import RunningTurns
    from holdfast.usecases.turns.ports import TurnNotBegun
    from holdfast.usecases.worktrees.session_worktree import WorktreeRecords
    from holdfast.vocab.owned_event import OwnedEvent
    from holdfast.vocab.place import Place


@dataclass(frozen=True, slots=True)
class StoreProblem:
    """Why the store cannot be used."""

    message: str


class LateStore:
    """The configured store. Opening it is left to the first caller of `open`."""

    def __init__(self, state: Path) -> None:
        """Remember the state directory; open nothing."""
        self._state = state
        self._store: Store | None = None
        self._plain: PlainStore | None = None
        self._opened = ExitStack()
        self._opening = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store if it was opened."""
        self._opened.close()

    def open(self) -> Store:
        """Return the store. Raise `StoreError` if it cannot be opened."""
        with self._opening:
            if self._store is None:
                self._store = self._opened.enter_context(_store_parts().store_at(self._state))
            return self._store

    def change_log(self, place: Place) -> ChangeLog:
        """Return the log of a project's changes. Raise `LogUnavailable` if it cannot be opened."""
        plain = self._open_plain()
        if plain is None:
            return self._whole_change_log(place)

        log: ChangeLog = _plain_parts().either_changes(
            plain, place, self._is_open, self._whole_change_log
        )
        return log

    def _whole_change_log(self, place: Place) -> ChangeLog:
        log: ChangeLog = _store_parts().changes_at(self.open, place)
        return log

    def _is_open(self) -> bool:
        return self._store is not None

    def _open_plain(self) -> PlainStore | None:
        """Return the store without SQLAlchemy; None if the whole one is open, or has to be."""
        with self._opening:
            if self._store is not None:
                return None
            if self._plain is None:
                self._plain = _plain_parts().plain_store_at(self._state)
                if self._plain is not None:
                    self._opened.callback(self._plain.close)
            return self._plain

    def turn_log(self, place: Place, locks: TurnLocks) -> StoredTurnLog | StoreProblem:
        """Open the store, and return the log of a project's turns, or why there is none."""
        parts = _session_parts()
        try:
            log: StoredTurnLog = parts.StoredTurnLog(self.open(), place, locks)
        except parts.StoreError as error:
            return StoreProblem(str(error))
        return log

    def worktree_of_session(
        self, place: Place, session: str
    ) -> WorktreeRow | TurnNotBegun | StoreProblem | None:
        """Return the worktree of the project's session that begins so; None if it is not known."""
        parts = _session_parts()
        try:
            found: WorktreeRow | TurnNotBegun | None = self.open().query(
                parts.worktree_of_session, place, session
            )
        except parts.StoreError as error:
            return StoreProblem(str(error))

        return found

    def agent_of_session(self, place: Place, session: str) -> str | None:
        """Return the agent of the project's session that begins so; None if it is not known."""
        parts = _session_parts()
        try:
            found: str | None = self.open().query(parts.agent_of_session, place, session)
        except parts.StoreError:
            # The turn will say so.
            return None

        return found

    def close_agent(self, chat: str, agent: str) -> None:
        """Record that a warm agent has ended; a store that cannot be written is no obstacle."""
        parts = _session_parts()
        with suppress(parts.StoreError):
            self.open().run(parts.close_agent_session, chat, agent)

    def event_log(self, place: Place) -> EventLog:
        """Return the event log of a project; the store is opened at the first event."""
        return _DeferredEventLog(lambda: _session_parts().StoredEventLog(self.open, place))

    def conversations(self, worktree: Place, project: Place) -> Conversations:
        """Return the conversations at a worktree; the store is opened when one is read."""
        parts = _session_parts()
        conversations: Conversations = parts.conversations_at(worktree, project, self.open)
        return conversations

    def approvals(self, place: Place, locks: TurnLocks) -> StoredApprovals:
        """Return the questions of a project; the store is opened when one is asked or read."""
        approvals: StoredApprovals = _session_parts().StoredApprovals(self.open, place, locks)
        return approvals

    def session_worktrees(self, place: Place, claim: Callable[[str], Place]) -> WorktreeRecords:
        """Return the worktrees of a project's sessions; the store is opened when needed."""
        worktrees: WorktreeRecords = _session_parts().StoredWorktrees(self.open, place, claim)
        return worktrees

    def running_turns(self, place: Place) -> RunningTurns:
        """Return the turns that work on a worktree's files; the store is opened when needed."""
        turns: RunningTurns = _session_parts().running_turns_at(place, self._state, self.open)
        return turns


class _DeferredEventLog:
    """An event log (port `EventLog`) that is opened when it is first used."""

    def __init__(self, make: Callable[[], EventLog]) -> None:
        self._make = make

    def after(
        self, seq: int, *, session: str | None = None, limit: int | None = None
    ) -> Sequence[LoggedEvent]:
        return self._make().after(seq, session=session, limit=limit)

    def last(self) -> int:
        return self._make().last()

    def publish(self, events: Sequence[OwnedEvent]) -> int:
        return self._make().publish(events)


# SQLAlchemy takes longer to import than git takes for a checkpoint, and a checkpoint without a
# session, a dry run and a refused reply need no database.


def _plain_parts() -> ModuleType:
    from holdfast.wiring.late_parts import plain_parts  # noqa: PLC0415 - see above

    return plain_parts


def _store_parts() -> ModuleType:
    from holdfast.wiring.late_parts import store_parts  # noqa: PLC0415 - see above

    return store_parts


def _session_parts() -> ModuleType:
    from holdfast.wiring.late_parts import session_parts  # noqa: PLC0415 - see above

    return session_parts
