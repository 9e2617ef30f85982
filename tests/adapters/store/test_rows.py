"""What is put into the store is what it gives back, on both databases; and what goes when a parent goes."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError

from holdfast.adapters.places.place_records import find_place
from holdfast.adapters.store.queries.agent_sessions import (
    add_agent_session,
    agent_sessions_of,
    crash_agent_sessions,
)
from holdfast.adapters.store.queries.chats import add_chat, chat_by_id, chats_of
from holdfast.adapters.store.queries.checkpoints import (
    add_checkpoint,
    checkpoint_by_id,
    remove_checkpoints,
)
from holdfast.adapters.store.queries.events import events_after
from holdfast.adapters.store.queries.messages import (
    append_message,
    message_by_id,
    messages_from,
)
from holdfast.adapters.store.queries.projects import (
    all_projects,
    find_project,
    lock_project,
    project_at,
)
from holdfast.adapters.store.queries.sessions import (
    add_session,
    remove_session,
    session_by_id,
    sessions_of,
)
from holdfast.adapters.store.queries.turns import begin_turn, end_turn
from holdfast.adapters.store.queries.worktrees import worktree_at
from holdfast.adapters.store.rows import CheckpointRow, TurnRow
from holdfast.adapters.store.store import Store
from holdfast.adapters.store.store_errors import Gone, StoreUnavailable
from holdfast.adapters.store.tables import changes, chats, metadata, projects, worktrees
from holdfast.vocab.place import Place
from tests.adapters.store.queries import (
    append_event,
    append_part,
    checkpoints_of_chat,
    messages_of,
    parts_of,
    remove_row,
    turn_by_id,
)
from tests.adapters.store.world import new_world
from tests.places import place_of

# One store for all examples of a law: an example makes a chat of its own.
one_store = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(), max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def _counts(connection: Connection) -> dict[str, int]:
    found = {}
    for name, table in metadata.tables.items():
        count = connection.execute(select(func.count()).select_from(table)).scalar_one()
        if count:
            found[name] = count
    return found


# ------------------------------------------------------------------------------------------------------- projects


def test_one_folder_is_one_project_whatever_leads_to_it(store: Store, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    state = tmp_path / "state"
    real, link = find_place(tmp_path / "real", state), find_place(tmp_path / "link", state)
    assert store.query(find_project, real) is None
    project = store.run(project_at, real)
    assert project.root == os.path.realpath(tmp_path / "real")
    assert store.run(project_at, link) == project
    around = find_place(tmp_path / "link" / ".." / "real", state)
    assert store.query(find_project, around) == project
    assert store.query(all_projects) == (project,)


@pytest.mark.parametrize(
    "name", [b"caf\xc3\xa9", b"caf\xe9", b"a\nb", b"100%41", b"file:%41", b"\xf0\x9f\x8c\xb1"]
)
def test_a_root_keeps_its_bytes_whatever_they_are(store: Store, name: bytes) -> None:
    root = Path(os.fsdecode(b"/work/" + name))
    project = store.run(project_at, place_of(root))
    assert os.fsencode(project.root) == b"/work/" + name
    assert store.query(find_project, place_of(root)) == project
    assert store.run(worktree_at, place_of(root), project_id=project.id).path == project.root


def at(identity: str, path: str) -> Place:
    return Place(identity, path, identity, path)


def test_a_moved_project_is_found_and_another_at_its_old_path_is_not(store: Store) -> None:
    project = store.run(project_at, at("one", "/a"))
    assert store.query(find_project, at("one", "/b")) == project
    assert store.query(find_project, at("two", "/a")) is None
    moved = store.run(project_at, at("one", "/b"))
    assert (moved.id, moved.root) == (project.id, "/b")
    other = store.run(project_at, at("two", "/a"))
    assert (other.root, other.id != project.id) == ("/a", True)


def test_a_project_whose_path_another_has_gets_it_right_when_it_is_found(store: Store) -> None:
    first = store.run(project_at, at("one", "/a"))
    second = store.run(lock_project, at("two", "/a"))
    assert second.root == "/a"
    aside = store.query(find_project, at("one", "/a"))
    assert aside
    assert (aside.id, aside.root) == (first.id, f"/a (moved away, {first.id})")
    assert store.run(project_at, at("one", "/b")).root == "/b"
    # And if both claim one path in turn, it belongs to the one that was there last.
    assert store.run(project_at, at("one", "/a")).root == "/a"
    assert store.run(project_at, at("two", "/a")).root == "/a"
    assert len(store.query(all_projects)) == 2


def test_rows_of_an_older_store_are_found_by_their_path_and_get_an_identity(store: Store) -> None:
    project = store.run(project_at, at("one", "/a"))
    worktree = store.run(worktree_at, at("one", "/a"), project_id=project.id)

    def forget(connection: Connection) -> None:
        connection.execute(update(projects).values(identity=None))
        connection.execute(update(worktrees).values(identity=None))

    store.run(forget)
    found = store.query(find_project, at("one", "/a"))
    assert found
    assert (found.id, found.identity) == (project.id, None)
    assert store.query(find_project, at("one", "/b")) is None
    assert store.run(project_at, at("one", "/a")) == project
    assert store.run(worktree_at, at("one", "/a"), project_id=project.id) == worktree
    assert store.query(find_project, at("one", "/b")) == project


def test_a_folder_that_is_moved_to_the_path_of_an_older_row_stays_itself(store: Store) -> None:
    older = store.run(project_at, at("old", "/a"))
    store.run(lambda connection: connection.execute(update(projects).values(identity=None)))
    project = store.run(project_at, at("one", "/b"))
    moved = store.run(project_at, at("one", "/a"))
    assert (moved.id, moved.root) == (project.id, "/a")
    rows = {row.id: row.root for row in store.query(all_projects)}
    assert rows == {project.id: "/a", older.id: f"/a (moved away, {older.id})"}


# -------------------------------------------------------------------------------------------- sessions and chats


def test_a_session_is_found_by_its_id_and_by_its_project(store: Store, tmp_path: Path) -> None:
    project = store.run(project_at, place_of(tmp_path))
    session = store.run(add_session, project.id, title="fix it", metadata={"model": "small"})
    assert (session.title, session.status, session.metadata) == (
        "fix it",
        "open",
        {"model": "small"},
    )
    assert store.query(session_by_id, session.id) == session
    assert store.query(session_by_id, "nobody") is None
    assert store.query(sessions_of, project.id) == (session,)


def test_chats_are_listed_with_their_session(store: Store) -> None:
    world = store.run(new_world)
    second = store.run(add_chat, world.session.id)
    assert set(store.query(chats_of, world.session.id)) == {world.chat, second}
    assert store.query(chat_by_id, second.id) == second


def test_words_that_a_database_cannot_keep_are_kept_readable(store: Store) -> None:
    world = store.run(new_world)
    assert store.run(add_chat, world.session.id, title="a\0b\udcffc").title == "a\ufffdb\ufffdc"


def test_a_moment_comes_back_in_utc_to_the_microsecond(store: Store) -> None:
    before = datetime.now(UTC)
    world = store.run(new_world)
    assert world.chat.created_at.utcoffset() == timedelta(0)
    assert before <= world.chat.created_at <= datetime.now(UTC)
    assert store.query(chat_by_id, world.chat.id) == world.chat


def test_an_agent_session_is_marked_crashed(store: Store) -> None:
    world = store.run(new_world)
    made = store.run(
        add_agent_session, world.session.id, agent="opencode", backend="ses_1", metadata={"port": 1}
    )
    assert store.query(agent_sessions_of, world.session.id) == (made,)
    assert store.run(crash_agent_sessions, world.session.id) == 1
    crashed = replace(made, status="crashed", generation=1)
    assert store.query(agent_sessions_of, world.session.id) == (crashed,)
    assert store.run(crash_agent_sessions, world.session.id) == 0


# ------------------------------------------------------------------------------------------------------- messages


def test_messages_are_numbered_from_one_in_each_chat(store: Store) -> None:
    world = store.run(new_world)
    other = store.run(add_chat, world.session.id)
    made = [
        store.run(append_message, world.chat.id, role=role)
        for role in ("user", "assistant", "user")
    ]
    elsewhere = store.run(append_message, other.id, role="user")
    assert [message.seq for message in made] == [1, 2, 3]
    assert elsewhere.seq == 1
    assert store.query(messages_of, world.chat.id) == tuple(made)
    assert store.query(messages_from, world.chat.id, 2) == tuple(each.id for each in made[1:])
    assert store.query(message_by_id, made[1].id) == made[1]


def test_parts_are_numbered_in_each_message(store: Store) -> None:
    world = store.run(new_world)
    message = store.run(append_message, world.chat.id, role="assistant")
    parts = [
        store.run(append_part, message.id, kind="text", body={"text": word})
        for word in ("one", "two")
    ]
    assert [part.seq for part in parts] == [1, 2]
    assert store.query(parts_of, message.id) == tuple(parts)


def test_who_adds_to_what_is_gone_is_told_so(store: Store) -> None:
    with pytest.raises(
        Gone, match=r"^chat nobody: it is no longer in the store; list what is there"
    ):
        store.run(append_message, "nobody", role="user")
    with pytest.raises(Gone, match=r"^message nobody: "):
        store.run(append_part, "nobody", kind="text", body=1)
    with pytest.raises(Gone, match=r"^project nobody: "):
        store.run(append_event, "nobody", kind="text", body=1)


@one_store
@given(body=json_values)
def test_any_json_comes_back_exactly(store: Store, body: Any) -> None:
    world = store.run(new_world)
    event = store.run(append_event, world.project.id, kind="any", body=body)
    assert _same(event.body, body)
    (found,) = store.query(events_after, world.project.id, event.seq - 1)
    assert _same(found.body, body)


def _same(one: Any, other: Any) -> bool:
    # `==` alone says that 1 is True and 1.0, and that -0.0 is 0.0.
    return repr(one) == repr(other)


def test_what_is_not_json_is_refused_on_both(store: Store) -> None:
    world = store.run(new_world)
    with pytest.raises((StatementError, ValueError), match="not JSON compliant"):
        store.run(append_event, world.project.id, kind="any", body=math.nan)
    assert store.query(events_after, world.project.id) == ()


# --------------------------------------------------------------------------------------------------------- events


def test_events_are_numbered_without_a_gap_and_followed_from_a_number(store: Store) -> None:
    world = store.run(new_world)
    made = [store.run(append_event, world.project.id, kind="said", body={"n": n}) for n in range(4)]
    assert [event.seq for event in made] == [1, 2, 3, 4]
    assert store.query(events_after, world.project.id) == tuple(made)
    assert store.query(events_after, world.project.id, 2) == tuple(made[2:])
    assert store.query(events_after, world.project.id, 1, at_most=2) == tuple(made[1:3])
    assert store.query(events_after, world.project.id, 4) == ()


def test_a_number_that_was_not_recorded_is_given_again(store: Store) -> None:
    world = store.run(new_world)

    def fail(connection: Connection) -> None:
        append_event(connection, world.project.id, kind="said", body=1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.run(fail)
    assert store.query(events_after, world.project.id) == ()
    assert store.run(append_event, world.project.id, kind="said", body=2).seq == 1


# ---------------------------------------------------------------------------------------------------------- turns


def test_a_turn_begins_and_ends_once(store: Store) -> None:
    world = store.run(new_world)
    message = store.run(append_message, world.chat.id, role="assistant")
    turn = store.run(begin_turn, world.chat.id, message_id=message.id, metadata={"pid": 7})
    assert turn == TurnRow(
        id=turn.id,
        chat_id=world.chat.id,
        message_id=message.id,
        status="running",
        stop_reason=None,
        metadata={"pid": 7},
        started_at=turn.started_at,
        ended_at=None,
        owner=None,
        generation=0,
        stop_asked_at=None,
        stop_message=None,
    )
    ended = store.run(end_turn, turn.id, status="done", stop_reason="budget")
    assert ended is not None
    assert (ended.status, ended.stop_reason) == ("done", "budget")
    assert ended.ended_at is not None
    assert store.run(end_turn, turn.id, status="interrupted") is None
    assert store.query(turn_by_id, turn.id) == ended


# ---------------------------------------------------------------------------------------------------- checkpoints


def test_checkpoints_are_numbered_in_each_chat(store: Store, tmp_path: Path) -> None:
    world = store.run(new_world)
    worktree = store.run(
        worktree_at,
        place_of(tmp_path),
        project_id=world.project.id,
        branch="main",
        base_sha="b" * 40,
    )
    store.run(append_message, world.chat.id, role="user")
    message = store.run(append_message, world.chat.id, role="assistant")
    first = store.run(
        add_checkpoint,
        checkpoint_id="f1",
        commit_sha="a" * 40,
        kind="turn",
        label="before",
        chat_id=world.chat.id,
        session_id=world.session.id,
        worktree_id=worktree.id,
        message_id=message.id,
    )
    assert first == CheckpointRow(
        id="f1",
        chat_id=world.chat.id,
        session_id=world.session.id,
        worktree_id=worktree.id,
        message_id=message.id,
        message_seq=2,
        commit_sha="a" * 40,
        label="before",
        kind="turn",
        seq=1,
        created_at=first.created_at,
        project_id=world.project.id,
    )
    other = store.run(add_chat, world.session.id)
    elsewhere = store.run(
        add_checkpoint, checkpoint_id="d2", commit_sha="c" * 40, kind="turn", chat_id=other.id
    )
    third = store.run(
        add_checkpoint, checkpoint_id="a3", commit_sha="d" * 40, kind="turn", chat_id=world.chat.id
    )
    assert (elsewhere.seq, third.seq) == (1, 2)
    assert store.query(checkpoints_of_chat, world.chat.id) == (first, third)
    assert store.query(checkpoint_by_id, "d2") == elsewhere
    assert store.run(remove_checkpoints, ["f1", "d2", "nobody"]) == 2
    assert store.query(checkpoint_by_id, "f1") is None
    with pytest.raises(Gone, match=r"^chat nobody: "):
        store.run(
            add_checkpoint, checkpoint_id="e4", commit_sha="e" * 40, kind="turn", chat_id="nobody"
        )


def test_a_checkpoint_keeps_its_place_in_the_transcript_when_the_message_is_gone(
    store: Store,
) -> None:
    world = store.run(new_world)
    message = store.run(append_message, world.chat.id, role="assistant")
    made = store.run(
        add_checkpoint,
        checkpoint_id="c",
        commit_sha="a",
        kind="turn",
        chat_id=world.chat.id,
        message_id=message.id,
    )
    assert made.message_seq == message.seq


# ------------------------------------------------------------------------------------------ what goes with what


def _fill(connection: Connection, root: Path) -> tuple[str, str, str, str, str]:
    world = new_world(connection, root)
    worktree = worktree_at(connection, place_of(root), project_id=world.project.id)
    message = append_message(connection, world.chat.id, role="user")
    append_part(connection, message.id, kind="text", body="hello")
    turn = begin_turn(connection, world.chat.id, message_id=message.id)
    append_event(connection, world.project.id, kind="said", body=None)
    add_agent_session(connection, world.session.id, agent="a", backend="b")
    row = {
        "project_id": world.project.id,
        "session_id": world.session.id,
        "turn_id": turn.id,
        "seq": 1,
    }
    connection.execute(
        insert(changes).values(**row, state="proposed", origin="model", request=None, files=[])
    )
    add_checkpoint(
        connection,
        checkpoint_id="a-checkpoint",
        commit_sha="a",
        kind="turn",
        chat_id=world.chat.id,
        session_id=world.session.id,
        worktree_id=worktree.id,
    )
    return world.project.id, world.session.id, world.chat.id, worktree.id, turn.id


def test_with_a_project_goes_all_that_is_its_own(store: Store, tmp_path: Path) -> None:
    project, *_ = store.run(_fill, tmp_path)
    store.run(remove_row, projects, project)
    assert store.query(_counts) == {}


def test_with_a_session_go_its_chats_and_its_changes_and_events_stay(
    store: Store, tmp_path: Path
) -> None:
    _, session, *_ = store.run(_fill, tmp_path)
    assert store.run(remove_session, session)
    assert not store.run(remove_session, session)
    assert store.query(_counts) == {"projects": 1, "worktrees": 1, "changes": 1, "events": 1}
    assert store.query(_change) == (None, None)


def test_with_a_chat_go_its_messages_turns_and_checkpoints(store: Store, tmp_path: Path) -> None:
    _, session, chat, _, _ = store.run(_fill, tmp_path)
    store.run(remove_row, chats, chat)
    assert store.query(_counts) == {
        "projects": 1,
        "worktrees": 1,
        "sessions": 1,
        "agent_sessions": 1,
        "events": 1,
        "changes": 1,
    }
    assert store.query(_change) == (session, None)


def test_a_worktree_goes_without_its_checkpoints(store: Store, tmp_path: Path) -> None:
    _, _, _, worktree, _ = store.run(_fill, tmp_path)
    before = store.query(checkpoint_by_id, "a-checkpoint")
    assert before is not None
    assert before.worktree_id == worktree
    store.run(remove_row, worktrees, worktree)
    assert store.query(checkpoint_by_id, "a-checkpoint") == replace(before, worktree_id=None)


def _change(connection: Connection) -> tuple[str | None, str | None]:
    row = connection.execute(select(changes.c.session_id, changes.c.turn_id)).one()
    return row.session_id, row.turn_id


def test_a_row_whose_parent_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(IntegrityError, match=r"(?i)foreign key"):
        store.run(add_session, "nobody")


def test_who_only_reads_cannot_write(store: Store, tmp_path: Path) -> None:
    with pytest.raises((StoreUnavailable, DBAPIError), match=r"(?i)read.?only"):
        store.query(project_at, place_of(tmp_path))
    assert store.query(all_projects) == ()
