"""The transcript and the backend in the store keep what their ports promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from holdfast.adapters.store.agent_eviction import StoredAgents
from holdfast.adapters.store.queries.agent_sessions import add_agent_session
from holdfast.adapters.store.queries.checkpoints import checkpoint_by_id
from holdfast.adapters.store.queries.turns import begin_turn, end_turn
from holdfast.adapters.store.store import Store
from holdfast.adapters.store.store_errors import StoreUnavailable
from holdfast.adapters.store.tables import agent_sessions, checkpoints, messages, turns
from holdfast.adapters.store.transcript import StoredTranscript
from holdfast.checkpoints.checkpoint import (
    Checkpoint,
    CheckpointDraft,
    CheckpointKind,
    WorktreeState,
)
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed, Exchanged
from holdfast.vocab.owned_event import OwnedEvent
from tests.adapters.store.queries import last_message
from tests.adapters.store.talk import rows, say
from tests.adapters.store.world import World, new_world
from tests.places import place_of


@pytest.fixture
def world(store: Store) -> World:
    return store.run(new_world)


@pytest.fixture
def transcript(store: Store, tmp_path: Path) -> StoredTranscript:
    return StoredTranscript(lambda: store, place_of(tmp_path))


@pytest.fixture
def turn(store: Store, world: World, transcript: StoredTranscript) -> Callable[[str], Checkpoint]:
    """Have a turn begin, and give its checkpoint."""

    def begin(name: str) -> Checkpoint:
        store.run(say, world.chat.id, "user", name)
        taken = checkpoint(world, name, "turn", store.run(say, world.chat.id, "assistant", name))
        transcript.record(taken, [])
        return taken

    return begin


def counts(exchanged: Exchanged) -> tuple[int, int]:
    return len(exchanged.messages_removed), len(exchanged.messages_brought_back)


def nothing(_: object) -> list[OwnedEvent]:
    return []


def checkpoint(world: World, name: str, kind: CheckpointKind, message: str | None) -> Checkpoint:
    draft = CheckpointDraft(
        name, kind, "now", name, session=world.session.id, chat=world.chat.id, message=message
    )
    return Checkpoint(draft, WorktreeState("t"), 1, "c" * 40, "main")


def test_an_exchange_that_is_made_again_changes_nothing_and_counts_the_same(
    store: Store, world: World, transcript: StoredTranscript, turn: Callable[[str], Checkpoint]
) -> None:
    first, second = turn("one"), turn("two")
    point = checkpoint(world, "u", "undo", first.draft.message)
    assert transcript.following(first) == 3
    assert counts(transcript.exchange(first, point, ["two"], nothing)) == (3, 0)
    state = [store.query(rows, table) for table in (checkpoints, messages)]
    assert counts(transcript.exchange(first, point, ["two"], nothing)) == (3, 0)
    assert [store.query(rows, table) for table in (checkpoints, messages)] == state
    assert (transcript.following(first), transcript.following(point)) == (0, 0)
    back = checkpoint(world, "v", "undone", first.draft.message)
    for _ in range(2):
        came = transcript.exchange(point, back, [], nothing, uses_up_target=True)
        assert counts(came) == (0, 3)
    assert transcript.following(second) == 1
    assert store.query(checkpoint_by_id, "u") is None
    assert len(store.query(rows, messages)) == 4


def test_what_is_said_after_the_cut_has_numbers_of_its_own_and_is_exchanged_in_turn(
    store: Store, world: World, transcript: StoredTranscript, turn: Callable[[str], Checkpoint]
) -> None:
    first = turn("one")
    point = checkpoint(world, "u", "undo", first.draft.message)
    transcript.exchange(first, point, [], nothing)
    store.run(say, world.chat.id, "assistant", "other")
    back = checkpoint(world, "v", "undone", first.draft.message)
    assert counts(transcript.exchange(point, back, [], nothing)) == (1, 1)
    last = store.query(last_message, world.chat.id)
    assert (last.metadata, last.seq) == ({"words": "one"}, 2)


def test_a_number_that_left_with_an_orphan_is_given_to_nobody_else(
    store: Store, world: World, transcript: StoredTranscript, turn: Callable[[str], Checkpoint]
) -> None:
    first, second = turn("one"), turn("two")
    transcript.exchange(
        first, checkpoint(world, "u", "undo", first.draft.message), ["two"], nothing
    )
    turn("three")
    point = checkpoint(world, "u", "undo", first.draft.message)
    back = checkpoint(world, "v", "undone", first.draft.message)
    transcript.exchange(point, back, ["three"], nothing, uses_up_target=True)
    assert transcript.following(second) == 1
    seqs = [row["seq"] for row in store.query(rows, checkpoints)]
    assert len(seqs) == len(set(seqs)) == 3


def test_the_place_of_a_checkpoint_is_not_known_without_its_row_or_message(
    world: World, transcript: StoredTranscript, turn: Callable[[str], Checkpoint]
) -> None:
    taken = turn("one")
    assert transcript.following(checkpoint(world, "other", "turn", taken.draft.message)) == 1
    assert transcript.following(checkpoint(world, "other", "turn", "no such message")) is None
    assert transcript.following(checkpoint(world, "other", "turn", None)) is None
    # A point without a row belongs to a restore that never came to the messages.
    assert transcript.following(checkpoint(world, "other", "undo", taken.draft.message)) is None


@pytest.mark.parametrize(
    ("part", "told"), [("session", "session x"), ("chat", "chat x"), ("message", "message x")]
)
def test_a_checkpoint_of_nobody_that_the_store_knows_is_not_recorded(
    store: Store, world: World, transcript: StoredTranscript, part: str, told: str
) -> None:
    owner = {"session": world.session.id, "chat": world.chat.id, "message": None, part: "x"}
    draft = CheckpointDraft("a", "turn", "now", **owner)  # type: ignore[arg-type]
    with pytest.raises(ConversationFailed, match=told):
        transcript.record(Checkpoint(draft, WorktreeState("t"), 1, "c", "main"), [])
    assert store.query(rows, checkpoints) == []


def test_a_message_of_another_chat_is_no_anchor(
    store: Store, world: World, transcript: StoredTranscript
) -> None:
    stranger = store.run(new_world)
    message = store.run(say, stranger.chat.id, "assistant", "elsewhere")
    with pytest.raises(ConversationFailed, match="message"):
        transcript.record(checkpoint(world, "a", "turn", message), [])
    assert transcript.following(checkpoint(world, "a", "turn", message)) is None


def test_an_evicted_session_has_no_turn_that_runs_and_no_agent_that_remembers(
    store: Store, world: World
) -> None:
    other = store.run(new_world)
    for each in (world, other):
        store.run(begin_turn, each.chat.id)
        ended = store.run(begin_turn, each.chat.id)
        store.run(end_turn, ended.id, status="done", stop_reason="end")
        store.run(add_agent_session, each.session.id, agent="a", backend="b", status="idle")
    backend = StoredAgents(lambda: store)
    # Twice: there is nothing left to evict.
    assert [backend.evict(world.session.id, nothing) for _ in range(2)] == [True, False]
    told = {(row["chat_id"], row["status"], row["stop_reason"]) for row in store.query(rows, turns)}
    assert told == {
        (world.chat.id, "cancelled", "restore"),
        (world.chat.id, "done", "end"),
        (other.chat.id, "running", None),
        (other.chat.id, "done", "end"),
    }
    agents = {(row["session_id"], row["status"]) for row in store.query(rows, agent_sessions)}
    assert agents == {(world.session.id, "crashed"), (other.session.id, "idle")}


def test_a_turn_of_a_dead_process_is_cancelled_and_counts_as_nothing_that_was_reset(
    store: Store, world: World
) -> None:
    dead = store.run(begin_turn, world.chat.id)
    assert StoredAgents(lambda: store).evict(world.session.id, nothing) is False
    (row,) = store.query(rows, turns)
    assert (row["id"], row["status"], row["generation"]) == (dead.id, "cancelled", 1)


def test_a_store_that_cannot_be_opened_is_named() -> None:
    def closed() -> Store:
        raise StoreUnavailable("there: cannot be opened.")

    with pytest.raises(ConversationFailed, match=r"there: cannot be opened\."):
        StoredAgents(closed).evict("s", nothing)


def test_an_exchange_takes_as_many_statements_for_one_turn_as_for_many(
    store: Store, world: World, transcript: StoredTranscript, turn: Callable[[str], Checkpoint]
) -> None:
    first = turn("first")
    counted = []
    for number, name in enumerate(("few", "many")):
        later = [turn(f"{name} {each}").id for each in range(1 + 8 * number)]
        point = checkpoint(world, f"u{number}", "undo", first.draft.message)
        back = checkpoint(world, f"v{number}", "undone", first.draft.message)
        with statements(store) as out:
            transcript.exchange(first, point, later, nothing)
        with statements(store) as again:
            transcript.exchange(point, back, [], nothing, uses_up_target=True)
        counted.append((len(out), len(again)))
        transcript.exchange(first, checkpoint(world, f"w{number}", "undo", None), later, nothing)
    assert counted[0] == counted[1]


@contextmanager
def statements(store: Store) -> Iterator[list[str]]:
    """Collect the statements that the store executes."""
    seen: list[str] = []

    def see(*values: Any) -> None:
        seen.append(values[2])

    engine = store._engine
    event.listen(engine, "before_cursor_execute", see)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", see)
