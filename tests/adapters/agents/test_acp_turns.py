"""Turns of an ACP agent, driven for real: the scripted agent in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from holdfast.usecases.agents.ports import (
    AgentLoginNeeded,
    AgentStartError,
    AgentTurnResult,
    AgentUsage,
    PermissionRequest,
)
from holdfast.vocab.agent_events import AgentCall, AgentNote, PlanEntry, PlanStated
from holdfast.vocab.events import ReasoningArrived, TextArrived, UsageReported
from tests.adapters.agents.acp_stage import Stage, marked_processes

pytestmark = pytest.mark.slow  # each starts an agent, a process of its own

Make = Callable[..., Stage]

WRITE = AgentCall(
    "call-1",
    "Write a.py",
    "edit",
    "pending",
    ("a.py",),
    diff="--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+x = 1\n+y = 2\n",
)


def test_an_edit_is_made_and_each_report_of_its_call_is_the_whole_state(stage: Make) -> None:
    acp = stage()
    result = acp.turn(r"write a.py x = 1\ny = 2", "usage 10 20")
    assert result == AgentTurnResult("done", usage=AgentUsage(10, 20), fresh=True)
    assert (acp.root / "a.py").read_text() == "x = 1\ny = 2\n"
    assert acp.updates == [WRITE, replace(WRITE, status="running"), replace(WRITE, status="done")]
    assert acp.steps == ["started", "initialized", "session"]


def test_how_full_the_context_is_comes_as_usage_without_tokens_of_a_call(stage: Make) -> None:
    acp = stage()
    acp.turn("usage 10 20 1200 8000")
    assert acp.updates == [UsageReported(0, 0, context=1200, window=8000)]


def test_the_second_turn_is_warm_and_gets_no_transcript(stage: Make) -> None:
    acp = stage()
    first = acp.turn("remember blue", "transcript", "pid", transcript="user: hello")
    second = acp.turn("recall", "transcript", "pid", transcript="user: hello\nuser: remember blue")
    assert (first.fresh, second.fresh) == (True, False)
    lines = acp.said.split("\n")
    assert lines[0] == "Transcript: user: hello"
    assert lines[2:4] == ["Remembered: blue", "Transcript: none"]
    assert lines[1] == lines[4], "another process took the second turn"


def test_an_agent_that_was_closed_starts_again_without_memory(stage: Make) -> None:
    acp = stage()
    acp.turn("remember blue")
    assert acp.agent.alive
    acp.agent.close()
    assert not acp.agent.alive
    assert marked_processes() == []
    assert acp.turn("recall", "transcript", transcript="user: red").fresh
    assert acp.said == "Remembered: nothing\nTranscript: user: red\n"


def test_text_thoughts_and_plans_arrive_in_their_order(stage: Make) -> None:
    acp = stage()
    acp.turn("say one", "think two", "plan three; four", "say five")
    assert acp.updates == [
        TextArrived("one\n"),
        ReasoningArrived("two\n"),
        PlanStated((PlanEntry("three", "in_progress"), PlanEntry("four", "pending"))),
        TextArrived("five\n"),
    ]


def test_the_output_of_a_command_that_fails_is_in_its_call(stage: Make) -> None:
    acp = stage()
    acp.turn("run echo out; exit 3")
    assert acp.calls[-1] == AgentCall(
        "call-1", "echo out; exit 3", "execute", "failed", text="out\n"
    )


def test_a_permission_is_asked_with_the_call_that_no_update_has_reported(stage: Make) -> None:
    acp = stage()
    acp.turn(r"permission a.py x = 1\ny = 2", "ask touch made", answer="once")
    assert acp.asked == [
        PermissionRequest(WRITE),
        PermissionRequest(AgentCall("call-2", "touch made", "execute"), "touch made"),
    ]
    assert acp.calls[:3] == [WRITE, replace(WRITE, status="running"), replace(WRITE, status="done")]
    assert (acp.root / "a.py").exists()
    assert (acp.root / "made").exists()


def test_a_denied_permission_stops_the_edit_and_not_the_turn(stage: Make) -> None:
    acp = stage()
    assert acp.turn("permission a.py x", "say after", answer="deny").stop_reason == "done"
    assert not (acp.root / "a.py").exists()
    assert acp.said == "Not permitted: Write a.py\nafter\n"


@pytest.mark.parametrize(
    ("line", "stop"),
    [
        ("stop max_tokens", "max_tokens"),
        ("stop refusal", "refused"),
        ("stop max_turn_requests", "cap"),
        ("stop cancelled", "cancelled"),
    ],
)
def test_a_stop_reason_is_ours(stage: Make, line: str, stop: str) -> None:
    assert stage().turn(line) == AgentTurnResult(stop, fresh=True)  # type: ignore[arg-type]


def test_a_stop_reason_that_nobody_knows_is_a_failure(stage: Make) -> None:
    result = stage().turn("stop boredom")
    assert (result.stop_reason, result.message) == ("failed", "the turn ended with 'boredom'.")


def test_an_error_fails_the_turn_and_the_agent_stays(stage: Make) -> None:
    acp = stage()
    result = acp.turn("error the model is down")
    assert (result.stop_reason, result.message) == ("failed", "the model is down")
    assert acp.agent.alive
    # Whether it has kept the transcript is not known, so it gets the transcript again.
    assert acp.turn("say on").fresh


def test_an_error_that_an_agent_only_says_fails_the_turn(stage: Make) -> None:
    acp = stage()
    result = acp.turn(
        "say Ran into this error: Server error: 500.",
        "say Please retry if you think this is a transient or recoverable error.",
    )
    assert (result.stop_reason, result.message) == (
        "failed",
        "Ran into this error: Server error: 500.",
    )


def test_a_login_that_is_missing_is_said_with_its_cure(stage: Make) -> None:
    acp = stage(fault="login", login="scripted login")
    with pytest.raises(AgentLoginNeeded) as raised:
        acp.turn("say hello")
    assert str(raised.value) == (
        "scripted needs a login (Authentication required). Run `scripted login` first."
    )
    assert marked_processes() == []


def test_a_login_that_ends_in_a_turn_is_said(stage: Make) -> None:
    with pytest.raises(AgentLoginNeeded, match="needs a login"):
        stage().turn("login")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"fault": "exit"}, "scripted ended with exit code 3 when it was started."),
        ({"fault": "session"}, "scripted reports an error: no model is configured"),
        (
            {"fault": "deaf", "start_timeout": 0.5},
            "scripted did not answer within 0.5 seconds, and was ended.",
        ),
        (
            {"mode": "yolo"},
            "scripted has no mode 'yolo'; there are: ask, auto. Change `mode` of [agents.scripted] in your configuration file.",
        ),
    ],
)
def test_an_agent_that_does_not_start_says_why(
    stage: Make, settings: dict[str, object], reason: str
) -> None:
    acp = stage(**settings)
    with pytest.raises(AgentStartError) as raised:
        acp.agent.start()
    assert str(raised.value) == reason
    assert not acp.agent.alive
    assert marked_processes() == []
    if settings.get("fault") == "exit":
        assert raised.value.stderr == "scripted agent: no settings were found"


def test_a_program_that_is_not_there_is_named(stage: Make) -> None:
    acp = stage()
    acp.agent._launch = replace(acp.agent._launch, command=("no-such-agent", "acp"))
    with pytest.raises(AgentStartError) as raised:
        acp.agent.start()
    assert str(raised.value) == (
        "scripted: there is no program 'no-such-agent' on the PATH. Install it, or set `command` of "
        "[agents.scripted] in your configuration file."
    )


def test_the_mode_is_set(stage: Make) -> None:
    acp = stage(mode="auto")
    acp.turn("mode")
    assert acp.said == "Mode: auto\n"


def test_the_environment_is_what_was_allowed(stage: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    monkeypatch.setenv("WANTED", "yes")
    acp = stage(env={"GIVEN": "value"}, pass_env=("WANTED",))
    acp.turn("env SECRET_TOKEN", "env WANTED", "env GIVEN", "env HOME")
    assert acp.said == f"SECRET_TOKEN=\nWANTED=yes\nGIVEN=value\nHOME={os.environ['HOME']}\n"


def test_what_nobody_knows_is_a_note(stage: Make) -> None:
    acp = stage()
    acp.turn("unknown")
    assert acp.notes == [
        AgentNote("mood_update", {"mood": "cheerful"}),
        AgentNote("_vendor/news", {"headline": "none"}),
        AgentNote("_vendor/ask", {"question": "none"}),
    ]
    assert acp.said == "The answer is None.\n"
