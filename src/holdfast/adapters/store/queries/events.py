"""The event log of a project: numbered events, and those after a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, select

from holdfast.adapters.store.plain.column_values import now
from holdfast.adapters.store.queries.statements import RowBatch, append, records
from holdfast.adapters.store.rows import EventRow
from holdfast.adapters.store.tables import events
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection


_OF_TURN = (
    select(events.c.seq, events.c.kind, events.c.body)
    .where(events.c.project_id == bindparam("project_id"), events.c.seq > bindparam("seq"))
    .where(events.c.turn_id == bindparam("turn_id"))
    .order_by(events.c.seq)
)
_LAST = select(func.coalesce(func.max(events.c.seq), 0)).where(
    events.c.project_id == bindparam("project_id")
)


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to append, with the session and the turn that it belongs to, if any.

    `part_id` is the part of a message whose text the event has, for an event of a transcript.
    """

    kind: str
    body: Any
    session_id: str | None = None
    turn_id: str | None = None
    part_id: str | None = None


def events_below(project_id: str, new: Sequence[NewEvent]) -> RowBatch:
    """Return the events as rows to append to the log of a project."""
    moment = now()
    rows = [
        {
            "session_id": event.session_id,
            "turn_id": event.turn_id,
            "kind": event.kind,
            "body": event.body,
            "created_at": moment,
            "part_id": event.part_id,
        }
        for event in new
    ]
    return RowBatch(events.c.project_id, project_id, rows, exclusive=True)


def append_events(connection: Connection, project_id: str, new: Sequence[NewEvent]) -> int:
    """Append events to the log of a project, and return the number of its last event.

    Raise `Gone` if the project is not there. A reader who has read up to a number has missed none:
    a number is visible only when all before it are.
    """
    if not new:
        return last_event(connection, project_id)
    return append(connection, events_below(project_id, new))[0]


def events_after(
    connection: Connection,
    project_id: str,
    seq: int = 0,
    *,
    session_id: str | None = None,
    at_most: int | None = None,
) -> tuple[EventRow, ...]:
    """Return the events of a project after a number, in order.

    Only those of a session, if one is named. The beginning of the session's id is enough.
    """
    query = select(events).where(events.c.project_id == project_id, events.c.seq > seq)
    if session_id is not None:
        query = query.where(events.c.session_id.startswith(session_id, autoescape=True))
    return records(connection, EventRow, query.order_by(events.c.seq).limit(at_most))


def latest_events(
    connection: Connection, session_id: str, kinds: Sequence[str], before: int | None, limit: int
) -> tuple[EventRow, ...]:
    """Return the latest events of these kinds of a session before a number, the newest first."""
    query = select(events).where(events.c.session_id == session_id, events.c.kind.in_(kinds))
    if before is not None:
        query = query.where(events.c.seq < before)
    return records(connection, EventRow, query.order_by(events.c.seq.desc()).limit(limit))


_STREAM = ("text", "reasoning", "waiting")
"""The kinds that `said` repeats, or that nobody needs after the next event."""


def events_of_turns(connection: Connection, turn_ids: Sequence[str]) -> tuple[EventRow, ...]:
    """Return the events of turns, in order; of the stream only what came after the last `said`."""
    mine = events.c.turn_id.in_(turn_ids)
    settled = records(
        connection, EventRow, select(events).where(mine, events.c.kind.not_in(_STREAM))
    )
    said = dict.fromkeys(turn_ids, 0)
    for row in settled:
        if row.kind == "said" and row.turn_id is not None:
            said[row.turn_id] = max(said[row.turn_id], row.seq)

    first = min(said.values(), default=0)
    query = select(events).where(mine, events.c.kind.in_(_STREAM), events.c.seq > first)
    open_ended = [
        row for row in records(connection, EventRow, query) if row.seq > said[row.turn_id or ""]
    ]
    return tuple(sorted((*settled, *open_ended), key=lambda row: row.seq))


def events_of_turn(
    connection: Connection, project_id: str, turn_id: str, seq: int
) -> list[tuple[int, str, Any]]:
    """Return number, kind and body of the events of a turn after a number, in order."""
    wanted = {"project_id": project_id, "turn_id": turn_id, "seq": seq}
    rows = connection.execute(_OF_TURN, wanted)
    return [(number, kind, body) for number, kind, body in rows]


def last_event(connection: Connection, project_id: str) -> int:
    """Return the number of the last event of a project, 0 if there is none."""
    return int(connection.execute(_LAST, {"project_id": project_id}).scalar_one())
