"""Turns of opencode over its server, with a stand-in that speaks opencode's routes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.agents.launch import AgentLaunch
from holdfast.adapters.agents.opencode_server import OpencodeServerAgent
from holdfast.usecases.agents.ports import (
    AgentCrashed,
    AgentPrompt,
    AgentStartError,
    AgentTimeout,
    AgentTurnResult,
    AgentUpdate,
    AgentUsage,
    PermissionAnswer,
    PermissionRequest,
)
from holdfast.vocab.agent_events import AgentCall, AgentNote, PlanEntry, PlanStated
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import ReasoningArrived, TextArrived, UsageReported
from tests.adapters.agents.acp_stage import TurnInThread, marked_processes
from tests.waiting import LONGEST, wait_until

pytestmark = pytest.mark.slow  # each starts an agent, a process of its own

STAND_IN = (sys.executable, "-m", "holdfast.testing.scripted_opencode")


class ServerStage:
    """One agent, with what it told and asked in all its turns."""

    def __init__(self, root: Path, command: tuple[str, ...], **settings: Any) -> None:
        self.root = root
        self.updates: list[AgentUpdate] = []
        self.asked: list[PermissionRequest] = []
        self.steps: list[str] = []
        settings = {"start_timeout": 600.0} | settings
        launch = AgentLaunch("opencode", command, str(root), **settings)
        self.agent = OpencodeServerAgent(launch, self.steps.append)

    def turn(
        self, *lines: str, transcript: str = "", answer: PermissionAnswer = "deny"
    ) -> AgentTurnResult:
        def decide(request: PermissionRequest, withdrawn: Cancel) -> PermissionAnswer:
            self.asked.append(request)
            if answer == "cancelled":
                assert wait_until(withdrawn.is_set)
            return answer

        prompt = AgentPrompt("\n".join(lines), transcript)
        return self.agent.turn(prompt, self.updates.append, decide)

    @property
    def said(self) -> str:
        return "".join(each.text for each in self.updates if isinstance(each, TextArrived))


Make = Callable[..., ServerStage]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Make]:
    made: list[ServerStage] = []

    def make(command: tuple[str, ...] = STAND_IN, **settings: Any) -> ServerStage:
        made.append(ServerStage(tmp_path, command, **settings))
        return made[-1]

    yield make
    for each in made:
        each.agent.close()
    assert marked_processes() == []


def test_an_edit_is_made_and_reported_in_order(stage: Make) -> None:
    server = stage()
    result = server.turn("think hm", "plan one; two", "write a.py x = 1", "say ok", "usage 10 20")

    assert result == AgentTurnResult("done", usage=AgentUsage(10, 20), fresh=True)
    assert (server.root / "a.py").read_text() == "x = 1\n"
    path = "a.py"
    diff = f"--- {path}\n+++ {path}\n@@ -0,0 +1 @@\n+x = 1\n"
    call = AgentCall("call-1", f"write {path}", "edit", "running", (path,), "", diff)
    done = AgentCall("call-1", f"write {path}", "edit", "done", (path,), "", diff)
    plan = PlanStated((PlanEntry("one"), PlanEntry("two")))
    context = UsageReported(0, 0, context=30)
    said = TextArrived("ok\n")
    assert server.updates == [ReasoningArrived("hm\n"), plan, call, done, said, context]
    assert server.steps == ["started", "initialized", "session"]


def test_the_second_turn_is_warm_and_gets_no_transcript(stage: Make) -> None:
    server = stage()
    first = server.turn("remember blue", "pid", transcript="user: hello")
    second = server.turn("recall", "transcript", "pid", transcript="user: hello")

    assert (first.fresh, second.fresh, server.agent.alive) == (True, False, True)
    pid, remembered, transcript, again, _ = server.said.split("\n")
    assert (remembered, transcript, again) == ("Remembered: blue", "Transcript: none", pid)


@pytest.mark.parametrize(
    ("answer", "written"), [("once", True), ("session", True), ("deny", False)]
)
def test_a_permission_is_asked_for(stage: Make, answer: PermissionAnswer, written: bool) -> None:
    server = stage()
    server.turn("permission a.py x", "say after", answer=answer)

    assert [request.call.paths for request in server.asked] == [("a.py",)]
    assert (server.root / "a.py").exists() == written
    assert server.said.endswith("after\n")


def test_the_command_of_a_permission_request_is_there(stage: Make) -> None:
    server = stage()
    server.turn("ask make test")

    assert [(each.command, each.call.tool_kind) for each in server.asked] == [
        ("make test", "execute")
    ]


def test_a_cancel_withdraws_a_question_that_nobody_answers(stage: Make) -> None:
    server = stage(cancel_grace=LONGEST)
    turn = TurnInThread(lambda: server.turn("permission a.py x", "hang", answer="cancelled"))
    assert wait_until(lambda: bool(server.asked))
    server.agent.cancel()

    assert turn.end() == AgentTurnResult("cancelled", cancelled=True, fresh=True)
    assert not (server.root / "a.py").exists()


def test_an_error_in_an_answer_with_status_200_is_a_failed_turn(stage: Make) -> None:
    server = stage()
    result = server.turn("error no credit left")

    assert (result.stop_reason, result.message) == ("failed", "no credit left")
    assert server.agent.alive
    assert server.turn("say on").stop_reason == "done"


@pytest.mark.parametrize(("stop", "reason"), [("max_tokens", "max_tokens"), ("refusal", "refused")])
def test_the_reason_to_stop_is_told(stage: Make, stop: str, reason: str) -> None:
    assert stage().turn(f"stop {stop}").stop_reason == reason


def test_the_second_idle_of_an_abort_does_not_end_the_next_turn(stage: Make) -> None:
    server = stage(cancel_grace=LONGEST)
    turn = TurnInThread(lambda: server.turn("say begun", "hang"))
    assert wait_until(lambda: "begun" in server.said)
    server.agent.cancel()
    assert turn.end() == AgentTurnResult("cancelled", cancelled=True, fresh=True)

    result = server.turn("slow 3 0.1", "say the end")
    assert (result.stop_reason, result.fresh) == ("done", False)
    assert server.said.endswith("0 1 2 the end\n")


def test_a_server_that_ignores_the_abort_is_ended(stage: Make) -> None:
    server = stage(cancel_grace=0.2)
    turn = TurnInThread(lambda: server.turn("ignore-cancel", "say begun", "hang"))
    assert wait_until(lambda: "begun" in server.said)
    server.agent.cancel()

    assert turn.end() == AgentTurnResult("cancelled", cancelled=True, fresh=True)
    assert not server.agent.alive
    assert server.turn("say again").fresh


def test_a_crash_is_raised_and_the_next_turn_is_fresh(stage: Make) -> None:
    server = stage()
    with pytest.raises(AgentCrashed, match="in the middle of a turn") as crash:
        server.turn("stderr 10", "crash")

    assert crash.value.stderr.endswith("the end of stderr")
    assert marked_processes() == []
    assert server.turn("say again", transcript="user: x").fresh


def test_a_silent_server_is_ended(stage: Make) -> None:
    with pytest.raises(AgentTimeout, match="silent for 2 seconds"):
        stage(silence_timeout=2.0).turn("hang")


def test_garbage_and_unknown_events_do_not_end_the_turn(stage: Make) -> None:
    server = stage()
    assert server.turn("junk", "unknown", "stderr 1000", "say after").stop_reason == "done"
    assert server.said == "after\n"
    assert [each.note_kind for each in server.updates if isinstance(each, AgentNote)] == [
        "mood.updated"
    ]


def test_an_event_of_10_megabytes_arrives_whole(stage: Make) -> None:
    server = stage()
    assert server.turn("big 10").stop_reason == "done"
    assert len(server.said) == 10_000_000


def test_the_password_is_in_the_environment_and_not_in_the_arguments(stage: Make) -> None:
    server = stage()
    server.turn("env OPENCODE_SERVER_PASSWORD", "run cat /proc/$PPID/cmdline | tr '\\0' ' '")
    password = server.said.strip().partition("=")[2]

    assert len(password) > 20
    assert all(password not in each.text for each in server.updates if isinstance(each, AgentCall))


def test_a_server_that_does_not_start_is_a_start_error_with_its_stderr(stage: Make) -> None:
    server = stage(("sh", "-c", "echo no such option >&2; exit 2"))
    with pytest.raises(AgentStartError, match="did not start") as error:
        server.agent.start()

    assert error.value.stderr == "no such option"
