"""The sessions of all projects, each with the folder in which it works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from holdfast.adapters.store.tables import chats, projects, sessions, turns, worktrees
from holdfast.usecases.sessions.session_records import PlacedSession

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from holdfast.vocab.place import Place


def placed_sessions(
    connection: Connection, place: Place | None, offset: int, limit: int
) -> tuple[PlacedSession, ...]:
    """Return sessions of a worktree, or of all, the one with the latest turn first."""
    begun = select(func.max(turns.c.started_at)).join(chats, chats.c.id == turns.c.chat_id)
    latest = begun.where(chats.c.session_id == sessions.c.id).scalar_subquery()
    updated = func.coalesce(latest, sessions.c.created_at, type_=sessions.c.created_at.type)
    query = (
        select(sessions.c.id, sessions.c.title, worktrees.c.path, projects.c.root, updated)
        .join(projects, projects.c.id == sessions.c.project_id)
        .outerjoin(worktrees, worktrees.c.id == sessions.c.worktree_id)
        .order_by(updated.desc(), sessions.c.id)
    )
    if place is not None:
        query = query.where(
            func.coalesce(worktrees.c.identity, projects.c.identity) == place.worktree_id
        )

    found = []
    for session, title, path, root, moment in connection.execute(query.offset(offset).limit(limit)):
        at = moment.isoformat(timespec="seconds")
        found.append(PlacedSession(session, title, path or root, at))

    return tuple(found)
