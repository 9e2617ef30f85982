"""Many processes share one store: nothing is lost, nothing is numbered twice, and a dead one leaves it readable."""

from __future__ import annotations

import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from holdfast.adapters.store.plain.revisions import revisions
from holdfast.adapters.store.queries.checkpoints import add_checkpoint
from holdfast.adapters.store.queries.events import NewEvent, events_after, events_below
from holdfast.adapters.store.queries.projects import all_projects
from holdfast.adapters.store.queries.sessions import sessions_of
from holdfast.adapters.store.queries.statements import append
from holdfast.adapters.store.schema import revision
from holdfast.adapters.store.store import Store, open_store
from holdfast.adapters.store.tables import message_parts, messages
from tests.adapters.store.child import child
from tests.adapters.store.queries import append_event, checkpoints_of_chat, messages_of
from tests.adapters.store.world import new_world

pytestmark = pytest.mark.slow

WRITERS = 8
EACH = 12


def _bodies(connection: Connection, chat_id: str) -> list[object]:
    joined = (
        select(message_parts.c.body)
        .join(messages)
        .where(messages.c.chat_id == chat_id)
        .order_by(messages.c.seq)
    )
    return list(connection.execute(joined).scalars())


def test_eight_writers_at_once_lose_nothing(store: Store, url: str) -> None:
    world = store.run(new_world)
    with child(WRITERS, "write", url, world.project.id, world.chat.id, str(EACH)) as writers:
        writers.go()
        writers.expect("done")
    numbers = list(range(1, WRITERS * EACH + 1))
    written = sorted([f"p{n}", number] for n in range(WRITERS) for number in range(EACH))

    events = store.query(events_after, world.project.id)
    assert [event.seq for event in events] == numbers
    assert sorted(event.body for event in events) == written
    for n in range(WRITERS):
        assert [event.body[1] for event in events if event.body[0] == f"p{n}"] == list(range(EACH))

    found = store.query(messages_of, world.chat.id)
    assert [message.seq for message in found] == numbers
    assert sorted(message.metadata["by"] for message in found) == written
    assert store.query(_bodies, world.chat.id) == [message.metadata["by"] for message in found]

    checkpoints = store.query(checkpoints_of_chat, world.chat.id)
    assert [checkpoint.seq for checkpoint in checkpoints] == numbers
    assert sorted(checkpoint.id for checkpoint in checkpoints) == sorted(
        f"{name}-{number}" for name, number in written
    )


def test_many_threads_of_one_process_lose_nothing(store: Store) -> None:
    project_id = store.run(new_world).project.id

    def append(number: int) -> int:
        return store.run(append_event, project_id, kind="said", body=number).seq

    with ThreadPoolExecutor(30) as pool:
        numbers = list(pool.map(append, range(30)))
    assert sorted(numbers) == list(range(1, 31))
    assert [event.body for event in store.query(events_after, project_id)] == [
        numbers.index(n) for n in sorted(numbers)
    ]


def test_events_that_are_recorded_together_stand_together(store: Store) -> None:
    project_id = store.run(new_world).project.id

    def append_three(number: int) -> None:
        new = [NewEvent("said", [number, part]) for part in range(3)]
        store.run(append, events_below(project_id, new))

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(append_three, range(20)))
    events = store.query(events_after, project_id)
    assert [event.seq for event in events] == list(range(1, 61))
    groups = [tuple(event.body for event in events[start : start + 3]) for start in range(0, 60, 3)]
    assert sorted(groups) == [([number, 0], [number, 1], [number, 2]) for number in range(20)]


def test_who_records_a_checkpoint_waits_for_no_other_chat(store: Store, url: str) -> None:
    if not url.startswith("postgresql"):
        pytest.skip("SQLite lets one writer in at a time")
    here, there = (
        store.run(new_world, Path("/work/here")),
        store.run(new_world, Path("/work/there")),
    )

    def add_at_once(connection: Connection) -> int:
        connection.exec_driver_sql("SET LOCAL lock_timeout = '20s'")
        return add_checkpoint(
            connection, checkpoint_id="b", commit_sha="b", kind="turn", chat_id=there.chat.id
        ).seq

    with store.write() as first:
        add_checkpoint(first, checkpoint_id="a", commit_sha="a", kind="turn", chat_id=here.chat.id)
        assert store.run(add_at_once) == 1


def test_processes_that_open_a_new_store_at_once_all_succeed(empty_url: str) -> None:
    with child(4, "open", empty_url) as openers:
        openers.go()
        openers.expect("done")
    with open_store(empty_url) as store:
        (project,) = store.query(all_projects)
        assert sorted(session.title for session in store.query(sessions_of, project.id)) == [
            "p0",
            "p1",
            "p2",
            "p3",
        ]

        assert store.query(revision) == revisions()[-1]


def test_what_one_process_has_recorded_another_sees_at_once(store: Store, url: str) -> None:
    world = store.run(new_world)
    with open_store(url) as other:
        event = store.run(append_event, world.project.id, kind="said", body="here")
        assert other.query(events_after, world.project.id) == (event,)
        second = other.run(append_event, world.project.id, kind="said", body="there")
        assert store.query(events_after, world.project.id, event.seq) == (second,)


def test_a_writer_that_is_killed_in_the_middle_leaves_what_was_recorded_and_nothing_else(
    store: Store, url: str
) -> None:
    world = store.run(new_world)
    with child(1, "die", url, world.project.id) as writer:
        writer.go()
        writer.expect("in the middle")
        # Who reads does not wait for the writer, and does not see what it has not recorded.
        assert [event.kind for event in store.query(events_after, world.project.id)] == ["recorded"]
        writer.process.kill()
        assert writer.process.wait() == -signal.SIGKILL
    assert [event.kind for event in store.query(events_after, world.project.id)] == ["recorded"]
    assert store.run(append_event, world.project.id, kind="afterwards", body=None).seq == 2
    with open_store(url) as again:
        kinds = [event.kind for event in again.query(events_after, world.project.id)]
        assert kinds == ["recorded", "afterwards"]


def test_a_sqlite_file_is_whole_after_its_writer_was_killed(tmp_path: Path) -> None:
    file = str(tmp_path / "store.sqlite3")
    with open_store(file) as store:
        world = store.run(new_world)
    # Nobody else has the file open: the next one has to recover it.
    with child(1, "die", file, world.project.id) as writer:
        writer.go()
        writer.expect("in the middle")
        writer.process.kill()
        writer.process.wait()
    with open_store(file) as store:
        assert [event.kind for event in store.query(events_after, world.project.id)] == ["recorded"]
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
