"""A session on a real repository and in a real store: turns as the loop will run them, and all that can be seen of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from holdfast.adapters.store.queries.agent_sessions import add_agent_session
from holdfast.adapters.store.queries.chats import add_chat
from holdfast.adapters.store.queries.messages import append_message
from holdfast.adapters.store.queries.turns import begin_turn
from holdfast.adapters.store.store import Store
from holdfast.adapters.store.tables import (
    agent_sessions,
    changes,
    checkpoints,
    message_parts,
    messages,
    turns,
)
from holdfast.usecases.checkpoints.checkpoint import CheckpointOwner, Created, create_checkpoint
from holdfast.wiring.worktrees import open_worktrees
from tests.adapters.store.queries import append_part
from tests.adapters.store.world import World, new_world
from tests.end_to_end.checkpoints.repo import Folder


@dataclass
class Talk:
    """One chat of one session."""

    repo: Folder
    store: Store
    world: World

    @property
    def session(self) -> str:
        return self.world.session.id

    def turn(self, name: str) -> str:
        """Let a turn begin: the prompt, the assistant's message, the checkpoint before it; then what it says."""
        chat_id = self.world.chat.id
        self.store.run(say, chat_id, "user", f"do {name}")
        answer = self.store.run(say, chat_id, "assistant", f"on {name}")
        owner = CheckpointOwner(self.session, chat_id, answer)
        created = create_checkpoint(open_worktrees(self.repo.root), name, kind="turn", owner=owner)
        assert isinstance(created, Created), created
        assert created.unrecorded is None
        self.store.run(append_part, answer, kind="tool", body={"did": name, "odd": "\0\ud800"})
        return created.checkpoint.id

    def said(self) -> list[str]:
        """Give the first words of each message."""
        return self.store.query(_said, self.world.chat.id)

    def rows(self, *without: str) -> dict[str, list[dict[str, Any]]]:
        """Give all rows of messages, parts and checkpoints, but the checkpoints that are named."""
        all_ = {
            table.name: self.store.query(rows, table)
            for table in (messages, message_parts, checkpoints)
        }
        all_["checkpoints"] = [row for row in all_["checkpoints"] if row["id"] not in without]
        return all_

    def trash(self) -> set[str]:
        """Name the undo points that something has left with."""
        return self.store.query(_left_with)

    def hire(self) -> None:
        """Have a turn run, and an external agent that remembers."""
        self.store.run(begin_turn, self.world.chat.id)
        self.store.run(add_agent_session, self.session, agent="an agent", backend="b1")

    def at_work(self) -> list[str]:
        """Give the states of all turns and agents."""
        return [
            row["status"]
            for table in (turns, agent_sessions)
            for row in self.store.query(rows, table)
        ]


def new_talk(repo: Folder, store: Store) -> Talk:
    return Talk(repo, store, store.run(new_world, repo.root))


def other_chat(talk: Talk) -> Talk:
    """Give another chat of the same session."""
    world = talk.world
    return Talk(
        talk.repo,
        talk.store,
        World(world.project, world.session, talk.store.run(add_chat, world.session.id)),
    )


def say(connection: Connection, chat_id: str, role: str, words: str) -> str:
    message = append_message(connection, chat_id, role=role, metadata={"words": words})
    append_part(connection, message.id, kind="text", body={"text": words})
    return message.id


def rows(connection: Connection, table: Any) -> list[dict[str, Any]]:
    """Return the rows of a table that have not left; parts follow their message."""
    query = select(table)
    if table is message_parts:
        query = query.join(messages).where(messages.c.left_with.is_(None))
    elif "left_with" in table.c:
        query = query.where(table.c.left_with.is_(None))
    return [dict(row) for row in connection.execute(query.order_by(table.c.id)).mappings()]


def _left_with(connection: Connection) -> set[str]:
    found: set[str] = set()
    for table in (messages, turns, changes, checkpoints):
        found |= set(connection.execute(select(table.c.left_with)).scalars())
    return found - {None}


def _said(connection: Connection, chat_id: str) -> list[str]:
    query = (
        select(messages.c.metadata)
        .where(messages.c.chat_id == chat_id, messages.c.left_with.is_(None))
        .order_by(messages.c.seq)
    )
    return [row["words"] for row in connection.execute(query).scalars()]
