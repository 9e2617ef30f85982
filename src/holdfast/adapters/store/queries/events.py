"""The log of a session: facts with a number, and what came after one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from holdfast.adapters.store.column_types import now
from holdfast.adapters.store.queries.statements import Batch, append, record, records
from holdfast.adapters.store.records import EventRow
from holdfast.adapters.store.tables import events

if TYPE_CHECKING:
    from sqlalchemy import Connection


def events_below(session_id: str, facts: Sequence[tuple[str, Any]]) -> Batch:
    """Return events to append to the log of a session, each a kind and a body."""
    moment = now()
    rows = [{"kind": kind, "body": body, "created_at": moment} for kind, body in facts]
    return Batch(events.c.session_id, session_id, rows)


def append_event(connection: Connection, session_id: str, *, kind: str, body: Any) -> EventRow:
    """Add an event after the last one; raise `Gone` if the session is not there.

    For facts outside of a turn, which the server will record. Who has read up to a number has missed none: a number is
    seen only when all before it are.
    """
    append(connection, events_below(session_id, [(kind, body)]))
    last = (
        select(events)
        .where(events.c.session_id == session_id)
        .order_by(events.c.seq.desc())
        .limit(1)
    )
    added = record(connection, EventRow, last)
    assert added is not None  # noqa: S101 - it has just been put there
    return added


def events_after(
    connection: Connection, session_id: str, seq: int = 0, *, at_most: int | None = None
) -> tuple[EventRow, ...]:
    """Return the events of a session after a number, in order: what a client of the server has missed."""
    query = select(events).where(events.c.session_id == session_id, events.c.seq > seq)
    return records(connection, EventRow, query.order_by(events.c.seq).limit(at_most))
