"""What is put into the store is what it gives back, on both databases; and what goes when a parent goes."""

from __future__ import annotations

import math
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, insert, select
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError
from sqlalchemy.ext.asyncio import AsyncConnection

from holdfast.adapters.store.blocking import BlockingStore
from holdfast.adapters.store.errors import Gone, StoreUnavailable
from holdfast.adapters.store.queries.agent_sessions import (
    add_agent_session,
    agent_session_by_id,
    agent_sessions_of,
    set_agent_session_status,
)
from holdfast.adapters.store.queries.chats import add_chat, chat_by_id, chats_of, remove_chat
from holdfast.adapters.store.queries.checkpoints import (
    add_checkpoint,
    checkpoint_by_id,
    checkpoints_of_chat,
    checkpoints_of_worktree,
    later_checkpoints,
    remove_checkpoints,
)
from holdfast.adapters.store.queries.events import append_event, events_after
from holdfast.adapters.store.queries.messages import (
    append_message,
    append_part,
    last_message,
    message_by_id,
    messages_from,
    messages_of,
    parts_of,
    set_status,
)
from holdfast.adapters.store.queries.projects import (
    all_projects,
    find_project,
    project_at,
    project_by_id,
    remove_project,
)
from holdfast.adapters.store.queries.sessions import (
    add_session,
    remove_session,
    session_by_id,
    sessions_of,
    set_session_status,
)
from holdfast.adapters.store.queries.turns import begin_turn, end_turn, turn_by_id, unfinished_turns
from holdfast.adapters.store.queries.worktrees import remove_worktree, worktree_at, worktrees_of
from holdfast.adapters.store.records import CheckpointRow, TurnRow
from holdfast.adapters.store.tables import changes, metadata
from tests.adapters.store.world import new_world

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


async def _counts(connection: AsyncConnection) -> dict[str, int]:
    found = {}
    for name, table in metadata.tables.items():
        count = (await connection.execute(select(func.count()).select_from(table))).scalar_one()
        if count:
            found[name] = count
    return found


# ------------------------------------------------------------------------------------------------------- projects


