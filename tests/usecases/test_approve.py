from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.adapters.filesystem.command_grants import DiskGrants
from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.store.queries.events import events_after
from holdfast.adapters.store.sessions.approvals import StoredApprovals
from holdfast.adapters.store.store import Store, open_store
from holdfast.adapters.store.turn_log import StoredTurnLog
from holdfast.tools.ports import Denied, NoApprover, TurnCancelled
from holdfast.usecases.approvals.answer import PersonsAnswer, QuestionAnswered, answer_question
from holdfast.usecases.events.event_json import event_from_json
from holdfast.usecases.turns.approvals import (
    ApprovalContext,
    ApprovalMode,
    Approvals,
    Asker,
    Question,
)
from holdfast.usecases.turns.ports import TurnBegun, TurnRequest
from holdfast.vocab.approvals import ApprovalAnswer, ApprovalSubject
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import ApprovalAsked, ApprovalGiven, Event, TurnEnded
from tests.places import place_of
from tests.waiting import wait_until

pytestmark = pytest.mark.integration

DONE = TurnEnded("done", "Done.", 1, 0, 0)


class _Person:
    def __init__(self, *answers: ApprovalAnswer | PersonsAnswer) -> None:
        self.answers = list(answers)
        self.questions: list[Question] = []
        self.others: list[ApprovalGiven] = []

    @property
    def asked(self) -> list[str]:
        return [question.asked.subject for question in self.questions]

    def ask(self, question: Question, over: Cancel) -> PersonsAnswer | None:
        self.questions.append(question)
        if not self.answers:
            assert wait_until(over.is_set)
            return None
        answer = self.answers.pop(0)
        return answer if isinstance(answer, PersonsAnswer) else PersonsAnswer(answer)

    def show_other_answer(self, given: ApprovalGiven) -> None:
        self.others.append(given)


