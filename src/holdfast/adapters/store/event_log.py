"""The event log of one project, in the store (port `EventLog`)."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.events import events_after, last_event, latest_events
from holdfast.adapters.store.queries.projects import find_project, lock_project
from holdfast.adapters.store.store_errors import StoreError
from holdfast.usecases.events.ports import EventsUnavailable, LoggedEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import Connection

    from holdfast.adapters.store.rows import EventRow
    from holdfast.adapters.store.store import Store
    from holdfast.vocab.owned_event import OwnedEvent
    from holdfast.vocab.place import Place


class StoredEventLog:
    """The events of one project.

    To read makes neither the project nor anything else.
    """

    def __init__(self, open_store: Callable[[], Store], place: Place) -> None:
        """Use the store that `open_store` returns; it is called for each transaction."""
        self._open_store = open_store
        self._place = place

    def after(
        self, seq: int, *, session: str | None = None, limit: int | None = None
    ) -> tuple[LoggedEvent, ...]:
        """Return the events after a number, in order."""
        with _translated():
            rows = self._open_store().query(_after, self._place, seq, session, limit)
        return tuple(logged_event(row) for row in rows)

    def latest(
        self, session: str, kinds: Sequence[str], *, before: int | None = None, limit: int = 100
    ) -> tuple[LoggedEvent, ...]:
        """Return the latest events of these kinds of a session, the newest first."""
        with _translated():
            rows = self._open_store().query(latest_events, session, kinds, before, limit)
        return tuple(logged_event(row) for row in rows)

    def last(self) -> int:
        """Return the number of the last event, 0 if there is none."""
        with _translated():
            return self._open_store().query(_last, self._place)

    def publish(self, events: Sequence[OwnedEvent]) -> int:
        """Append events in a transaction of their own, and return the number of the last one."""
        with _translated():
            return self._open_store().run(_publish, self._place, events)


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what the store raises as the error of the port."""
    try:
        yield
    except StoreError as error:
        raise EventsUnavailable(str(error)) from error


def _after(
    connection: Connection, place: Place, seq: int, session: str | None, limit: int | None
) -> tuple[EventRow, ...]:
    project = find_project(connection, place)
    if project is None:
        return ()
    return events_after(connection, project.id, seq, session_id=session, at_most=limit)


def _last(connection: Connection, place: Place) -> int:
    project = find_project(connection, place)
    if project is None:
        return 0
    return last_event(connection, project.id)


def _publish(connection: Connection, place: Place, events: Sequence[OwnedEvent]) -> int:
    project = lock_project(connection, place)
    return publish(connection, project.id, events)


def logged_event(row: EventRow) -> LoggedEvent:
    """Return a row of `events` as its readers see it."""
    at = row.created_at.isoformat(timespec="milliseconds")
    return LoggedEvent(row.seq, at, row.session_id, row.turn_id, row.kind, row.body)
