"""What tests look at in a store and change there, and the product itself does not."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, delete, select

from holdfast.adapters.store.queries.events import NewEvent, append_events, events_after
from holdfast.adapters.store.queries.messages import append_parts
from holdfast.adapters.store.queries.statements import record, records
from holdfast.adapters.store.rows import CheckpointRow, EventRow, MessageRow, PartRow, TurnRow
from holdfast.adapters.store.tables import (
    checkpoints,
    events,
    message_parts,
    messages,
    turns,
)


def messages_of(connection: Connection, chat_id: str) -> tuple[MessageRow, ...]:
    query = select(messages).where(messages.c.chat_id == chat_id, messages.c.left_with.is_(None))
    return records(connection, MessageRow, query.order_by(messages.c.seq))


def last_message(connection: Connection, chat_id: str) -> MessageRow:
    return messages_of(connection, chat_id)[-1]


def append_part(connection: Connection, message_id: str, *, kind: str, body: Any) -> PartRow:
    append_parts(connection, message_id, [(kind, body)])
    return parts_of(connection, message_id)[-1]


def parts_of(connection: Connection, message_id: str) -> tuple[PartRow, ...]:
    """Return the parts of a message, each with its own body or that of its event."""
    of_event = events.c.part_id == message_parts.c.id
    query = select(message_parts, events.c.body.label("event_body")).outerjoin(events, of_event)
    query = query.where(message_parts.c.message_id == message_id).order_by(message_parts.c.seq)
    found = []
    for row in connection.execute(query).mappings():
        values = dict(row)
        event_body = values.pop("event_body")
        if values["body"] is None:
            values["body"] = event_body
        found.append(PartRow(**values))
    return tuple(found)


def append_event(connection: Connection, project_id: str, *, kind: str, body: Any) -> EventRow:
    seq = append_events(connection, project_id, [NewEvent(kind, body)])
    (added,) = events_after(connection, project_id, seq - 1)
    return added


def turn_by_id(connection: Connection, turn_id: str) -> TurnRow | None:
    return record(connection, TurnRow, select(turns).where(turns.c.id == turn_id))


def checkpoints_of_chat(connection: Connection, chat_id: str) -> tuple[CheckpointRow, ...]:
    there = (checkpoints.c.chat_id == chat_id, checkpoints.c.left_with.is_(None))
    query = select(checkpoints).where(*there)
    return records(connection, CheckpointRow, query.order_by(checkpoints.c.seq))


def left_checkpoints(connection: Connection, undo_checkpoint_id: str) -> tuple[str, ...]:
    """Return the ids of the checkpoints that left with an undo checkpoint, the oldest first."""
    query = select(checkpoints.c.id).where(checkpoints.c.left_with == undo_checkpoint_id)
    return tuple(connection.execute(query.order_by(checkpoints.c.seq)).scalars())


def remove_row(connection: Connection, table: Table, row_id: str) -> None:
    connection.execute(delete(table).where(table.c.id == row_id))
