"""Sessions, their messages and the queue, on both databases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.store.queries.checkpoints import add_checkpoint
from holdfast.adapters.store.sessions.message_pages import StoredMessages
from holdfast.adapters.store.sessions.message_queue import StoredQueue
from holdfast.adapters.store.sessions.session_log import StoredSessions
from holdfast.adapters.store.store import Store
from holdfast.adapters.store.turn_log import StoredTurnLog
from holdfast.loop.context.ledger import Ledger
from holdfast.usecases.sessions.message_ports import (
    Attachment,
    NewMessage,
    TranscriptMessage,
)
from holdfast.usecases.sessions.session_records import NewSession, SessionQuery
from holdfast.usecases.turns.ports import TurnBegun, TurnNotBegun, TurnRequest
from holdfast.vocab.events import CallEnded, Said, TextArrived, TurnEnded, TurnStarted
from tests.places import place_of

PLACE = place_of(Path("/work/here"))


class Stage:
    """A project in a store, with its sessions."""

    def __init__(self, store: Store, state: Path) -> None:
        self.store = store
        self.locks = TurnLocks(state)
        self.sessions = StoredSessions(lambda: store, PLACE, self.locks)
        self.messages = StoredMessages(lambda: store, PLACE)
        self.queue = StoredQueue(lambda: store, PLACE)
        self.turns = StoredTurnLog(store, PLACE, self.locks)

    def begin(self, session: str, prompt: str) -> TurnBegun:
        """Begin the turn of a queued message."""
        queued, _ = self.queue.add(session, NewMessage(prompt))
        opening = TurnRequest(prompt, "m", "system", "tools", session, queued=queued)
        begun = self.turns.begin(
            opening, lambda begun: [TurnStarted(begun.session, begun.turn, "m", prompt)]
        )
        assert isinstance(begun, TurnBegun)
        assert (begun.turn, begun.prompt_message) == (queued.turn_id, queued.id)
        return begun

    def turn(self, session: str, prompt: str, answer: str) -> TurnBegun:
        """Play a turn that reads a file and answers."""
        begun = self.begin(session, prompt)
        self.turns.keep(begun, [TextArrived(answer[:3])])
        read = CallEnded("1", "read_file", "x", read=("a.py",), modified=("b.py",))
        self.turns.keep(begun, [read, TextArrived(answer), Said(answer)])
        self.turns.end(begun, [], TurnEnded("done", "Done.", 1, 1, 1))
        return begun

    def checkpoint(self, begun: TurnBegun, checkpoint_id: str) -> None:
        """Record the checkpoint before a turn."""
        self.store.run(
            add_checkpoint,
            checkpoint_id=checkpoint_id,
            commit_sha="c",
            kind="turn",
            chat_id=begun.chat,
            session_id=begun.session,
            message_id=begun.message,
        )


@pytest.fixture
def stage(store: Store, tmp_path: Path) -> Stage:
    return Stage(store, tmp_path)


def test_a_list_has_the_state_of_each_session_and_its_last_words(stage: Stage) -> None:
    idle = stage.sessions.create(NewSession("idle", "qwen", "big", "ask"))
    done = stage.sessions.create(NewSession())
    stage.turn(done, "Count the ÄPFEL", "There are 5 %.")
    running = stage.sessions.create(NewSession("running"))
    begun = stage.begin(running, "go")
    listed = {each.id: each for each in stage.sessions.list()}
    assert (listed[idle].state, listed[idle].agent, listed[idle].model) == ("done", "qwen", "big")
    shown = listed[done]
    assert (shown.title, shown.last_words) == ("Count the ÄPFEL", "There are 5 %.")
    assert (shown.messages, shown.turns, shown.last_turn) == (2, 1, "done")
    assert listed[running].state == "running"
    assert [each.id for each in stage.sessions.list(SessionQuery(state="running"))] == [running]
    stage.locks.drop(begun.turn)
    assert [each.id for each in stage.sessions.list(SessionQuery(state="stopped"))] == [running]
    turn = stage.sessions.turn(begun.turn)
    assert turn is not None
    assert (turn.session, turn.status, turn.runs) == (running, "running", False)


@pytest.mark.parametrize("text", ["äpfel", "5 %", "ARE 5", "count THE"])
def test_a_search_finds_words_of_titles_and_messages(stage: Stage, text: str) -> None:
    stage.turn(stage.sessions.create(NewSession("other")), "50 things", '"text": no _')
    found = stage.sessions.create(NewSession("x"))
    stage.turn(found, "Count the ÄPFEL", "There are 5 %.")
    assert [each.id for each in stage.sessions.list(SessionQuery(text=text))] == [found]
    assert stage.sessions.list(SessionQuery(text="calls")) == ()


def test_pages_of_messages_come_newest_first_until_there_are_no_more(stage: Stage) -> None:
    session = stage.sessions.create(NewSession("s"))
    turns = [stage.turn(session, f"prompt {n}", f"answer {n}") for n in range(3)]
    first = stage.messages.page(session, limit=4)
    second = stage.messages.page(session, before=first.before, limit=4)
    assert second.before is None
    got = [*first.messages, *second.messages]
    assert [each.turn_id for each in got] == [
        turn.turn for turn in reversed(turns) for _ in ("answer", "prompt")
    ]
    answer = got[0]
    assert [part.kind for part in answer.parts] == ["call_ended", "said"]
    kinds = [event.kind for event in answer.events]
    assert kinds == ["message_queued", "turn_started", "call_ended", "said", "turn_ended"]
    assert got[1].parts[0].body == {"text": "prompt 2"}
    ledger = stage.messages.ledger(session)
    assert ledger == Ledger(frozenset({"a.py"}), frozenset({"b.py"}))


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_pages_of_any_size_have_the_same_messages_also_a_prompt_and_its_answer_apart(
    stage: Stage, limit: int
) -> None:
    session = stage.sessions.create(NewSession("s"))
    for number in range(3):
        begun = stage.turn(session, f"prompt {number}", f"answer {number}")
        stage.checkpoint(begun, f"checkpoint {number}")
    whole = stage.messages.page(session, limit=6).messages
    assert pages(stage.messages, session, limit) == whole
    assert len({each.turn_id for each in whole}) == 3
    assert None not in {each.checkpoint_id for each in whole}


def test_a_page_of_long_messages_ends_early_and_the_next_one_goes_on(stage: Stage) -> None:
    session = stage.sessions.create(NewSession("s"))
    for number in range(3):
        stage.turn(session, f"prompt {number}", f"answer {number}")
    # An answer has two parts, a prompt one.
    short = StoredMessages(lambda: stage.store, PLACE, most_parts=4)
    roles = [each.role for each in short.page(session).messages]
    assert roles == ["assistant", "user", "assistant"]
    assert pages(short, session, 50) == stage.messages.page(session).messages


def pages(messages: StoredMessages, session: str, limit: int) -> tuple[TranscriptMessage, ...]:
    """Return the messages of all pages."""
    page = messages.page(session, limit=limit)
    found = page.messages
    while page.before is not None:
        page = messages.page(session, before=page.before, limit=limit)
        found += page.messages
    return found


def test_the_text_of_a_step_that_is_not_settled_is_among_the_events(stage: Stage) -> None:
    session = stage.sessions.create(NewSession("s"))
    begun = stage.begin(session, "go")
    stage.turns.keep(begun, [TextArrived("one"), Said("one"), TextArrived("tw")])
    (answer, _) = stage.messages.page(session).messages
    texts = [event.body["text"] for event in answer.events if event.kind in {"text", "said"}]
    assert texts == ["one", "tw"]
    assert answer.state == "running"


def test_a_message_is_queued_once_edited_and_removed(stage: Stage) -> None:
    session = stage.sessions.create(NewSession("s"))
    new = NewMessage("odd \0 \ud800", (Attachment("n", "text"),), "mine")
    queued, is_new = stage.queue.add(session, new)
    assert is_new
    assert stage.queue.add(session, replace(new, text="other")) == (queued, False)
    later, _ = stage.queue.add(session, NewMessage("later"))
    assert stage.queue.first(session) == queued
    edited = stage.queue.edit(session, queued.id, "even")
    assert edited == replace(queued, text="even")
    assert stage.queue.remove(session, queued.id)
    assert not stage.queue.remove(session, queued.id)
    assert stage.queue.edit(session, queued.id, "odd") is None
    assert stage.queue.waiting(session) == (later,)
    assert stage.queue.add(session, new)[1] is False
    gone = TurnRequest("odd", "m", "", "", session, queued=queued)
    begun = stage.turns.begin(gone, lambda _: [])
    assert isinstance(begun, TurnNotBegun)
    assert "does not wait any more" in begun.message


def test_a_fork_copies_the_messages_before_a_checkpoint_and_their_texts(
    stage: Stage, store: Store
) -> None:
    source = stage.sessions.create(NewSession("s"))
    stage.turn(source, "first", "one")
    second = stage.turn(source, "second", "two")
    stage.checkpoint(second, "k")
    fork = stage.sessions.create(NewSession("fork"))
    assert stage.sessions.copy_transcript(source, "k", fork) is not None
    copied = stage.messages.page(fork).messages
    texts = [[part.body["text"] for part in each.parts] for each in reversed(copied)]
    assert texts == [["first"], ["x", "one"], ["second"]]
    begun = stage.begin(fork, "third")
    assert [type(each).__name__ for each in begun.past] == [
        "UserText",
        "CallEnded",
        "Said",
        "UserText",
        "UserText",
    ]
    assert stage.sessions.copy_transcript(fork, "k", fork) is None
