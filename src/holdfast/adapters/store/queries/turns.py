"""Turns of a chat: begun, ended, or left unfinished by a process that died."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from holdfast.adapters.store.column_types import new_id, now
from holdfast.adapters.store.queries.statements import add, record
from holdfast.adapters.store.records import TurnRow
from holdfast.adapters.store.tables import chats, turns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

RUNNING = "running"


def begin_turn(
    connection: Connection,
    chat_id: str,
    *,
    turn_id: str | None = None,
    message_id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> TurnRow:
    """Begin a turn, with the id that its lock has; `message_id` is the assistant's message."""
    values = {
        "chat_id": chat_id,
        "message_id": message_id,
        "status": RUNNING,
        "metadata": dict(metadata or {}),
    }
    return add(connection, TurnRow, turns, id=turn_id or new_id(), **values)


def end_turn(
    connection: Connection, turn_id: str, *, status: str, stop_reason: str | None = None
) -> TurnRow | None:
    """End a turn that is running; None if it is not: whoever ended it first has said how."""
    change = update(turns).where(turns.c.id == turn_id, turns.c.status == RUNNING)
    ended = change.values(status=status, stop_reason=stop_reason, ended_at=now())
    return record(connection, TurnRow, ended.returning(turns))


def cancel_turns(connection: Connection, session_id: str) -> tuple[str, ...]:
    """End the running turns of a session as `cancelled`, and return their ids."""
    below = turns.c.chat_id.in_(select(chats.c.id).where(chats.c.session_id == session_id))
    change = update(turns).where(below, turns.c.status == RUNNING)
    ended = change.values(status="cancelled", stop_reason="restore", ended_at=now())
    return tuple(connection.execute(ended.returning(turns.c.id)).scalars())
