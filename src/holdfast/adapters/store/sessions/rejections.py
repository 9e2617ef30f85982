"""The rejections of hunks, in the store (port `RejectionLog`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select, update

from holdfast.adapters.store.plain.column_values import new_id
from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.projects import find_project, lock_project
from holdfast.adapters.store.queries.statements import add, next_seq, records
from holdfast.adapters.store.rows import RejectionRow
from holdfast.adapters.store.sessions.session_errors import translated_sessions
from holdfast.adapters.store.tables import rejections, sessions
from holdfast.usecases.changes.ports import NewRejection, Rejection
from holdfast.vocab.owned_event import OwnedEvent
from holdfast.vocab.session_events import RejectionQueued

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import ColumnElement, Connection

    from holdfast.adapters.store.store import Store
    from holdfast.vocab.place import Place

_WAITS = rejections.c.state == "waiting"
_UNTOLD = rejections.c.told_in.is_(None)


class StoredRejections:
    """The rejections of the sessions of one project."""

    def __init__(self, open_store: Callable[[], Store], place: Place) -> None:
        """Use the store that `open_store` returns; it is called for each transaction."""
        self._open_store = open_store
        self._place = place

    def add(self, session: str, new: NewRejection, *, waits: bool) -> None:
        """Record a rejection that waits for the end of a turn, or is done."""
        with translated_sessions():
            self._open_store().run(_add, self._place, session, new, waits)

    def waiting(self, session: str) -> tuple[Rejection, ...]:
        """Return the rejections of a session that wait, in order."""
        return self._list(session, _WAITS)

    def sessions_waiting(self) -> tuple[str, ...]:
        """Return the sessions in which a rejection waits."""
        with translated_sessions():
            return self._open_store().query(_sessions_waiting, self._place)

    def unsettled(self, session: str) -> tuple[Rejection, ...]:
        """Return the rejections of a session that wait, and those that were refused and untold."""
        refused = (rejections.c.state == "refused") & _UNTOLD
        return self._list(session, or_(_WAITS, refused))

    def settle(self, rejections: Sequence[Rejection], why: str = "") -> None:
        """Mark rejections that wait as done; or as refused, with the reason."""
        with translated_sessions():
            self._open_store().run(_settle, self._place, rejections, why)

    def _list(self, session: str, wanted: ColumnElement[bool]) -> tuple[Rejection, ...]:
        with translated_sessions():
            return self._open_store().query(_list, session, wanted)


def take_reasons(connection: Connection, session: str, turn: str) -> tuple[Rejection, ...]:
    """Return the rejections with a reason that no model has been told, in order.

    The prompt of `turn` tells them.
    """
    found = _list(connection, session, _UNTOLD & (rejections.c.state != "waiting"))
    told = tuple(each for each in found if each.asked.reason)
    if told:
        chosen = rejections.c.id.in_([each.id for each in told])
        connection.execute(update(rejections).where(chosen).values(told_in=turn))

    return told


def _add(
    connection: Connection,
    place: Place,
    session: str,
    new: NewRejection,
    waits: bool,  # noqa: FBT001 - the call of the port, on a connection
) -> None:
    project = lock_project(connection, place)
    row = add(
        connection,
        RejectionRow,
        rejections,
        id=new_id(),
        session_id=session,
        seq=next_seq(rejections.c.seq, rejections.c.session_id, session),
        change_id=new.change_id,
        state="waiting" if waits else "done",
        body={"hunks": list(new.hunks), "paths": list(new.paths), "reason": new.reason},
    )
    if waits:
        publish(connection, project.id, [_event(_rejection(row))])


def _list(
    connection: Connection, session: str, wanted: ColumnElement[bool]
) -> tuple[Rejection, ...]:
    query = select(rejections).where(rejections.c.session_id == session, wanted)
    return tuple(
        map(_rejection, records(connection, RejectionRow, query.order_by(rejections.c.seq)))
    )


def _sessions_waiting(connection: Connection, place: Place) -> tuple[str, ...]:
    project = find_project(connection, place)
    if project is None:
        return ()
    query = select(rejections.c.session_id).join(sessions).distinct()
    return tuple(connection.scalars(query.where(_WAITS, sessions.c.project_id == project.id)))


def _settle(connection: Connection, place: Place, settled: Sequence[Rejection], why: str) -> None:
    project = lock_project(connection, place)
    values: dict[str, Any] = {"state": "refused" if why else "done", "why": why or None}
    change = update(rejections).where(rejections.c.id.in_([each.id for each in settled]), _WAITS)
    rows = records(connection, RejectionRow, change.values(values).returning(rejections))
    publish(connection, project.id, [_event(_rejection(row)) for row in rows])


def _rejection(row: RejectionRow) -> Rejection:
    body = row.body
    asked = NewRejection(row.change_id, tuple(body["hunks"]), tuple(body["paths"]), body["reason"])
    return Rejection(row.id, row.session_id, row.state, asked, row.why or "")  # type: ignore[arg-type]  # only these are written


def _event(rejection: Rejection) -> OwnedEvent:
    asked = rejection.asked
    event = RejectionQueued(
        asked.change_id, rejection.state, asked.hunks, asked.reason, rejection.why
    )
    return OwnedEvent(event, rejection.session)
