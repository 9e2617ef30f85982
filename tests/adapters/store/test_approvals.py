"""Questions on record: with their events, answered once, closed with their turn, and out of it with a restore."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.processes.process_identity import this_process
from holdfast.adapters.processes.turn_processes import TurnProcesses
from holdfast.adapters.store.agent_eviction import StoredAgents
from holdfast.adapters.store.queries.events import events_after
from holdfast.adapters.store.queries.left_rows import bring_back, take_out
from holdfast.adapters.store.running_turns import StoredRunningTurns
from holdfast.adapters.store.sessions.approvals import StoredApprovals
from holdfast.adapters.store.store import Store, open_store
from holdfast.adapters.store.tables import approvals, sessions
from holdfast.adapters.store.turn_log import StoredTurnLog
from holdfast.usecases.approvals.ports import (
    AnsweredBefore,
    AnswerOutcome,
    AnswerRecorded,
    NewQuestion,
    NobodyWaits,
)
from holdfast.usecases.events.event_json import event_from_json
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.sessions.ports import RunningTurn
from holdfast.usecases.turns.ports import TurnBegun, TurnRequest
from holdfast.vocab.approvals import ApprovalAnswer
from holdfast.vocab.cancellation import TurnStopped
from holdfast.vocab.events import ApprovalAsked, ApprovalGiven, Event, TurnEnded
from tests.adapters.store.queries import remove_row
from tests.adapters.store.talk import rows
from tests.places import place_of

DONE = TurnEnded("done", "Done.", 1, 0, 0)
CUT = TurnEnded("interrupted", "Cut.", 0, 0, 0, ended_by="recovery")
STOPPED = TurnEnded("cancelled", "Stopped.", 0, 0, 0, ended_by="stop")
OPTIONS: tuple[ApprovalAnswer, ...] = ("once", "session", "always", "deny")


class Scene:
    """A turn that runs, and its questions."""

    def __init__(self, store: Store, place: Path) -> None:
        self.store = store
        self.place = place_of(place)
        self.locks = TurnLocks(place)
        self.log = StoredTurnLog(store, self.place, self.locks)
        self.questions = StoredApprovals(lambda: store, self.place, self.locks)
        begun = self.log.begin(TurnRequest("Go.", "m", "s", "t"), lambda _: ())
        assert isinstance(begun, TurnBegun)
        self.begun = begun

    def ask(self, subject: str = "make") -> ApprovalAsked:
        return self.questions.open(
            NewQuestion(self.begun.session, self.begun.turn, "command", subject, "why", OPTIONS)
        )

    def answers(self) -> list[tuple[str, str | None, str | None]]:
        found = self.store.query(rows, approvals)
        return sorted((row["subject"], row["answer"], row["reason"]) for row in found)

    def logged(self) -> list[Event | None]:
        found = self.store.query(events_after, self.begun.project)
        return [event_from_json(row.kind, row.body) for row in found]

    def other(self) -> StoredRunningTurns:
        processes = TurnProcesses(Path(self.place.worktree_root))
        return StoredRunningTurns(lambda: self.store, self.place, self.locks, processes)

    @property
    def turn(self) -> RunningTurn:
        return RunningTurn(self.begun.turn, self.begun.session, this_process())


@pytest.fixture
def scene(store: Store, tmp_path: Path) -> Scene:
    return Scene(store, tmp_path)


def test_a_question_is_a_row_with_these_columns_and_an_event(scene: Scene) -> None:
    asked = scene.ask()
    (row,) = scene.store.query(rows, approvals)
    columns = "id session_id turn_id what subject why options asked_at answer reason answered_at"
    assert list(row) == columns.split()
    del row["asked_at"]
    assert row == {
        "id": asked.approval_id,
        "session_id": scene.begun.session,
        "turn_id": scene.begun.turn,
        "what": "command",
        "subject": "make",
        "why": "why",
        "options": list(OPTIONS),
        "answer": None,
        "reason": None,
        "answered_at": None,
    }
    assert scene.logged() == [asked]
    (found,) = scene.questions.list(None, answered=False)
    assert (found.id, found.waits, found.answer) == (asked.approval_id, True, None)


def test_without_its_event_there_is_no_row(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise ZeroDivisionError

    asked = scene.ask()
    monkeypatch.setattr("holdfast.adapters.store.sessions.approvals.publish", fail)
    with pytest.raises(ZeroDivisionError):
        scene.ask("other")
    with pytest.raises(ZeroDivisionError):
        scene.questions.answer(ApprovalGiven("make", "once", asked.approval_id))
    assert scene.answers() == [("make", None, None)]


def test_of_many_answers_at_once_one_is_recorded_and_the_others_learn_which(
    scene: Scene, url: str, tmp_path: Path
) -> None:
    asked = scene.ask()
    outcomes: dict[str, AnswerOutcome] = {}
    ready = threading.Barrier(6)

    def answer(reason: str) -> None:
        with open_store(url) as store:
            questions = StoredApprovals(lambda: store, scene.place, TurnLocks(tmp_path))
            ready.wait()
            given = ApprovalGiven("make", "deny", asked.approval_id, reason)
            outcomes[reason] = questions.answer(given)

    threads = [threading.Thread(target=answer, args=(f"because {n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [name for name, each in outcomes.items() if each == AnswerRecorded()]
    others = [each for each in outcomes.values() if isinstance(each, AnsweredBefore)]
    assert [(each.record.answer, each.record.reason) for each in others] == [("deny", winner)] * 5
    assert scene.answers() == [("make", "deny", winner)]
    assert scene.logged() == [asked, ApprovalGiven("make", "deny", asked.approval_id, winner)]


def test_a_waiting_turn_sees_the_answer(scene: Scene) -> None:
    asked = scene.ask()
    with scene.questions.looking(asked.approval_id) as look:
        assert look() is None
        given = ApprovalGiven("make", "deny", asked.approval_id, "not now")
        assert scene.questions.answer(given) == AnswerRecorded()
        assert look() == given


def _end(scene: Scene) -> None:
    scene.log.end(scene.begun, (), DONE)


def _interrupt(scene: Scene) -> None:
    scene.locks.drop(scene.begun.turn)
    scene.store.fence = None
    assert scene.log.mark_interrupted((), CUT) == (scene.begun.session,)


def _stop(scene: Scene) -> None:
    scene.store.fence = None
    assert scene.other().end(scene.turn, STOPPED)


def _evict(scene: Scene) -> None:
    scene.store.fence = None
    StoredAgents(lambda: scene.store).evict(scene.begun.session, lambda _: ())


@pytest.mark.parametrize("end", [_end, _interrupt, _stop, _evict])
def test_a_turn_that_ends_closes_its_open_questions(
    scene: Scene, end: Callable[[Scene], None]
) -> None:
    first, second = scene.ask("one"), scene.ask("two")
    given = ApprovalGiven("one", "once", first.approval_id)
    scene.questions.answer(given)
    end(scene)
    assert scene.answers() == [("one", "once", None), ("two", "cancelled", None)]
    closed = ApprovalGiven("two", "cancelled", second.approval_id)
    logged = scene.logged()
    assert logged[:4] == [first, second, given, closed]
    outcome = scene.questions.answer(ApprovalGiven("two", "once", second.approval_id))
    assert isinstance(outcome, AnsweredBefore)
    assert outcome.record.answer == "cancelled"
    assert scene.questions.list(None, answered=False) == ()


def test_nobody_waits_for_an_answer_if_the_process_is_dead(scene: Scene) -> None:
    asked = scene.ask()
    scene.locks.drop(scene.begun.turn)
    assert scene.questions.list(None, answered=False) == ()
    given = ApprovalGiven("make", "once", asked.approval_id)
    assert scene.questions.answer(given) == NobodyWaits()
    assert scene.answers() == [("make", None, None)]


def test_a_turn_that_is_to_stop_asks_nothing_more(scene: Scene) -> None:
    scene.other().ask_to_stop([scene.turn], "Stop.")
    with pytest.raises(TurnStopped, match=r"Stop\."):
        scene.ask()
    assert scene.answers() == []


def test_what_is_allowed_for_the_session_leaves_and_comes_back_with_its_turn(
    scene: Scene,
) -> None:
    given = ApprovalGiven("make", "session", scene.ask().approval_id)
    scene.questions.answer(given)
    once = ApprovalGiven("ls x", "once", scene.ask("ls x").approval_id)
    scene.questions.answer(once)
    allowed = frozenset({("command", "make")})
    assert scene.questions.allowed(scene.begun.session) == allowed
    scene.log.end(scene.begun, (), DONE)
    assert scene.questions.allowed(scene.begun.session) == allowed
    assert scene.questions.allowed("another") == frozenset()
    scene.store.run(take_out, scene.begun.chat, 1, (), "undo")
    assert scene.questions.allowed(scene.begun.session) == frozenset()
    assert scene.questions.list(None, answered=True) == ()
    scene.store.run(bring_back, "undo")
    assert scene.questions.allowed(scene.begun.session) == allowed
    assert len(scene.questions.list(scene.begun.session[:6], answered=True)) == 2


def test_two_commands_that_the_database_cannot_tell_apart_are_not_allowed(scene: Scene) -> None:
    given = ApprovalGiven("rm \ufffd", "session", scene.ask("rm \ud800").approval_id)
    scene.questions.answer(given)
    assert scene.questions.allowed(scene.begun.session) == frozenset()


def test_questions_go_with_their_session(scene: Scene) -> None:
    asked = scene.ask()
    scene.store.fence = None
    scene.store.run(remove_row, sessions, scene.begun.session)
    assert scene.answers() == []
    given = ApprovalGiven("make", "once", asked.approval_id)
    assert scene.questions.answer(given) == NobodyWaits()
    with scene.questions.looking(asked.approval_id) as look:
        assert look() == ApprovalGiven("", "cancelled", asked.approval_id)


def test_a_question_of_another_project_is_not_found(scene: Scene, tmp_path: Path) -> None:
    asked = scene.ask()
    (tmp_path / "other").mkdir()
    other = StoredApprovals(lambda: scene.store, place_of(tmp_path / "other"), TurnLocks(tmp_path))
    assert other.find(asked.approval_id) == other.list(None, answered=True) == ()
    assert [each.id for each in scene.questions.find(asked.approval_id[:5])] == [asked.approval_id]


def test_a_store_that_is_gone_is_the_error_of_the_port(scene: Scene) -> None:
    question = NewQuestion("gone", "gone", "command", "x", "why", OPTIONS)
    with pytest.raises(RecordsUnavailable, match=r"^session gone: it is no longer"):
        scene.questions.open(question)
