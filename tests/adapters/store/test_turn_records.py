from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.store.queries.events import events_after
from holdfast.adapters.store.queries.turns import cancel_turns
from holdfast.adapters.store.store import Store, open_store
from holdfast.adapters.store.turn_log import StoredTurnLog
from holdfast.usecases.turns.ports import TurnBegun, TurnNotBegun, TurnRequest
from holdfast.vocab.events import (
    CallEnded,
    CallStarted,
    Event,
    Said,
    SentinelRaised,
    StepStarted,
    TurnEnded,
    TurnStarted,
)
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import Sentinel, StopReason, UserText
from tests.adapters.store.postgres import Postgres
from tests.adapters.store.queries import messages_of, parts_of, turn_by_id
from tests.places import place_of

CALL = ToolCall("c1", "read_file", {"path": "a.py"})
SAID = Said("Let me look.", "thinking", (CALL,))
ENDED = CallEnded("c1", "read_file", "1 a = 1", None, ("a.py",), ())


CUT = (
    (SentinelRaised(Sentinel("interrupted", "It died.", {})),),
    TurnEnded("interrupted", "It died.", 0, 0, 0, ended_by="recovery"),
)


def _over(stop_reason: StopReason) -> TurnEnded:
    return TurnEnded(stop_reason, "", 1, 0, 0)


def _nothing(_: TurnBegun) -> list[Event]:
    return []


@pytest.fixture
def turns(store: Store, tmp_path: Path) -> StoredTurnLog:
    return _turns(store, tmp_path)


def _turns(store: Store, tmp_path: Path) -> StoredTurnLog:
    root = tmp_path / "project"
    root.mkdir(exist_ok=True)
    return StoredTurnLog(store, place_of(root), TurnLocks(tmp_path / "state"))


def _begin(
    turns: StoredTurnLog, prompt: str | None = "Mend it.", session: str | None = None
) -> TurnBegun:
    begun = turns.begin(TurnRequest(prompt, "qwen", "Rules.", "all", session), _nothing)
    assert isinstance(begun, TurnBegun)
    return begun


def test_a_turn_begins_with_the_prompt_and_the_assistants_message(
    store: Store, turns: StoredTurnLog
) -> None:
    begun = _begin(turns)
    roles = [(each.role, each.status, each.seq) for each in store.query(messages_of, begun.chat)]
    turn = store.query(turn_by_id, begun.turn)
    assert roles == [("user", "done", 1), ("assistant", "running", 2)]
    assert begun.past == (UserText("Mend it."),)
    assert turn is not None
    assert (turn.status, turn.message_id, turn.metadata["model"]) == (
        "running",
        begun.message,
        "qwen",
    )


def test_facts_are_in_the_log_and_the_transcript_as_they_happen(
    store: Store, turns: StoredTurnLog
) -> None:
    begun = _begin(turns)
    turns.keep(begun, [StepStarted(1), SAID, CallStarted(CALL)])
    turns.keep(begun, [ENDED])
    kinds = [(each.seq, each.kind) for each in store.query(events_after, begun.project)]
    parts = [(each.seq, each.kind) for each in store.query(parts_of, begun.message)]
    assert kinds == [(1, "step_started"), (2, "said"), (3, "call_started"), (4, "call_ended")]
    assert parts == [(1, "said"), (2, "call_ended")]


def test_a_session_goes_on_with_all_that_the_model_has_seen_and_no_sentinel(
    turns: StoredTurnLog,
) -> None:
    begun = _begin(turns)
    raised = SentinelRaised(Sentinel("cap_hit", "Stopped.", {"steps": 2, "can_continue": True}))
    turns.keep(begun, [SAID, ENDED, raised])
    turns.end(begun, [], TurnEnded("cap", "Stopped.", 2, 10, 5))
    again = _begin(turns, None, begun.session)
    assert again.past == (UserText("Mend it."), SAID, ENDED)
    assert (again.session, again.chat, again.system) == (begun.session, begun.chat, "Rules.")


def test_where_the_model_had_the_last_word_going_on_says_so(turns: StoredTurnLog) -> None:
    begun = _begin(turns)
    turns.end(begun, [Said("All done.")], _over("done"))
    assert _begin(turns, None, begun.session).past == (
        UserText("Mend it."),
        Said("All done."),
        UserText("Continue."),
    )


def test_the_beginning_of_an_id_is_enough_to_go_on(turns: StoredTurnLog) -> None:
    begun = _begin(turns)
    turns.end(begun, [], _over("done"))
    assert _begin(turns, "More.", begun.session[:6]).session == begun.session


@pytest.mark.parametrize("wanted", ["nonsense", "", "%"])
def test_a_session_that_is_not_there_is_told(turns: StoredTurnLog, wanted: str) -> None:
    told = turns.begin(TurnRequest("x", "m", "s", "t", wanted), _nothing)
    assert isinstance(told, TurnNotBegun)
    assert "no such session" in told.message


