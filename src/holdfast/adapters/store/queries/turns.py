"""Turns of a chat: begun, ended, or left unfinished by a process that died."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from holdfast.adapters.store.plain.column_values import new_id, now
from holdfast.adapters.store.queries.statements import add, record, records
from holdfast.adapters.store.rows import TurnRow
from holdfast.adapters.store.tables import chats, turns
from holdfast.adapters.store.turn_fence import RUNNING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy import ColumnElement, Connection


def begin_turn(
    connection: Connection,
    chat_id: str,
    *,
    turn_id: str | None = None,
    message_id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    owner: str | None = None,
) -> TurnRow:
    """Begin a turn, with the id that its lock has; `message_id` is the assistant's message.

    `owner` names the process that runs the turn.
    """
    values = {
        "chat_id": chat_id,
        "message_id": message_id,
        "status": RUNNING,
        "metadata": dict(metadata or {}),
        "owner": owner,
    }
    return add(connection, TurnRow, turns, id=turn_id or new_id(), **values)


def end_turn(
    connection: Connection,
    turn_id: str,
    *,
    status: str,
    stop_reason: str | None = None,
    by_owner: bool = True,
) -> TurnRow | None:
    """End a turn that is running; None if it is not: whoever ended it first has said how.

    If another process than the owner ends the turn, its generation is counted up.
    """
    values: dict[str, Any] = {"status": status, "stop_reason": stop_reason, "ended_at": now()}
    if not by_owner:
        values["generation"] = turns.c.generation + 1
    change = update(turns).where(turns.c.id == turn_id, turns.c.status == RUNNING)
    return record(connection, TurnRow, change.values(values).returning(turns))


def lock_turns(connection: Connection, turn_ids: Collection[str]) -> None:
    """Let nobody else record something of these turns until the transaction ends.

    To be called before the project is locked, as in every transaction of a turn.
    """
    query = select(turns.c.id).where(turns.c.id.in_(turn_ids)).order_by(turns.c.id)
    connection.execute(query.with_for_update(key_share=True))


def running_turns(connection: Connection) -> tuple[tuple[TurnRow, str], ...]:
    """Return all turns on record as running, each with its session."""
    return _with_sessions(connection, turns.c.status == RUNNING)


def turns_and_sessions(
    connection: Connection, turn_ids: Collection[str]
) -> tuple[tuple[TurnRow, str], ...]:
    """Return those of the turns that are on record, each with its session."""
    return _with_sessions(connection, turns.c.id.in_(turn_ids))


def turns_by_id(connection: Connection, turn_ids: Collection[str]) -> tuple[TurnRow, ...]:
    """Return those of the turns that are on record."""
    return records(connection, TurnRow, select(turns).where(turns.c.id.in_(turn_ids)))


def ask_turns_to_stop(connection: Connection, turn_ids: Collection[str], sentence: str) -> None:
    """Record that running turns are to end with this sentence."""
    these = (turns.c.id.in_(turn_ids), turns.c.status == RUNNING)
    asked = {"stop_asked_at": now(), "stop_message": sentence}
    connection.execute(update(turns).where(*these).values(asked))


def withdraw_stop(connection: Connection, turn_ids: Collection[str]) -> None:
    """Record that running turns need not stop any more."""
    these = (turns.c.id.in_(turn_ids), turns.c.status == RUNNING)
    asked = {"stop_asked_at": None, "stop_message": None}
    connection.execute(update(turns).where(*these).values(asked))


def _with_sessions(
    connection: Connection, condition: ColumnElement[bool]
) -> tuple[tuple[TurnRow, str], ...]:
    query = select(turns, chats.c.session_id).join(chats, chats.c.id == turns.c.chat_id)
    found = connection.execute(query.where(condition)).mappings()
    return tuple(_with_session(dict(row)) for row in found)


def _with_session(row: dict[str, Any]) -> tuple[TurnRow, str]:
    session = str(row.pop("session_id"))
    return TurnRow(**row), session


def lock_running_turns(connection: Connection, session_id: str) -> None:
    """Lock the running turns of a session, as `lock_turns` does."""
    query = select(turns.c.id).where(*_running_in(session_id)).order_by(turns.c.id)
    connection.execute(query.with_for_update(key_share=True))


def cancel_turns(connection: Connection, session_id: str) -> tuple[str, ...]:
    """End the running turns of a session as `cancelled`, and return their ids."""
    ended = {
        "status": "cancelled",
        "stop_reason": "restore",
        "ended_at": now(),
        "generation": turns.c.generation + 1,
    }
    change = update(turns).where(*_running_in(session_id)).values(ended)
    return tuple(connection.execute(change.returning(turns.c.id)).scalars())


def _running_in(session_id: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    below = turns.c.chat_id.in_(select(chats.c.id).where(chats.c.session_id == session_id))
    return below, turns.c.status == RUNNING
