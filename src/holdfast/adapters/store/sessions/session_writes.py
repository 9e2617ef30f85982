"""Sessions are created and changed, each with its event; and the turns of a project by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.chats import add_chat
from holdfast.adapters.store.queries.projects import find_project, lock_project
from holdfast.adapters.store.queries.sessions import add_session, session_by_id
from holdfast.adapters.store.queries.worktrees import worktree_at
from holdfast.adapters.store.records import SessionRow, TurnRow
from holdfast.adapters.store.sessions.session_list import ARCHIVED
from holdfast.adapters.store.tables import chats, sessions, turns
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
