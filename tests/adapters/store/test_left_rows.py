"""What a restore takes out of a chat comes back exactly, or is forgotten; nothing in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select

from holdfast.adapters.store.queries.checkpoints import (
    add_checkpoint,
    checkpoint_by_id,
    remove_checkpoints,
)
from holdfast.adapters.store.queries.left_rows import (
    bring_back,
    left_messages,
    remove_left,
    take_out,
)
from holdfast.adapters.store.queries.messages import append_message
from holdfast.adapters.store.queries.statements import records
from holdfast.adapters.store.queries.turns import begin_turn
from holdfast.adapters.store.queries.worktrees import worktree_at
from holdfast.adapters.store.rows import PartRow
from holdfast.adapters.store.store import Store
from holdfast.adapters.store.tables import (
    changes,
    chats,
    checkpoints,
    message_parts,
    messages,
    turns,
    worktrees,
)
from tests.adapters.store.queries import (
    append_part,
    checkpoints_of_chat,
    last_message,
    left_checkpoints,
    messages_of,
    parts_of,
    remove_row,
)
from tests.adapters.store.world import new_world
from tests.places import place_of

pytestmark = pytest.mark.integration


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
    left = take_out(connection, chat_id, from_seq, orphans, undo_id)
    assert set(left.checkpoints) == set(orphans)
    return len(left.messages)


def _all(connection: Connection, chat_id: str) -> Any:
    found = messages_of(connection, chat_id)
    there = (messages.c.chat_id == chat_id, messages.c.left_with.is_(None))
    query = select(message_parts).join(messages).where(*there)
    parts = records(connection, PartRow, query.order_by(messages.c.seq, message_parts.c.seq))
    grouped = [[part for part in parts if part.message_id == message.id] for message in found]
    return found, grouped, checkpoints_of_chat(connection, chat_id)


def back(store: Store, undo_id: str) -> tuple[int, tuple[str, ...]]:
    """Bring back what left; return how many messages and which checkpoints came."""
    came = store.run(bring_back, undo_id)
    return len(came.messages), came.checkpoints


def _size(connection: Connection) -> int:
    """Count the rows that have left."""
    count = 0
    for table in (messages, turns, changes, checkpoints):
        query = select(func.count()).select_from(table).where(table.c.left_with.is_not(None))
        count += connection.execute(query).scalar_one()
    return count


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
    assert store.query(left_checkpoints, "u1") == ("t3",)
    assert len(store.query(left_messages, "u1")) == 3


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


def test_a_chat_that_went_on_has_numbers_of_its_own_and_both_can_be_had(
    store: Store, chat: str
) -> None:
    before = store.query(_all, chat)
    store.run(_undo_point, chat, "u1")
    store.run(_cut, chat, 4, "u1", "t3")
    store.run(_answer, chat, "t4")
    assert [row.seq for row in store.query(messages_of, chat)] == [1, 2, 3, 7]
    store.run(_undo_point, chat, "u2")
    assert store.run(_cut, chat, 4, "u2", "t4") == 1
    assert back(store, "u1") == (3, ("t3",))
    transcript, parts, taken = store.query(_all, chat)
    assert (transcript, parts) == before[:2]
    assert [each.id for each in taken] == ["t1", "t2", "t3", "u1", "u2"]


def test_a_turn_leaves_with_its_message_and_comes_back_with_it(store: Store, chat: str) -> None:
    answer = store.query(last_message, chat)
    first, second = store.query(messages_of, chat)[1].id, answer.id
    kept = store.run(begin_turn, chat, message_id=first).id
    turn = store.run(begin_turn, chat, message_id=second).id
    left = store.run(take_out, chat, 6, (), "u1")
    assert (left.messages, left.turns) == ((answer.id,), (turn,))
    assert store.run(bring_back, "u1").turns == (turn,)
    assert kept not in left.turns


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
    assert store.query(left_checkpoints, "u2") == ("u1", "t4")


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


def test_what_left_with_some_undo_points_is_removed_and_the_rest_stays(
    store: Store, chat: str
) -> None:
    store.run(_undo_point, chat, "u1")
    store.run(_cut, chat, 6, "u1")
    store.run(_undo_point, chat, "u2")
    store.run(_cut, chat, 5, "u2")
    store.run(remove_left, ["u1", "nobody"])
    assert back(store, "u1") == (0, ())
    assert back(store, "u2") == (1, ())


def test_an_undo_point_that_left_takes_along_what_left_with_it(store: Store, chat: str) -> None:
    store.run(_undo_point, chat, "u1")
    store.run(_cut, chat, 6, "u1")
    store.run(_undo_point, chat, "u2")
    store.run(_cut, chat, 2, "u2", "t2", "t3", "u1")
    assert store.query(left_checkpoints, "u2") == ("t2", "t3", "u1")
    assert store.run(remove_checkpoints, ["u2"]) == 1
    assert store.query(_size) == 0


def test_a_part_that_is_added_to_a_message_that_left_comes_back_with_it(
    store: Store, chat: str
) -> None:
    last = store.query(last_message, chat)
    store.run(take_out, chat, 6, (), "u1")
    store.run(append_part, last.id, kind="text", body="the latest")
    store.run(bring_back, "u1")
    assert len(store.query(parts_of, last.id)) == 3


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(answers=st.integers(1, 3), cuts=st.lists(st.integers(1, 4), min_size=1, max_size=2))
def test_any_restores_undone_in_reverse_give_back_the_transcript(
    store: Store, answers: int, cuts: list[int]
) -> None:
    def law(connection: Connection) -> None:
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
            bring_back(connection, f"{chat_id}-u{number}")
            assert _all(connection, chat_id) == states[number]

    store.run(law)
