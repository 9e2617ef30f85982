"""The event log of a root, to read."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from holdfast.adapters.store.database_url import chosen_url, store_exists
from holdfast.adapters.store.event_log import StoredEventLog
from holdfast.adapters.store.events.log_signal import signal_of
from holdfast.adapters.store.store_errors import StoreError
from holdfast.usecases.events.log_watch import LogWatch
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.places import find_place
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.usecases.events.ports import LoggedEvent, LogSignal
    from holdfast.vocab.place import Place


def open_event_log(root: Path) -> LateEventLog:
    """Return the event log of the project at a root. Close it by leaving its `with`."""
    return LateEventLog(find_place(root), state_directory())


class LateSignal:
    """The signal of a store (port `LogSignal`) that may not be there yet."""

    def __init__(self, store: LateStore, state: Path) -> None:
        """Open the store at the first wait, if there is one."""
        self._store = store
        self._state = state
        self._signal: LogSignal | None = None

    def wait(self, seconds: float) -> None:
        """Wait until something may have been published, at most so long."""
        if self._signal is None:
            if not store_exists(chosen_url(self._state)):
                time.sleep(seconds)
                return
            self._signal = self._open()

        if self._signal is None:
            time.sleep(seconds)
            return

        self._signal.wait(seconds)

    def close(self) -> None:
        """Wait for nothing any more."""
        if self._signal is not None:
            self._signal.close()

    def _open(self) -> LogSignal | None:
        try:
            return signal_of(self._store.open())
        except StoreError:
            # Whoever reads the log reports it.
            return None


class LateEventLog:
    """The event log of one project (port `EventReader`); empty while there is no store."""

    def __init__(self, place: Place, state: Path) -> None:
        """Open the store at the first call, if there is one."""
        self._place = place
        self._state = state
        self._store = LateStore(state)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def watch(self) -> LogWatch:
        """Return a watch of the log, to follow it; close the watch before the log."""
        return LogWatch(self, LateSignal(self._store, self._state))

    def after(
        self, seq: int, *, session: str | None = None, limit: int | None = None
    ) -> tuple[LoggedEvent, ...]:
        """Return the events after a number, in order."""
        log = self._log()
        if log is None:
            return ()
        return log.after(seq, session=session, limit=limit)

    def last(self) -> int:
        """Return the number of the last event, 0 if there is none."""
        log = self._log()
        if log is None:
            return 0
        return log.last()

    def _log(self) -> StoredEventLog | None:
        if not store_exists(chosen_url(self._state)):
            return None
        return StoredEventLog(self._store.open, self._place)
