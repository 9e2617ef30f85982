"""The same turns over each of the three transports: how they end, what they leave, what is on record.

After each test no marked process lives (the fixture `project` looks), and the worktree equals the
recorded changes. What the server is, is a stand-in that speaks opencode's routes.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from holdfast.config.settings import Settings
from holdfast.usecases.approvals.answer import PersonsAnswer
from holdfast.usecases.turns.approvals import Question
from holdfast.vocab.approvals import ApprovalAnswer
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import ApprovalGiven
from tests.end_to_end.agents.agent_project import AgentProject
from tests.end_to_end.agents.agent_turn import AgentTurn
from tests.end_to_end.agents.conftest import read_settings
from tests.end_to_end.run.project import TEXT
from tests.waiting import LONGEST, limit_to_begin, wait_until

pytestmark = pytest.mark.e2e

BASE = {"a.py": TEXT}
WRITTEN = {**BASE, "b.txt": "new\n"}


@dataclass
class Person:
    """A person who answers each question so, or never."""

    answer: ApprovalAnswer | None
    asked: int = 0

    def ask(self, _question: Question, over: Cancel) -> PersonsAnswer | None:
        self.asked += 1
        if self.answer is not None:
            return PersonsAnswer(self.answer)
        assert wait_until(over.is_set)
        return None

    def show_other_answer(self, given: ApprovalGiven) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class Case:
    """A turn: its lines, how it ends, what its message has, whether the agent stays warm."""

    lines: tuple[str, ...]
    stop: str
    message: str = ""
    stays: bool = False
    cancels: bool = False
    hangs: bool = False


WRITE = "write b.txt new"
CASES = {
    "edit": Case((WRITE, "say Done."), "done", stays=True),
    "cancel obeyed": Case((WRITE, "hang"), "cancelled", cancels=True, stays=True),
    "cancel ignored": Case(("ignore-cancel", WRITE, "hang"), "cancelled", cancels=True),
    "crash": Case((WRITE, "crash"), "failed", "ended unexpectedly"),
    "exit": Case((WRITE, "crash 7"), "failed", "exit code 7"),
    "crash of what it started": Case((WRITE, "escape noise.txt", "crash"), "failed"),
    "hang": Case((WRITE, "hang"), "failed", "was silent for ", hangs=True),
    "stderr of 1 MB": Case(("stderr 1000", WRITE), "done", stays=True),
    "garbage": Case(("junk", "half", "unknown", WRITE), "done", stays=True),
    "half a line": Case((WRITE, "cut"), "failed", "ended unexpectedly"),
    "10 MB": Case(("big 10", WRITE), "done", stays=True),
    "an error of the model": Case((WRITE, "error away"), "failed", "away", stays=True),
}


@pytest.mark.parametrize("name", CASES)
def test_a_turn(project: AgentProject, transport: str, settings: Settings, name: str) -> None:
    case = CASES[name]

    def attempt(silence: float) -> AgentTurn:
        project.use_transport(transport, silence_timeout=int(silence))
        turn = AgentTurn(project.root, read_settings(project), *case.lines)
        return turn.cancelled_when_busy() if case.cancels else turn.finished()

    silence, turn = limit_to_begin(
        attempt,
        lambda turn: "b.txt" in project.files(turn.session),
        shortest=3.0 if case.hangs else LONGEST,
    )
    stop, message = turn.end
    assert not case.hangs or f"{silence:.0f} seconds" in message, message
    assert (stop, case.message in message) == (case.stop, True), turn.end
    files = project.files(turn.session)
    files.pop("noise.txt", None)
    assert files == WRITTEN
    project.equals_its_record(turn.session, BASE)
    stays = case.stays and transport != "oneshot"
    assert bool(project.marked()) == stays
    assert turn.states[-1] == ("warm" if stays else turn.states[-1])
    again = AgentTurn(project.root, settings, "say Again.", session=turn.session).finished()
    assert again.end[0] == "done"
    # A stop of the whole turn leaves no memory that could be wrong.
    assert ("starting" in again.states) == (not stays)


def test_the_second_turn_is_warm_or_gets_the_transcript(
    project: AgentProject, transport: str, settings: Settings
) -> None:
    first = AgentTurn(project.root, settings, WRITE, "remember blue", "say Ready.").finished()
    lines = ("recall", "transcript", "write c.txt more")
    second = AgentTurn(project.root, settings, *lines, session=first.session).finished()
    if transport == "oneshot":
        assert "Remembered: nothing\n" in second.text
        assert "Assistant: Ready." in second.text
    else:
        assert second.text == "Remembered: blue\nTranscript: none\n"
    project.equals_its_record(first.session, BASE)
    assert set(project.files(first.session)) == {"a.py", "b.txt", "c.txt"}


@pytest.mark.parametrize("answer", ["once", "deny", None])
def test_a_permission_is_given_denied_or_never_answered(
    project: AgentProject, transport: str, settings: Settings, answer: ApprovalAnswer | None
) -> None:
    person = Person(answer)
    lines = (WRITE, "ask touch c.txt", "say On.")
    turn = AgentTurn(project.root, read_settings(project, "ask"), *lines, asker=person)
    turn.start()
    if answer is None and transport != "oneshot":
        assert wait_until(lambda: person.asked == 1)
        turn.cancel.set()
    turn.join()
    can_ask = transport != "oneshot"
    stop = "cancelled" if answer is None and can_ask else "done"
    assert (turn.end[0], person.asked) == (stop, int(can_ask))
    allowed = {"c.txt"} if answer == "once" and can_ask else set()
    assert set(project.files(turn.session)) == {"a.py", "b.txt"} | allowed
    project.equals_its_record(turn.session, BASE)


def test_a_cancel_before_the_agent_has_begun_ends_the_turn(
    project: AgentProject, transport: str, settings: Settings
) -> None:
    turn = AgentTurn(project.root, settings, WRITE, "hang")
    turn.cancel.set()
    turn.finished()
    assert turn.end[0] == "cancelled"
    project.equals_its_record(turn.session, BASE)