def test_one_folder_is_one_project_whatever_leads_to_it(
    store: BlockingStore, tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert store.read(find_project, tmp_path / "real") is None
    project = store.run(project_at, tmp_path / "real")
    assert project.root == os.path.realpath(tmp_path / "real")
    assert store.run(project_at, tmp_path / "link") == project
    assert store.read(find_project, tmp_path / "link" / ".." / "real") == project
    assert store.read(project_by_id, project.id) == project
    assert store.read(all_projects) == (project,)


@pytest.mark.parametrize(
    "name", [b"caf\xc3\xa9", b"caf\xe9", b"a\nb", b"100%41", b"file:%41", b"\xf0\x9f\x8c\xb1"]
)
def test_a_root_keeps_its_bytes_whatever_they_are(store: BlockingStore, name: bytes) -> None:
    root = Path(os.fsdecode(b"/work/" + name))
    project = store.run(project_at, root)
    assert os.fsencode(project.root) == b"/work/" + name
    assert store.read(find_project, root) == project
    assert store.run(worktree_at, root, project_id=project.id).path == project.root


# -------------------------------------------------------------------------------------------- sessions and chats


def test_a_session_is_found_and_changes_its_status(store: BlockingStore, tmp_path: Path) -> None:
    project = store.run(project_at, tmp_path)
    session = store.run(add_session, project.id, title="fix it", metadata={"model": "small"})
    assert (session.title, session.status, session.metadata) == (
        "fix it",
        "open",
        {"model": "small"},
    )
    assert store.read(session_by_id, session.id) == session
    assert store.read(session_by_id, "nobody") is None
    assert store.run(set_session_status, session.id, "closed")
    assert not store.run(set_session_status, "nobody", "closed")
    (found,) = store.read(sessions_of, project.id)
    assert found.status == "closed"


def test_chats_are_listed_with_their_session(store: BlockingStore) -> None:
    world = store.run(new_world)
    second = store.run(add_chat, world.session.id)
    assert set(store.read(chats_of, world.session.id)) == {world.chat, second}
    assert store.read(chat_by_id, second.id) == second


def test_words_that_a_database_cannot_keep_are_kept_readable(store: BlockingStore) -> None:
    world = store.run(new_world)
    assert store.run(add_chat, world.session.id, title="a\0b\udcffc").title == "a\ufffdb\ufffdc"


def test_a_moment_comes_back_in_utc_to_the_microsecond(store: BlockingStore) -> None:
    before = datetime.now(UTC)
    world = store.run(new_world)
    assert world.chat.created_at.utcoffset() == timedelta(0)
    assert before <= world.chat.created_at <= datetime.now(UTC)
    assert store.read(chat_by_id, world.chat.id) == world.chat


def test_an_agent_session_is_marked_crashed(store: BlockingStore) -> None:
    world = store.run(new_world)
    made = store.run(
        add_agent_session, world.session.id, agent="opencode", backend="ses_1", metadata={"port": 1}
    )
    assert store.read(agent_sessions_of, world.session.id) == (made,)
    assert store.run(set_agent_session_status, made.id, "crashed")
    found = store.read(agent_session_by_id, made.id)
    assert found is not None
    assert found.status == "crashed"


# ------------------------------------------------------------------------------------------------------- messages


def test_messages_are_numbered_from_one_in_each_chat(store: BlockingStore) -> None:
    world = store.run(new_world)
    other = store.run(add_chat, world.session.id)
    made = [
        store.run(append_message, world.chat.id, role=role)
        for role in ("user", "assistant", "user")
    ]
    elsewhere = store.run(append_message, other.id, role="user")
    assert [message.seq for message in made] == [1, 2, 3]
    assert elsewhere.seq == 1
    assert store.read(messages_of, world.chat.id) == tuple(made)
    assert store.read(messages_from, world.chat.id, 2) == tuple(made[1:])
    assert store.read(last_message, world.chat.id) == made[-1]
    assert store.read(last_message, "nobody") is None
    assert store.read(message_by_id, made[1].id) == made[1]


def test_a_message_changes_its_status(store: BlockingStore) -> None:
    world = store.run(new_world)
    message = store.run(append_message, world.chat.id, role="assistant", status="streaming")
    assert store.run(set_status, message.id, "done")
    assert not store.run(set_status, "nobody", "done")
    found = store.read(message_by_id, message.id)
    assert found is not None
    assert found.status == "done"


def test_parts_are_numbered_in_each_message(store: BlockingStore) -> None:
    world = store.run(new_world)
    message = store.run(append_message, world.chat.id, role="assistant")
    parts = [
        store.run(append_part, message.id, kind="text", body={"text": word})
        for word in ("one", "two")
    ]
    assert [part.seq for part in parts] == [1, 2]
    assert store.read(parts_of, message.id) == tuple(parts)


def test_who_adds_to_what_is_gone_is_told_so(store: BlockingStore) -> None:
    with pytest.raises(
        Gone, match=r"^chat nobody: it is no longer in the store; list what is there"
    ):
        store.run(append_message, "nobody", role="user")
    with pytest.raises(Gone, match=r"^message nobody: "):
        store.run(append_part, "nobody", kind="text", body=1)
    with pytest.raises(Gone, match=r"^session nobody: "):
        store.run(append_event, "nobody", kind="text", body=1)


@one_store
@given(body=json_values)
def test_any_json_comes_back_exactly(store: BlockingStore, body: Any) -> None:
    world = store.run(new_world)
    event = store.run(append_event, world.session.id, kind="any", body=body)
    assert _same(event.body, body)
    (found,) = store.read(events_after, world.session.id)
    assert _same(found.body, body)


def _same(one: Any, other: Any) -> bool:
    # `==` alone says that 1 is True and 1.0, and that -0.0 is 0.0.
    return repr(one) == repr(other)


def test_what_is_not_json_is_refused_on_both(store: BlockingStore) -> None:
    world = store.run(new_world)
    with pytest.raises((StatementError, ValueError)):
        store.run(append_event, world.session.id, kind="any", body=math.nan)
    assert store.read(events_after, world.session.id) == ()


# --------------------------------------------------------------------------------------------------------- events


def test_events_are_numbered_without_a_gap_and_followed_from_a_number(store: BlockingStore) -> None:
    world = store.run(new_world)
    made = [store.run(append_event, world.session.id, kind="said", body={"n": n}) for n in range(4)]
    assert [event.seq for event in made] == [1, 2, 3, 4]
    assert store.read(events_after, world.session.id) == tuple(made)
    assert store.read(events_after, world.session.id, 2) == tuple(made[2:])
    assert store.read(events_after, world.session.id, 1, at_most=2) == tuple(made[1:3])
    assert store.read(events_after, world.session.id, 4) == ()


def test_a_number_that_was_not_recorded_is_given_again(store: BlockingStore) -> None:
    world = store.run(new_world)

    async def fail(connection: AsyncConnection) -> None:
        await append_event(connection, world.session.id, kind="said", body=1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.run(fail)
    assert store.read(events_after, world.session.id) == ()
    assert store.run(append_event, world.session.id, kind="said", body=2).seq == 1


# ---------------------------------------------------------------------------------------------------------- turns


def test_a_turn_begins_and_ends_once(store: BlockingStore) -> None:
    world = store.run(new_world)
    message = store.run(append_message, world.chat.id, role="assistant")
    turn = store.run(begin_turn, world.chat.id, message_id=message.id, metadata={"pid": 7})
    assert turn == TurnRow(
        turn.id, world.chat.id, message.id, "running", None, {"pid": 7}, turn.started_at, None
    )
    ended = store.run(end_turn, turn.id, status="done", stop_reason="budget")
    assert ended is not None
    assert (ended.status, ended.stop_reason) == ("done", "budget")
    assert ended.ended_at is not None
    assert store.run(end_turn, turn.id, status="interrupted") is None
    assert store.read(turn_by_id, turn.id) == ended


def test_turns_that_a_dead_process_left_are_found(store: BlockingStore) -> None:
    world = store.run(new_world)
    other = store.run(add_chat, world.session.id)
    left = store.run(begin_turn, world.chat.id)
    elsewhere = store.run(begin_turn, other.id)
    ended = store.run(begin_turn, world.chat.id)
    store.run(end_turn, ended.id, status="done")
    assert {turn.id for turn in store.read(unfinished_turns)} == {left.id, elsewhere.id}
    assert store.read(unfinished_turns, world.chat.id) == (left,)


# ---------------------------------------------------------------------------------------------------- checkpoints


def test_checkpoints_stand_in_the_order_they_were_made(
    store: BlockingStore, tmp_path: Path
) -> None:
    world = store.run(new_world)
    worktree = store.run(
        worktree_at, tmp_path, project_id=world.project.id, branch="main", base_sha="b" * 40
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
    )
    alone = store.run(
        add_checkpoint,
        checkpoint_id="d2",
        commit_sha="c" * 40,
        kind="manual",
        worktree_id=worktree.id,
    )
    third = store.run(
        add_checkpoint, checkpoint_id="a3", commit_sha="d" * 40, kind="turn", chat_id=world.chat.id
    )
    assert store.read(checkpoints_of_chat, world.chat.id) == (first, third)
    assert store.read(checkpoints_of_worktree, worktree.id) == (first, alone)
    assert store.read(later_checkpoints, first) == (third,)
    assert store.read(later_checkpoints, alone) == ()
    fourth = store.run(
        add_checkpoint, checkpoint_id="e4", commit_sha="e", kind="manual", worktree_id=worktree.id
    )
    nowhere = store.run(add_checkpoint, checkpoint_id="e5", commit_sha="e", kind="manual")
    store.run(add_checkpoint, checkpoint_id="e6", commit_sha="e", kind="manual")
    assert store.read(later_checkpoints, alone) == (fourth,)
    assert store.read(later_checkpoints, nowhere) == ()
    assert store.read(checkpoint_by_id, "d2") == alone
    assert store.run(remove_checkpoints, ["f1", "d2", "nobody"]) == 2
    assert store.read(checkpoint_by_id, "f1") is None


def test_a_checkpoint_keeps_its_place_in_the_transcript_when_the_message_is_gone(
    store: BlockingStore,
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


async def _fill(connection: AsyncConnection, root: Path) -> tuple[str, str, str, str, str]:
    world = await new_world(connection, root)
    worktree = await worktree_at(connection, root, project_id=world.project.id)
    message = await append_message(connection, world.chat.id, role="user")
    await append_part(connection, message.id, kind="text", body="hello")
    turn = await begin_turn(connection, world.chat.id, message_id=message.id)
    await append_event(connection, world.session.id, kind="said", body=None)
    await add_agent_session(connection, world.session.id, agent="a", backend="b")
    row = {
        "project_id": world.project.id,
        "session_id": world.session.id,
        "turn_id": turn.id,
        "seq": 1,
    }
    await connection.execute(
        insert(changes).values(**row, state="proposed", origin="model", request=None, files=[])
    )
    for name, chat in (("in-chat", world.chat.id), ("alone", None)):
        await add_checkpoint(
            connection,
            checkpoint_id=name,
            commit_sha="a",
            kind="turn",
            chat_id=chat,
            session_id=world.session.id,
            worktree_id=worktree.id,
        )
    return world.project.id, world.session.id, world.chat.id, worktree.id, turn.id


def test_with_a_project_goes_all_that_is_its_own(store: BlockingStore, tmp_path: Path) -> None:
    project, *_ = store.run(_fill, tmp_path)
    assert store.run(remove_project, project)
    assert not store.run(remove_project, project)
    # A checkpoint without a chat is a ref in git: it goes with that, by `prune`.
    assert store.read(_counts) == {"checkpoints": 1}


def test_with_a_session_go_its_chats_and_events_and_its_changes_stay(
    store: BlockingStore, tmp_path: Path
) -> None:
    _, session, _, worktree, _ = store.run(_fill, tmp_path)
    assert store.run(remove_session, session)
    assert store.read(_counts) == {"projects": 1, "worktrees": 1, "changes": 1, "checkpoints": 1}
    alone = store.read(checkpoint_by_id, "alone")
    assert alone is not None
    assert (alone.session_id, alone.worktree_id) == (None, worktree)
    assert store.read(_change) == (None, None)


def test_with_a_chat_go_its_messages_turns_and_checkpoints(
    store: BlockingStore, tmp_path: Path
) -> None:
    _, session, chat, _, _ = store.run(_fill, tmp_path)
    assert store.run(remove_chat, chat)
    assert store.read(_counts) == {
        "projects": 1,
        "worktrees": 1,
        "sessions": 1,
        "agent_sessions": 1,
        "events": 1,
        "changes": 1,
        "checkpoints": 1,
    }
    assert store.read(_change) == (session, None)


def test_a_worktree_goes_without_its_checkpoints(store: BlockingStore, tmp_path: Path) -> None:
    project, _, _, worktree, _ = store.run(_fill, tmp_path)
    assert [found.id for found in store.read(worktrees_of, project)] == [worktree]
    assert store.run(remove_worktree, worktree)
    assert store.read(checkpoints_of_worktree, worktree) == ()
    for name in ("in-chat", "alone"):
        found = store.read(checkpoint_by_id, name)
        assert found is not None
        assert found.worktree_id is None


async def _change(connection: AsyncConnection) -> tuple[str | None, str | None]:
    row = (await connection.execute(select(changes.c.session_id, changes.c.turn_id))).one()
    return row.session_id, row.turn_id


def test_a_row_whose_parent_is_not_there_is_refused(store: BlockingStore) -> None:
    with pytest.raises(IntegrityError):
        store.run(add_session, "nobody")


def test_who_only_reads_cannot_write(store: BlockingStore, tmp_path: Path) -> None:
    with pytest.raises((StoreUnavailable, DBAPIError)):
        store.read(project_at, tmp_path)
    assert store.read(all_projects) == ()
