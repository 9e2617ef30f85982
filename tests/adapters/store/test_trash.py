"""What a restore takes out of a chat comes back exactly, or is forgotten; nothing in between."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select, text

from holdfast.adapters.store.queries.checkpoints import (
    add_checkpoint,
    checkpoint_by_id,
    remove_checkpoints,
)
from holdfast.adapters.store.queries.messages import append_message
from holdfast.adapters.store.queries.statements import records
from holdfast.adapters.store.queries.trash import (
    BroughtBack,
    InTheWay,
    bring_back,
    empty_trash,
    move_checkpoints_to_trash,
    move_messages_to_trash,
    trashed_messages,
)
from holdfast.adapters.store.queries.worktrees import worktree_at
from holdfast.adapters.store.records import PartRow
from holdfast.adapters.store.store import Store, open_store
from holdfast.adapters.store.tables import chats, message_parts, messages, trash, worktrees
from tests.adapters.store.queries import (
    append_part,
    checkpoints_of_chat,
    last_message,
    messages_of,
    parts_of,
    remove_row,
    trashed_checkpoints,
)
from tests.adapters.store.world import new_world
from tests.places import place_of


def _turn(connection: Connection, chat_id: str, name: str, worktree_id: str | None = None) -> None:
    """One turn: a prompt, the assistant's message, and the checkpoint that precedes it."""
    prompt = append_message(connection, chat_id, role="user")
    append_part(connection, prompt.id, kind="text", body={"text": f"do {name}"})
    _answer(connection, chat_id, name, worktree_id)


def _answer(
    connection: Connection, chat_id: str, name: str, worktree_id: str | None = None
) -> None:
    answer = append_message(connection, chat_id, role="assistant", metadata={"tokens": 3})
    for word in ("one", "two"):
        append_part(
            connection, answer.id, kind="text", body={"text": f"{name} {word}", "nul": "\0\ud800"}
        )
    add_checkpoint(
        connection,
        checkpoint_id=name,
        commit_sha="a" * 40,
        kind="turn",
        label=name,
        worktree_id=worktree_id,
        chat_id=chat_id,
        message_id=answer.id,
    )


def _undo_point(connection: Connection, chat_id: str, name: str) -> None:
    add_checkpoint(
        connection, checkpoint_id=name, commit_sha="b" * 40, kind="undo", chat_id=chat_id
    )


def _cut(connection: Connection, chat_id: str, from_seq: int, undo_id: str, *orphans: str) -> int:
    left = move_messages_to_trash(connection, chat_id, from_seq, undo_id)
    assert set(move_checkpoints_to_trash(connection, orphans, undo_id)) == set(orphans)
    return len(left)


def _all(connection: Connection, chat_id: str) -> Any:
    found = messages_of(connection, chat_id)
    query = select(message_parts).join(messages).where(messages.c.chat_id == chat_id)
    parts = records(connection, PartRow, query.order_by(messages.c.seq, message_parts.c.seq))
    grouped = [[part for part in parts if part.message_id == message.id] for message in found]
    return found, grouped, checkpoints_of_chat(connection, chat_id)


def back(store: Store, undo_id: str) -> tuple[int, tuple[str, ...]]:
    """Bring back what the trash has; return how many messages and which checkpoints came."""
    came = store.run(bring_back, undo_id)
    assert isinstance(came, BroughtBack)
    return len(came.messages), came.checkpoints


def _size(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(trash)).scalar_one()


@pytest.fixture
def chat(store: Store) -> str:
    chat_id = store.run(new_world).chat.id
    for name in ("t1", "t2", "t3"):
        store.run(_turn, chat_id, name)
    return chat_id


def test_messages_leave_from_the_anchor_on_and_the_prompt_stays_last(
    store: Store, chat: str
) -> None:
    store.run(_undo_point, chat, "u1")
    before = store.query(_all, chat)
    assert store.run(_cut, chat, 4, "u1", "t3") == 3
    transcript, parts, checkpoints = store.query(_all, chat)
    assert transcript == before[0][:3]
    assert transcript[-1].role == "user"
    assert parts == before[1][:3]
    assert [each.id for each in checkpoints] == ["t1", "t2", "u1"]
    assert store.query(trashed_checkpoints, "u1") == ("t3",)
    assert len(store.query(trashed_messages, "u1")) == 3


def test_what_left_comes_back_exactly(store: Store, chat: str) -> None:
    store.run(_undo_point, chat, "u1")
    before = store.query(_all, chat)
    store.run(_cut, chat, 2, "u1", "t2", "t3")
    assert back(store, "u1") == (5, ("t2", "t3"))
    assert store.query(_all, chat) == before
    assert store.query(_size) == 0
    assert back(store, "u1") == (0, ())


def test_a_failure_in_the_middle_leaves_all_where_it_was(store: Store, chat: str) -> None:
    before = store.query(_all, chat)

    def fail(connection: Connection) -> None:
        _cut(connection, chat, 2, "u1", "t2", "t3")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.run(fail)
    assert store.query(_all, chat) == before
    assert store.query(_size) == 0


