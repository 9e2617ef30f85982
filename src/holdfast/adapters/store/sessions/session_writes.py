"""Sessions are created and changed, each with its event; and the turns of a project by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.chats import add_chat, chats_of
from holdfast.adapters.store.queries.checkpoints import checkpoint_by_id
from holdfast.adapters.store.queries.messages import append_message, append_parts
from holdfast.adapters.store.queries.projects import find_project, lock_project
from holdfast.adapters.store.queries.sessions import add_session, session_by_id
from holdfast.adapters.store.queries.statements import records
from holdfast.adapters.store.queries.worktrees import worktree_at
from holdfast.adapters.store.rows import MessageRow, SessionRow, TurnRow
from holdfast.adapters.store.sessions.session_list import ARCHIVED
from holdfast.adapters.store.tables import (
    chats,
    events,
    message_parts,
    messages,
    sessions,
    turns,
)
from holdfast.usecases.sessions.session_records import TurnSummary
from holdfast.vocab.owned_event import OwnedEvent
from holdfast.vocab.session_events import SessionChanged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from holdfast.usecases.sessions.session_records import NewSession
    from holdfast.vocab.place import Place
    from holdfast.vocab.session_events import SessionAction

OPEN = "open"
"""The status of a session that was not put away."""


def create_session(connection: Connection, place: Place, new: NewSession) -> str:
    """Record a session that works in the worktree of a place, with an empty chat."""
    project = lock_project(connection, place)
    row = add_session(
        connection,
        project.id,
        session_id=new.id,
        title=new.title,
        worktree_id=worktree_at(connection, place, project_id=project.id).id,
        agent=new.agent,
        model=new.model,
        mode=new.mode,
    )
    chat = add_chat(connection, row.id)
    publish(connection, project.id, [session_event("created", row, chat_id=chat.id)])
    return row.id


def choose_for_session(
    connection: Connection, session: str, model: str | None, mode: str | None
) -> None:
    """Record the model and the mode of a session, those of them that are named."""
    chosen = {"model": model, "mode": mode}
    named = {name: value for name, value in chosen.items() if value is not None}
    if named:
        connection.execute(update(sessions).where(sessions.c.id == session).values(named))


def change_session(
    connection: Connection,
    place: Place,
    session: str,
    action: SessionAction,
    values: Mapping[str, Any],
) -> int | None:
    """Set columns of a session, and publish that; return the number of the event."""
    project = lock_project(connection, place)
    this = (sessions.c.id == session, sessions.c.project_id == project.id)
    connection.execute(update(sessions).where(*this).values(values))
    row = session_by_id(connection, session)
    if row is None or row.project_id != project.id:
        return None

    return publish(connection, project.id, [session_event(action, row)])


def copy_transcript(
    connection: Connection, place: Place, source: str, checkpoint_id: str, session: str
) -> int | None:
    """Copy the messages of a session before a checkpoint to a new session without messages.

    The texts are copied too: the events of the source stay its own. Return the number of the event,
    or None if the checkpoint is none of the source.
    """
    project = lock_project(connection, place)
    point = checkpoint_by_id(connection, checkpoint_id)
    row = session_by_id(connection, session)
    if row is None or point is None or point.session_id != source or point.chat_id is None:
        return None

    chat = chats_of(connection, session)[-1].id
    copied = []
    for message in _messages_before(connection, point.chat_id, point.message_seq):
        new = append_message(
            connection,
            chat,
            role=message.role,
            status=message.status,
            metadata=message.metadata,
        ).id
        parts = _bodies(connection, message.id)
        if parts:
            append_parts(connection, new, parts)
        copied.append(new)

    more = {"forked_from": source, "checkpoint_id": checkpoint_id, "chat_id": chat}
    event = session_event("forked", row, **more, message_ids=tuple(copied))
    return publish(connection, project.id, [event])


def _messages_before(
    connection: Connection, chat_id: str, place: int | None
) -> tuple[MessageRow, ...]:
    query = select(messages).where(messages.c.chat_id == chat_id, messages.c.left_with.is_(None))
    if place is not None:
        query = query.where(messages.c.seq < place)
    return records(connection, MessageRow, query.order_by(messages.c.seq))


def _bodies(connection: Connection, message_id: str) -> list[tuple[str, Any]]:
    query = (
        select(message_parts.c.kind, message_parts.c.body, events.c.body)
        .outerjoin(events, events.c.part_id == message_parts.c.id)
        .where(message_parts.c.message_id == message_id)
        .order_by(message_parts.c.seq)
    )
    return [
        (kind, of_event if own is None else own)
        for kind, own, of_event in connection.execute(query)
    ]


def session_event(action: SessionAction, row: SessionRow, **more: Any) -> OwnedEvent:
    """Return the event of something that was done with a session."""
    event = SessionChanged(
        action,
        row.id,
        row.title,
        row.agent,
        row.model,
        row.mode,
        archived=row.status == ARCHIVED,
        **more,
    )
    return OwnedEvent(event, row.id)


def turn_of_project(connection: Connection, place: Place, turn: str) -> tuple[TurnRow, str] | None:
    """Return a turn of a project that has not left, and its session; None if there is none."""
    project = find_project(connection, place)
    if project is None:
        return None

    query = (
        select(turns, chats.c.session_id)
        .join(chats, chats.c.id == turns.c.chat_id)
        .join(sessions, sessions.c.id == chats.c.session_id)
        .where(turns.c.id == turn, turns.c.left_with.is_(None))
        .where(sessions.c.project_id == project.id)
    )
    found = connection.execute(query).mappings().one_or_none()
    if found is None:
        return None

    row = dict(found)
    session = str(row.pop("session_id"))
    return TurnRow(**row), session


def turn_summary(row: TurnRow, session: str, *, runs: bool) -> TurnSummary:
    """Return a row of `turns` as its readers see it."""
    ended = row.ended_at.isoformat(timespec="seconds") if row.ended_at else None
    return TurnSummary(
        row.id,
        session,
        row.status,
        row.stop_reason,
        row.started_at.isoformat(timespec="seconds"),
        ended,
        row.message_id,
        runs,
    )