class _Shown:
    """The events that the user sees."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)

    def flush(self) -> None:
        pass


class Scene:
    """A turn in a store of its own."""

    def __init__(self, store: Store, place: Path) -> None:
        self.store = store
        self.place = place
        self.locks = TurnLocks(place)
        self.log = StoredTurnLog(store, place_of(place), self.locks)
        self.questions = StoredApprovals(lambda: store, place_of(place), self.locks)
        self.grants = DiskGrants(place, "here")
        self.shown = _Shown()
        self.cancel = threading.Event()
        self.begun = self.begin(None)

    def begin(self, session: str | None) -> TurnBegun:
        begun = self.log.begin(TurnRequest("Go.", "m", "s", "t", session), lambda _: ())
        assert isinstance(begun, TurnBegun)
        return begun

    def next_turn(self) -> None:
        self.log.end(self.begun, (), DONE)
        self.begun = self.begin(self.begun.session)

    def gate(self, mode: ApprovalMode, person: Asker | None = None) -> Approvals:
        context = ApprovalContext(
            mode,
            person,
            self.grants,
            self.questions,
            self.shown,
            self.cancel,
            self.begun.session,
            self.begun.turn,
        )
        return Approvals(context)

    def logged(self) -> list[Event | None]:
        rows = self.store.query(events_after, self.begun.project)
        return [event_from_json(row.kind, row.body) for row in rows]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with open_store(str(tmp_path / "store.sqlite3")) as store:
        yield Scene(store, tmp_path)


@pytest.mark.parametrize(
    ("mode", "what", "verdict"),
    [
        ("auto", "edit", "yes"),
        ("auto", "command", "yes"),
        ("ask", "edit", "yes"),
        ("ask", "protected", NoApprover()),
        ("ask", "command", NoApprover()),
        ("ask", "read", NoApprover()),
        ("ask", "trust", NoApprover()),
        ("review", "edit", "yes"),
        ("review", "protected", NoApprover()),
        ("auto", "protected", "yes"),
        ("auto", "trust", "yes"),
        ("review", "command", NoApprover()),
        ("review", "read", NoApprover()),
    ],
)
def test_without_somebody_to_ask_edits_go_ahead_and_commands_wait(
    scene: Scene, mode: ApprovalMode, what: ApprovalSubject, verdict: object
) -> None:
    assert scene.gate(mode).ask(what, "x", "why") == verdict


def test_in_auto_mode_a_person_is_asked_where_the_caller_wants_that(scene: Scene) -> None:
    assert scene.gate("auto").ask("command", "x", "why", in_auto=True) == NoApprover()
    person = _Person("once", "deny")
    gate = scene.gate("auto", person)
    assert gate.ask("command", "x", "why", in_auto=True) == "yes"
    assert isinstance(gate.ask("command", "x", "why", in_auto=True), Denied)
    assert gate.ask("command", "x", "why") == "yes"
    assert person.asked == ["x", "x"]


def test_in_auto_mode_a_secret_is_not_read(scene: Scene) -> None:
    denied = scene.gate("auto").ask("read", ".env", "why")
    assert isinstance(denied, Denied)
    assert denied.message.startswith(".env: this file may hold secrets")


@pytest.mark.parametrize("what", ["edit", "protected", "command", "read"])
def test_once_is_asked_again(scene: Scene, what: ApprovalSubject) -> None:
    gate = scene.gate("ask", _Person("once", "deny"))
    assert gate.ask(what, "x", "why") == "yes"
    assert gate.ask(what, "x", "why") == Denied(
        "x: the user does not allow this; do without it, or ask what to do instead."
    )


def test_the_reason_of_a_no_is_for_the_model(scene: Scene) -> None:
    person = _Person(PersonsAnswer("deny", "use make test"))
    assert scene.gate("ask", person).ask("command", "make", "why") == Denied(
        "make: the user does not allow this, and says: use make test"
    )


def test_a_command_for_this_session_is_that_command_only(scene: Scene) -> None:
    person = _Person("session", "deny")
    gate = scene.gate("ask", person)
    verdicts = [gate.ask("command", each, "why") for each in ("make", "make", "rm x")]
    assert verdicts[:2] == ["yes", "yes"]
    assert verdicts[2] == Denied(
        "rm x: the user does not allow this; do without it, or ask what to do instead."
    )
    assert person.asked == ["make", "rm x"]


def test_edits_for_this_session_are_all_edits(scene: Scene) -> None:
    person = _Person("session")
    gate = scene.gate("ask", person)
    assert [gate.ask("edit", each, "why") for each in ("a.py", "b.py")] == ["yes", "yes"]
    assert person.asked == ["a.py"]


def test_for_this_session_is_for_its_later_turns_and_no_other_session(scene: Scene) -> None:
    gate = scene.gate("ask", _Person("session", "session", "once"))
    assert gate.ask("command", "make", "why") == "yes"
    assert gate.ask("edit", "a.py", "why") == "yes"
    assert gate.ask("read", ".env", "why") == "yes"
    scene.next_turn()
    later = scene.gate("ask", _Person("deny"))
    assert later.ask("command", "make", "why") == "yes"
    assert later.ask("edit", "b.py", "why") == "yes"
    assert isinstance(later.ask("read", ".env", "why"), Denied)
    # Also where nobody can be asked.
    assert scene.gate("ask").ask("command", "make", "why") == "yes"
    scene.begun = scene.begin(None)
    assert scene.gate("ask").ask("command", "make", "why") == NoApprover()


def test_always_this_command_outlives_the_session_and_is_of_this_project(scene: Scene) -> None:
    assert scene.gate("ask", _Person("always")).ask("command", "make", "why") == "yes"
    scene.begun = scene.begin(None)
    assert scene.gate("ask").ask("command", "make", "why") == "yes"
    assert scene.gate("ask").ask("command", "make install", "why") == NoApprover()
    scene.grants = DiskGrants(scene.place, "other")
    assert scene.gate("ask").ask("command", "make", "why") == NoApprover()


def test_always_by_its_first_words_is_a_rule_that_covers_no_shell(scene: Scene) -> None:
    person = _Person(PersonsAnswer("always", by_rule=True))
    gate = scene.gate("ask", person)
    assert gate.ask("command", "pytest -q tests", "why") == "yes"
    assert person.questions[0].rule == "pytest *"
    scene.begun = scene.begin(None)
    gate = scene.gate("ask")
    assert gate.ask("command", "pytest -x other", "why") == "yes"
    for command in ("pytest -x; rm a", "pytest > a", "pytest $(rm a)", "pytester", "pytest | sh"):
        assert gate.ask("command", command, "why") == NoApprover(), command
    assert scene.logged()[1] == ApprovalGiven(
        "pytest -q tests", "always", person.questions[0].asked.approval_id, "pytest *"
    )


def test_in_review_mode_edits_are_not_asked_about_for_they_wait_anyway(scene: Scene) -> None:
    assert scene.gate("review", _Person()).ask("edit", "a.py", "why") == "yes"


def test_question_and_answer_are_shown_and_on_record_with_the_same_id(scene: Scene) -> None:
    scene.gate("ask", _Person("deny")).ask("command", "make", "why")
    scene.gate("ask", None).ask("read", ".env", "why")
    one, two = [row.id for row in scene.questions.list(None, answered=True)]
    options: tuple[ApprovalAnswer, ...] = ("once", "session", "always", "deny")
    expected = [
        ApprovalAsked("command", "make", "why", one, options),
        ApprovalGiven("make", "deny", one),
        ApprovalAsked("read", ".env", "why", two, ("once", "session", "deny")),
        ApprovalGiven(".env", "nobody", two),
    ]
    assert scene.shown.events == expected
    assert scene.logged() == expected


def test_the_record_of_a_long_diff_is_cut_and_the_question_is_not(scene: Scene) -> None:
    person = _Person("once")
    diff = "".join(f"+line {number}\n" for number in range(2_000))
    scene.gate("ask", person).ask("edit", "a.py", diff)
    assert person.questions[0].whole == diff
    assert len(person.questions[0].asked.why) < 4_100
    assert "characters left out" in person.questions[0].asked.why


def test_the_answer_of_another_front_end_ends_the_question(scene: Scene) -> None:
    person = _Person()
    answers: list[object] = []

    def answer() -> None:
        assert wait_until(lambda: bool(person.questions))
        wanted = person.questions[0].asked.approval_id
        said = PersonsAnswer("session")
        answers.append(answer_question(wanted, said, scene.questions, scene.grants))

    other = threading.Thread(target=answer)
    other.start()
    gate = scene.gate("ask", person)
    assert gate.ask("command", "make", "why") == "yes"
    other.join()
    assert isinstance(answers[0], QuestionAnswered)
    assert person.others == [answers[0].given]
    # It counts as if it had been given here.
    assert gate.ask("command", "make", "why") == "yes"
    assert scene.logged()[1:] == [answers[0].given]
    assert scene.shown.events[1:] == [answers[0].given]


def test_of_two_answers_the_first_counts_and_the_other_person_is_told(scene: Scene) -> None:
    class _Late(_Person):
        def ask(self, question: Question, over: Cancel) -> PersonsAnswer | None:
            said = PersonsAnswer("deny", "too late")
            answer_question(question.asked.approval_id, said, scene.questions, scene.grants)
            return PersonsAnswer("always")

    late = _Late()
    assert scene.gate("ask", late).ask("command", "make", "why") == Denied(
        "make: the user does not allow this, and says: too late"
    )
    assert [(given.answer, given.reason) for given in late.others] == [("deny", "too late")]
    assert not scene.grants.has("make")


def test_a_cancelled_question_is_no_refusal(scene: Scene) -> None:
    scene.cancel.set()
    assert scene.gate("ask", _Person()).ask("command", "make", "why") == TurnCancelled()
    (row,) = scene.questions.list(None, answered=True)
    assert (row.answer, row.reason) == ("cancelled", "")
    assert scene.shown.events[-1] == ApprovalGiven("make", "cancelled", row.id)


def test_an_answer_that_comes_with_the_cancel_allows_nothing(scene: Scene) -> None:
    class _Cancels(_Person):
        def ask(self, question: Question, over: Cancel) -> PersonsAnswer | None:
            scene.cancel.set()
            return PersonsAnswer("once")

    assert scene.gate("ask", _Cancels()).ask("command", "make", "why") == TurnCancelled()


def test_an_answer_that_nobody_waits_for_any_more_allows_nothing(scene: Scene) -> None:
    class _Outlasts(_Person):
        def ask(self, question: Question, over: Cancel) -> PersonsAnswer | None:
            scene.locks.drop(scene.begun.turn)
            return super().ask(question, over)

    late = _Outlasts("always")
    assert scene.gate("ask", late).ask("command", "make", "why") == TurnCancelled()
    [question] = late.questions
    assert scene.shown.events[-1] == ApprovalGiven("make", "cancelled", question.asked.approval_id)
    assert (late.others, scene.grants.has("make")) == ([], False)