def test_a_chat_that_went_on_is_in_the_way_until_its_new_messages_are_moved(
    store: Store, chat: str
) -> None:
    before = store.query(_all, chat)
    store.run(_undo_point, chat, "u1")
    store.run(_cut, chat, 4, "u1", "t3")
    store.run(_answer, chat, "t4")
    went_on = store.query(_all, chat)
    assert store.run(bring_back, "u1") == InTheWay(chat, 4)
    assert store.query(_all, chat) == went_on
    store.run(_undo_point, chat, "u2")
    assert store.run(_cut, chat, 4, "u2", "t4") == 1
    assert back(store, "u1") == (3, ("t3",))
    transcript, parts, checkpoints = store.query(_all, chat)
    assert (transcript, parts) == before[:2]
    assert [each.id for each in checkpoints] == ["t1", "t2", "t3", "u1", "u2"]


def test_a_restore_of_the_same_checkpoint_again_cuts_at_the_same_place(
    store: Store, chat: str
) -> None:
    store.run(_undo_point, chat, "u1")
    store.run(_cut, chat, 4, "u1", "t3")
    store.run(_answer, chat, "t4")
    target = store.query(checkpoint_by_id, "t2")
    assert target is not None
    assert target.message_seq == 4
    store.run(_undo_point, chat, "u2")
    assert store.run(_cut, chat, 4, "u2", "u1", "t4") == 1
    last = store.query(last_message, chat)
    assert (last.seq, last.role) == (3, "user")
    assert store.query(trashed_checkpoints, "u2") == ("u1", "t4")


def test_what_has_lost_its_chat_does_not_come_back(store: Store, chat: str) -> None:
    store.run(_cut, chat, 2, "u1", "t2", "t3")
    store.run(remove_row, chats, chat)
    assert back(store, "u1") == (0, ())
    assert store.query(_size) == 0


def test_a_checkpoint_comes_back_without_the_worktree_that_is_gone(
    store: Store, tmp_path: Path
) -> None:
    world = store.run(new_world)
    worktree = store.run(worktree_at, place_of(tmp_path), project_id=world.project.id)
    store.run(_turn, world.chat.id, "t1", worktree.id)
    store.run(_turn, world.chat.id, "t2", worktree.id)
    store.run(_cut, world.chat.id, 2, "u1", "t2")
    store.run(remove_row, worktrees, worktree.id)
    assert back(store, "u1") == (3, ("t2",))
    found = store.query(checkpoint_by_id, "t2")
    assert found is not None
    assert found.worktree_id is None


def test_the_trash_of_some_undo_points_is_emptied_and_the_rest_stays(
    store: Store, chat: str
) -> None:
    store.run(_undo_point, chat, "u1")
    store.run(_cut, chat, 6, "u1")
    store.run(_undo_point, chat, "u2")
    store.run(_cut, chat, 5, "u2")
    assert store.run(empty_trash, ["u1", "nobody"]) == 3
    assert back(store, "u1") == (0, ())
    assert back(store, "u2") == (1, ())


def test_an_undo_point_that_is_thrown_away_with_the_trash_takes_its_own_trash_along(
    store: Store, chat: str
) -> None:
    store.run(_undo_point, chat, "u1")
    store.run(_cut, chat, 6, "u1")
    store.run(_undo_point, chat, "u2")
    store.run(_cut, chat, 2, "u2", "t2", "t3", "u1")
    assert store.query(trashed_checkpoints, "u2") == ("t2", "t3", "u1")
    assert store.run(remove_checkpoints, ["u2"]) == 1
    assert store.query(_size) == 0


def test_all_of_the_trash_is_emptied(store: Store, chat: str) -> None:
    store.run(_cut, chat, 2, "u1", "t2", "t3")
    # Five messages with eight parts, and two checkpoints.
    assert store.run(empty_trash, "all") == 15
    assert store.query(_size) == 0


def test_a_part_that_is_being_added_meanwhile_is_not_lost(
    store: Store, url: str, chat: str
) -> None:
    if not url.startswith("postgresql"):
        pytest.skip("SQLite lets one writer in at a time")
    last = store.query(last_message, chat)

    with open_store(url) as theirs, ThreadPoolExecutor(1) as other:
        with theirs.write() as adding:
            append_part(adding, last.id, kind="text", body="the latest")
            cutting = other.submit(store.run, move_messages_to_trash, chat, 6, "u1")
            while not _somebody_waits(adding):
                pass
        assert cutting.result() == (last.id,)
    store.run(bring_back, "u1")
    assert len(store.query(parts_of, last.id)) == 3


def _somebody_waits(connection: Connection) -> bool:
    """Say whether somebody waits for a lock in this database."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    # What it shows is else one moment for the whole of a transaction.
    connection.execute(text("SELECT pg_stat_clear_snapshot()"))
    return bool(connection.execute(text(query)).scalar_one())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(answers=st.integers(1, 3), cuts=st.lists(st.integers(1, 4), min_size=1, max_size=2))
def test_any_restores_undone_in_reverse_give_back_the_transcript(
    store: Store, answers: int, cuts: list[int]
) -> None:
    def law(connection: Connection) -> None:
        empty_trash(connection, "all")
        chat_id = new_world(connection).chat.id
        for number in range(answers):
            _answer(connection, chat_id, f"{chat_id}-{number}")
        states = []
        for number, cut in enumerate(cuts):
            there = _all(connection, chat_id)
            states.append(there)
            later = [
                each.id
                for each in there[2]
                if each.message_seq is not None and each.message_seq > cut
            ]
            _cut(connection, chat_id, cut, f"{chat_id}-u{number}", *later)
        for number in reversed(range(len(cuts))):
            assert isinstance(bring_back(connection, f"{chat_id}-u{number}"), BroughtBack)
            assert _all(connection, chat_id) == states[number]

    store.run(law)
