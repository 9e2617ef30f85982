"""The event log of a root, to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from holdfast.adapters.store.database_url import chosen_url, store_exists
from holdfast.adapters.store.event_log import StoredEventLog
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.places import find_place
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.usecases.events.ports import LoggedEvent
    from holdfast.vocab.place import Place


def open_event_log(root: Path) -> LateEventLog:
    """Return the event log of the project at a root. Close it by leaving its `with`."""
    return LateEventLog(find_place(root), state_directory())


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
