"""The repair after a turn: as the command, with somebody who is asked, and with somebody who cancels."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.config.settings import Settings
from holdfast.testing import RecordedRequest, Reply, ScriptedServer, call, say
from holdfast.usecases.approvals.answer import PersonsAnswer
from holdfast.usecases.turns.approvals import Question
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.vocab.approvals import ApprovalAnswer
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    Event,
    RepairEnded,
    TurnEnded,
)
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import run_turn_at
from tests.end_to_end.run.project import Project
from tests.end_to_end.run.terminal import on_terminal
from tests.waiting import wait_until

BROKEN = "def load(text):\n    return json.loads(text)\n"
FIXED = "import json\n\n\ndef load(text):\n    return json.loads(text)\n"
TYPO = "def total(prices):\n    return sum(prcs)\n"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("ruff") is None
        and shutil.which("ruff", path=str(Path(sys.executable).parent)) is None,
        reason="ruff is not installed: install ruff",
    ),
]


@pytest.fixture(autouse=True)
def _python(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("pyproject.toml", '[project]\nname = "shop"\n')
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(project.state))
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(project.user_file))


@pytest.mark.e2e
def test_the_command_repairs_what_its_turn_wrote_and_a_restore_undoes_everything(
    project: Project,
) -> None:
    before = project.texts()
    with ScriptedServer(
        [call("write_file", path="load.py", content=BROKEN), say("Done.")]
    ) as server:
        ran = project.run("Write it.", server=server)
        asked = len(server.requests)
    assert (ran.code, ran.err, asked) == (0, "", 2)
    assert project.texts()["load.py"] == FIXED
    kinds = [kind for _, kind, _ in project.transcript(ran.session)]
    assert kinds == ["text", "said", "call_ended", "said", "repair"]
    owners = project.query("select session_id, turn_id from changes")
    assert len(owners) == 2
    assert len(set(owners)) == 1
    assert owners[0][0] == ran.session
    assert project.holdfast("checkpoint", "restore", ran.ended["checkpoint_id"]).code == 0
    assert project.texts() == before
    assert [kind for _, kind, _ in project.transcript(ran.session)] == ["text"]


class _Person:
    """Says yes so often, and then no (port `Asker`)."""

    def __init__(self, *answers: ApprovalAnswer) -> None:
        self.asked: list[ApprovalAsked] = []
        self._answers = list(answers)

    def ask(self, question: Question, over: Cancel) -> PersonsAnswer:
        self.asked.append(question.asked)
        return PersonsAnswer(self._answers.pop(0))

    def show_other_answer(self, given: ApprovalGiven) -> None:
        raise AssertionError(given)


def run(
    project: Project,
    server: ScriptedServer,
    *,
    person: _Person | None = None,
    cancel: threading.Event | None = None,
    see: Callable[[Event], None] = lambda _: None,
    say: Callable[[str], None] = print,
) -> tuple[TurnEnded, list[RepairEnded]]:
    events: list[Event] = []

    def show(event: Event, _seq: int | None) -> None:
        events.append(event)
        see(event)

    settings = settings_at(
        project.root, {"base_url": server.base_url, "model": "scripted", "approve": "ask"}
    )
    assert isinstance(settings, Settings)
    ended = run_turn_at(
        project.root,
        settings,
        UserMessage("Go."),
        show=show,
        say=say,
        asker=person,
        cancel=cancel or threading.Event(),
    )
    assert isinstance(ended, TurnEnded)
    assert events[-1] == ended
    return ended, [event for event in events if isinstance(event, RepairEnded)]


def script(text: str, *more: Reply) -> list[Reply]:
    return [call("write_file", path="load.py", content=text), say("Done."), *more]


@pytest.mark.parametrize(("answer", "text"), [("once", FIXED), ("deny", BROKEN)])
def test_who_is_asked_for_edits_is_asked_for_a_repair(
    project: Project, answer: ApprovalAnswer, text: str
) -> None:
    person = _Person("once", answer)
    with ScriptedServer(script(BROKEN)) as server:
        ended, [repair] = run(project, server, person=person)
    assert [(asked.what, asked.subject) for asked in person.asked] == [("edit", "load.py")] * 2
    assert "+import json" in person.asked[1].why
    assert project.texts()["load.py"] == text
    assert (ended.stop_reason, repair.success, repair.change_id is None) == (
        "done",
        text == FIXED,
        text == BROKEN,
    )


def test_a_turn_that_is_cancelled_is_not_repaired(project: Project) -> None:
    cancel = threading.Event()

    def see(event: Event) -> None:
        if isinstance(event, CallEnded):
            cancel.set()

    with ScriptedServer(script(BROKEN)) as server:
        ended, repairs = run(project, server, cancel=cancel, see=see)
    assert (ended.stop_reason, repairs) == ("cancelled", [])
    assert project.texts()["load.py"] == BROKEN


def test_who_cancels_in_the_middle_of_a_repair_keeps_the_turns_edits_and_no_more(
    project: Project,
) -> None:
    cancel, never = threading.Event(), threading.Event()

    def on_request(asked: RecordedRequest) -> None:
        if "You repair code" in json.dumps(asked.body):
            cancel.set()

    with ScriptedServer(
        script(TYPO, Reply(text="{}", hang=never)), on_request=on_request
    ) as server:
        ended, [repair] = run(project, server, cancel=cancel)
    assert (ended.stop_reason, repair.outcome, repair.message) == (
        "cancelled",
        "NotRun",
        "the repair was cancelled.",
    )
    assert project.texts()["load.py"] == TYPO


@pytest.mark.e2e
def test_ctrl_c_in_the_middle_of_a_check_ends_the_run_with_130_and_the_edits_stay(
    project: Project,
) -> None:
    # In the sandbox a check could not tell us that it has begun.
    begun = project.place / "begun"
    project.write("Makefile", f"check:\n\ttouch {begun}; sleep 600\n")
    words = ("Go.", "--approve", "auto", "--sandbox", "off")
    script = [call("write_file", path="a.c", content="int a;\n"), say("Done.")]
    with (
        ScriptedServer(script) as server,
        on_terminal(project, *words, server=server) as terminal,
    ):
        assert wait_until(begun.exists)
        terminal.type("\x03")
        assert terminal.finish() == 130
    assert "check: a.c: was not checked\n  the repair was cancelled.\n" in terminal.screen
    assert "they are on the disk." in terminal.screen
    assert project.texts()["a.c"] == "int a;\n"
    assert project.turns() == [("stopped", "cancelled")]


def test_who_says_no_to_a_check_keeps_the_edits_and_nothing_is_run(project: Project) -> None:
    project.write("Makefile", f"check:\n\ttouch {project.place}/ran\n")
    with ScriptedServer(
        [call("write_file", path="a.c", content="int a\n"), say("Done.")]
    ) as server:
        ended, [repair] = run(project, server, person=_Person("once", "deny"))
    assert (ended.stop_reason, repair.outcome, repair.success) == ("done", "NotRun", False)
    assert repair.message.startswith("Makefile (build, new): the user does not allow this")
    assert not (project.place / "ran").exists()


def test_unreadable_decisions_when_a_repair_is_denied_are_reported_and_the_turn_continues(
    project: Project,
) -> None:
    messages: list[str] = []

    def see(event: Event) -> None:
        if (
            isinstance(event, ApprovalAsked)
            and "+import json" in event.why
            and len(person.asked) == 1
        ):
            project.write(".holdfast/decisions/build/load.py.json", "<<<<<<< ours\n")

    person = _Person("once", "deny")
    with ScriptedServer(script(BROKEN)) as server:
        ended, [repair] = run(project, server, person=person, see=see, say=messages.append)
    assert len(person.asked) == 2
    assert (ended.stop_reason, repair.outcome, repair.success) == ("done", "NotRepaired", False)
    assert "the user does not allow this" in repair.message
    [words] = messages
    assert "load.py.json: this decision has the markers of a git conflict" in words
    assert project.texts()["load.py"] == BROKEN
