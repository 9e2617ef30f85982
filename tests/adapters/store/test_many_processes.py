"""Many processes share one store: nothing is lost, nothing is numbered twice, and a dead one leaves it readable."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from holdfast.adapters.store.blocking import BlockingStore, blocking_store
from holdfast.adapters.store.queries.checkpoints import checkpoints_of_chat
from holdfast.adapters.store.queries.events import append_event, events_after
from holdfast.adapters.store.queries.messages import messages_of
from holdfast.adapters.store.queries.projects import all_projects
from holdfast.adapters.store.queries.sessions import sessions_of
from holdfast.adapters.store.schema import revision, revisions
from holdfast.adapters.store.store import Store, open_store
from holdfast.adapters.store.tables import message_parts, messages
from tests.adapters.store.child import child
from tests.adapters.store.world import new_world

pytestmark = pytest.mark.slow

WRITERS = 8
EACH = 12


async def _bodies(connection: AsyncConnection, chat_id: str) -> list[object]:
    joined = (
        select(message_parts.c.body)
        .join(messages)
        .where(messages.c.chat_id == chat_id)
        .order_by(messages.c.seq)
    )
    return list((await connection.execute(joined)).scalars())


def test_eight_writers_at_once_lose_nothing(store: BlockingStore, url: str) -> None:
    world = store.run(new_world)
    with child(WRITERS, "write", url, world.session.id, world.chat.id, str(EACH)) as writers:
        writers.go()
        writers.expect("done")
    numbers = list(range(1, WRITERS * EACH + 1))
    written = sorted([f"p{n}", number] for n in range(WRITERS) for number in range(EACH))

    events = store.read(events_after, world.session.id)
    assert [event.seq for event in events] == numbers
    assert sorted(event.body for event in events) == written
    for n in range(WRITERS):
        assert [event.body[1] for event in events if event.body[0] == f"p{n}"] == list(range(EACH))

    found = store.read(messages_of, world.chat.id)
    assert [message.seq for message in found] == numbers
    assert sorted(message.metadata["by"] for message in found) == written
    assert store.read(_bodies, world.chat.id) == [message.metadata["by"] for message in found]

    checkpoints = store.read(checkpoints_of_chat, world.chat.id)
    assert [checkpoint.seq for checkpoint in checkpoints] == numbers
    assert sorted(checkpoint.id for checkpoint in checkpoints) == sorted(
        f"{name}-{number}" for name, number in written
    )


def test_many_tasks_of_one_process_lose_nothing(url: str) -> None:
    async def append(store: Store, session_id: str, number: int) -> int:
        async with store.write() as connection:
            return (await append_event(connection, session_id, kind="said", body=number)).seq

    async def at_once() -> list[int]:
        async with open_store(url) as store:
            async with store.write() as connection:
                world = await new_world(connection)
            return sorted(
                await asyncio.gather(*(append(store, world.session.id, n) for n in range(30)))
            )

    assert asyncio.run(at_once()) == list(range(1, 31))


def test_processes_that_open_a_new_store_at_once_all_succeed(empty_url: str) -> None:
    with child(4, "open", empty_url) as openers:
        openers.go()
        openers.expect("done")
    with blocking_store(empty_url) as store:
        (project,) = store.read(all_projects)
        assert sorted(session.title for session in store.read(sessions_of, project.id)) == [
            "p0",
            "p1",
            "p2",
            "p3",
        ]

        async def at(connection: AsyncConnection) -> str | None:
            return await connection.run_sync(revision)

        assert store.read(at) == revisions()[-1]


def test_what_one_process_has_recorded_another_sees_at_once(store: BlockingStore, url: str) -> None:
    world = store.run(new_world)
    with blocking_store(url) as other:
        event = store.run(append_event, world.session.id, kind="said", body="here")
        assert other.read(events_after, world.session.id) == (event,)
        second = other.run(append_event, world.session.id, kind="said", body="there")
        assert store.read(events_after, world.session.id, event.seq) == (second,)


def test_a_writer_that_is_killed_in_the_middle_leaves_what_was_recorded_and_nothing_else(
    store: BlockingStore, url: str
) -> None:
    world = store.run(new_world)
    with child(1, "die", url, world.session.id) as writer:
        writer.go()
        writer.expect("in the middle")
        # Who reads does not wait for the writer, and does not see what it has not recorded.
        assert [event.kind for event in store.read(events_after, world.session.id)] == ["recorded"]
        writer.process.kill()
        assert writer.process.wait() == -signal.SIGKILL
    assert [event.kind for event in store.read(events_after, world.session.id)] == ["recorded"]
    assert store.run(append_event, world.session.id, kind="afterwards", body=None).seq == 2
    with blocking_store(url) as again:
        kinds = [event.kind for event in again.read(events_after, world.session.id)]
        assert kinds == ["recorded", "afterwards"]


def test_a_sqlite_file_is_whole_after_its_writer_was_killed(tmp_path: Path) -> None:
    file = str(tmp_path / "store.sqlite3")
    with blocking_store(file) as store:
        world = store.run(new_world)
    # Nobody else has the file open: the next one has to recover it.
    with child(1, "die", file, world.session.id) as writer:
        writer.go()
        writer.expect("in the middle")
        writer.process.kill()
        writer.process.wait()
    with blocking_store(file) as store:
        assert [event.kind for event in store.read(events_after, world.session.id)] == ["recorded"]
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
