"""The log of a session: facts with a number, and what came after one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select

from holdfast.adapters.store.queries.statements import add, next_seq, records
from holdfast.adapters.store.records import EventRow
from holdfast.adapters.store.tables import events

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


async def append_event(
    connection: AsyncConnection, session_id: str, *, kind: str, body: Any
) -> EventRow:
    """Add an event after the last one; raises `Gone` if the session is not there.

    Who has read up to a number has missed none: a number is seen only when all before it are.
    """
    seq = await next_seq(connection, events.c.seq, events.c.session_id, session_id)
    return await add(
        connection, EventRow, events, session_id=session_id, seq=seq, kind=kind, body=body
    )


async def append_events(
    connection: AsyncConnection, session_id: str, facts: Sequence[tuple[str, Any]]
) -> int:
    """Add several events, each a kind and a body, after the last one; gives the number of the first."""
    first = await next_seq(connection, events.c.seq, events.c.session_id, session_id)
    rows = [
        {"session_id": session_id, "seq": seq, "kind": kind, "body": body}
        for seq, (kind, body) in enumerate(facts, first)
    ]
    await connection.execute(insert(events), rows)
    return first


async def events_after(
    connection: AsyncConnection, session_id: str, seq: int = 0, *, at_most: int | None = None
) -> tuple[EventRow, ...]:
    """Give the events of a session after a number, in order."""
    query = select(events).where(events.c.session_id == session_id, events.c.seq > seq)
    return await records(connection, EventRow, query.order_by(events.c.seq).limit(at_most))
