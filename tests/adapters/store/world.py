"""What most tests of the store begin with: a project, a session and a chat."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from holdfast.adapters.store.queries.chats import add_chat
from holdfast.adapters.store.queries.projects import project_at
from holdfast.adapters.store.queries.sessions import add_session
from holdfast.adapters.store.rows import ChatRow, ProjectRow, SessionRow
from tests.places import place_of


@dataclass(frozen=True)
class World:
    project: ProjectRow
    session: SessionRow
    chat: ChatRow


def new_world(connection: Connection, root: Path = Path("/work/here")) -> World:
    project = project_at(connection, place_of(root))
    session = add_session(connection, project.id, title="a session")
    return World(project, session, add_chat(connection, session.id, title="a chat"))