def test_a_new_session_needs_a_prompt(turns: StoredTurnLog) -> None:
    assert turns.begin(TurnRequest(None, "m", "s", "t"), _nothing) == TurnNotBegun(
        "there is no prompt; say what is to be done."
    )


def test_other_tools_are_told_anew(turns: StoredTurnLog) -> None:
    begun = _begin(turns)
    turns.end(begun, [], _over("done"))
    other = turns.begin(TurnRequest("x", "m", "Other rules.", "plan", begun.session), _nothing)
    assert isinstance(other, TurnBegun)
    assert other.system == "Other rules."


def test_a_turn_that_is_running_is_not_joined(turns: StoredTurnLog) -> None:
    begun = _begin(turns)
    told = turns.begin(TurnRequest("x", "m", "s", "t", begun.session), _nothing)
    assert isinstance(told, TurnNotBegun)
    assert "still running" in told.message


def test_an_ended_turn_is_not_interrupted(store: Store, turns: StoredTurnLog) -> None:
    begun = _begin(turns)
    turns.end(begun, [], _over("mistakes"))
    assert turns.mark_interrupted(*CUT) == ()
    turn = store.query(turn_by_id, begun.turn)
    assert turn is not None
    assert (turn.status, turn.stop_reason) == ("stopped", "mistakes")


def test_a_running_turn_is_left_alone_by_others(
    store: Store, turns: StoredTurnLog, tmp_path: Path
) -> None:
    _begin(turns)
    assert _turns(store, tmp_path).mark_interrupted(*CUT) == ()


def test_what_is_announced_is_published_with_the_beginning_of_the_turn(
    store: Store, turns: StoredTurnLog
) -> None:
    def announce(begun: TurnBegun) -> list[Event]:
        return [
            TurnStarted(
                begun.session,
                begun.turn,
                "m",
                "",
                chat_id=begun.chat,
                prompt_message_id=begun.prompt_message,
                message_id=begun.message,
            )
        ]

    begun = turns.begin(TurnRequest("Go.", "m", "s", "t"), announce)
    assert isinstance(begun, TurnBegun)
    (row,) = store.query(events_after, begun.project)
    ids = [each.id for each in store.query(messages_of, begun.chat)]
    assert (row.session_id, row.turn_id) == (begun.session, begun.turn)
    assert [row.body["prompt_message_id"], row.body["message_id"]] == ids


def test_a_turn_that_a_restore_has_ended_records_nothing_more(
    store: Store, turns: StoredTurnLog
) -> None:
    begun = _begin(turns)
    store.run(cancel_turns, begun.session)
    turns.end(begun, [StepStarted(1)], _over("done"))
    assert store.query(events_after, begun.project) == ()
    turn = store.query(turn_by_id, begun.turn)
    assert turn is not None
    assert turn.status == "cancelled"


def test_the_turn_of_a_killed_process_is_interrupted_readable_and_goes_on(
    url: str, tmp_path: Path
) -> None:
    with _killed_after_a_call(url, tmp_path), open_store(url) as store:
        turns = _turns(store, tmp_path)
        (session,) = turns.mark_interrupted(*CUT)
        again = _begin(turns, None, session)
        assert again.past == (UserText("Mend it."), SAID)
        (interrupted, _) = (
            each for each in store.query(messages_of, again.chat) if each.role == "assistant"
        )
        assert interrupted.status == "interrupted"
        assert [each.kind for each in store.query(parts_of, interrupted.id)] == ["said", "sentinel"]
        assert [each.kind for each in store.query(events_after, again.project)][-1] == "turn_ended"
        assert turns.mark_interrupted(*CUT) == ()


@contextmanager
def _killed_after_a_call(url: str, tmp_path: Path) -> Iterator[None]:
    child = os.fork()
    if child == 0:
        with open_store(url) as store:
            turns = _turns(store, tmp_path)
            begun = _begin(turns)
            turns.keep(begun, [StepStarted(1), SAID, CallStarted(CALL)])
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    yield


def test_a_step_is_recorded_in_three_round_trips_to_postgresql(
    postgres: Postgres, tmp_path: Path
) -> None:
    with (
        postgres.database() as url,
        open_store(url) as store,
        (tmp_path / "trace").open("wb") as trace,
    ):
        turns = _turns(store, tmp_path)
        begun = _begin(turns)
        with store.read() as connection:
            session = connection.connection.driver_connection.pgconn  # type: ignore[union-attr]
        session.trace(trace.fileno())
        turns.keep(begun, [StepStarted(1), SAID, CallStarted(CALL), ENDED])
        session.untrace()
    # BEGIN, all rows at once, COMMIT.
    lines = (tmp_path / "trace").read_text().splitlines()
    assert sum("ReadyForQuery" in line for line in lines) == 3, lines
