"""Turns of a one-shot agent, driven for real: the scripted agent in a process for each turn."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.agents.launch import AgentLaunch
from holdfast.adapters.agents.oneshot import OneshotAgent, prompt_argument
from holdfast.usecases.agents.ports import (
    AgentCrashed,
    AgentPrompt,
    AgentStartError,
    AgentTimeout,
    AgentTurnResult,
    AgentUpdate,
    AgentUsage,
)
from holdfast.vocab.agent_events import AgentCall, AgentNote
from holdfast.vocab.events import ReasoningArrived, TextArrived, UsageReported
from tests.adapters.agents.acp_stage import TurnInThread, marked_processes
from tests.waiting import wait_until

pytestmark = pytest.mark.slow  # each starts an agent, a process of its own

SCRIPTED = (sys.executable, "-m", "holdfast.testing.scripted_oneshot", "-p")


class OneshotStage:
    """One agent, with what it told in all its turns."""

    def __init__(self, root: Path, dialect: str, command: tuple[str, ...], **settings: Any) -> None:
        self.root = root
        self.updates: list[AgentUpdate] = []
        self.agent = OneshotAgent(AgentLaunch("scripted", command, str(root), **settings), dialect)

    def turn(self, *lines: str, transcript: str = "") -> AgentTurnResult:
        prompt = AgentPrompt("\n".join(lines), transcript)
        return self.agent.turn(prompt, self.updates.append, lambda *_: "deny")

    @property
    def said(self) -> str:
        return "".join(each.text for each in self.updates if isinstance(each, TextArrived))


Make = Callable[..., OneshotStage]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Make]:
    def make(
        dialect: str = "claude", command: tuple[str, ...] = SCRIPTED, **settings: Any
    ) -> OneshotStage:
        return OneshotStage(tmp_path, dialect, command, **settings)

    yield make
    assert marked_processes() == []


def test_an_edit_is_made_and_its_call_reported(stage: Make) -> None:
    oneshot = stage()
    result = oneshot.turn("think hm", "write a.py x = 1", "say ok", "usage 10 20")

    assert result == AgentTurnResult("done", usage=AgentUsage(10, 20), fresh=True)
    assert (oneshot.root / "a.py").read_text() == "x = 1\n"
    path = "a.py"
    diff = f"--- {path}\n+++ {path}\n@@ -0,0 +1 @@\n+x = 1\n"
    call = AgentCall("call-1", f"Write {path}", "edit", "running", (path,), "", diff)
    done = AgentCall("call-1", f"Write {path}", "edit", "done", (path,), "done", diff)
    assert oneshot.updates == [ReasoningArrived("hm\n"), call, done, TextArrived("ok\n")]


def test_how_full_the_context_is_comes_as_usage_without_tokens_of_a_call(stage: Make) -> None:
    oneshot = stage()
    result = oneshot.turn("usage 10 20 1200 8000")
    assert result.usage == AgentUsage(10, 20)
    assert oneshot.updates == [UsageReported(0, 0, context=1200, window=8000)]


def test_every_turn_is_fresh_and_gets_the_transcript(stage: Make) -> None:
    oneshot = stage()
    first = oneshot.turn("remember blue", "transcript", transcript="user: hello")
    second = oneshot.turn("recall", "transcript", transcript="user: hello again")

    assert (first.fresh, second.fresh, oneshot.agent.alive) == (True, True, False)
    assert oneshot.said == (
        "Transcript: user: hello\nRemembered: nothing\nTranscript: user: hello again\n"
    )


def test_what_needs_a_permission_is_denied_and_nothing_is_written(stage: Make) -> None:
    oneshot = stage()
    result = oneshot.turn("permission a.py x")

    assert result.stop_reason == "done"
    assert not (oneshot.root / "a.py").exists()
    assert [each.status for each in oneshot.updates if isinstance(each, AgentCall)] == [
        "running",
        "failed",
    ]


def test_a_success_that_is_an_error_is_a_failed_turn(stage: Make) -> None:
    result = stage().turn("say hi", "error no credit left")

    assert (result.stop_reason, result.message) == ("failed", "no credit left")


def test_a_crash_is_raised_with_the_end_of_stderr(stage: Make) -> None:
    oneshot = stage()
    with pytest.raises(AgentCrashed, match="killed by signal 9") as crash:
        oneshot.turn("say before", "stderr 10", "crash")

    assert crash.value.stderr.endswith("the end of stderr")
    assert oneshot.said == "before\n"


def test_an_exit_without_a_result_is_a_crash_also_with_code_0(stage: Make) -> None:
    with pytest.raises(AgentCrashed, match="ended without a result"):
        stage().turn("crash 0")


def test_garbage_and_half_lines_are_notes(stage: Make) -> None:
    oneshot = stage()
    result = oneshot.turn("junk", "half", "unknown", "say after")

    assert result.stop_reason == "done"
    notes = [each.note_kind for each in oneshot.updates if isinstance(each, AgentNote)]
    assert notes.count("output") >= 3
    assert "mood" in notes
    assert oneshot.said == "after\n"


def test_an_output_that_is_cut_in_a_line_is_a_crash(stage: Make) -> None:
    with pytest.raises(AgentCrashed):
        stage().turn("say before", "cut")


def test_a_line_of_10_megabytes_arrives_whole(stage: Make) -> None:
    oneshot = stage()
    assert oneshot.turn("big 10").stop_reason == "done"
    assert len(oneshot.said) == 10_000_000


def test_a_megabyte_on_stderr_does_not_block_the_turn(stage: Make) -> None:
    assert stage().turn("stderr 1000", "say ok").stop_reason == "done"


def test_a_silent_agent_is_ended(stage: Make) -> None:
    with pytest.raises(AgentTimeout, match="scripted was silent for 3 seconds; it was ended"):
        stage(silence_timeout=3.0).turn("hang")


def test_a_turn_that_takes_too_long_is_ended(stage: Make) -> None:
    with pytest.raises(AgentTimeout, match="took 3 seconds"):
        stage(turn_timeout=3.0).turn("slow 10000 0.1")


def test_a_cancel_interrupts_the_turn(stage: Make) -> None:
    oneshot = stage(cancel_grace=60.0)
    turn = TurnInThread(lambda: oneshot.turn("say begun", "hang"))
    assert wait_until(lambda: "begun" in oneshot.said)
    oneshot.agent.cancel()

    assert turn.end() == AgentTurnResult("cancelled", cancelled=True, fresh=True)


def test_an_agent_that_ignores_the_interrupt_is_killed_with_all_it_started(stage: Make) -> None:
    script = "trap '' INT TERM; echo begun; setsid sleep 600 & while :; do sleep 1; done"
    oneshot = stage("text", ("sh", "-c", script), cancel_grace=0.2)
    turn = TurnInThread(lambda: oneshot.turn("go"))
    assert wait_until(lambda: "begun" in oneshot.said)
    oneshot.agent.cancel()

    result = turn.end()
    assert isinstance(result, AgentTurnResult)
    assert (result.stop_reason, result.cancelled) == ("cancelled", True)
    assert marked_processes() == []


def test_a_process_that_escaped_ends_with_the_turn(stage: Make) -> None:
    oneshot = stage()
    oneshot.turn("escape a.txt", "slow 3 0.1")
    written = (oneshot.root / "a.txt").read_text()

    assert marked_processes() == []
    threading.Event().wait(0.1)
    assert (oneshot.root / "a.txt").read_text() == written


def test_plain_text_ends_by_its_exit_code(stage: Make) -> None:
    good = stage("text", ("sh", "-c", "echo hello"))
    assert (good.turn("x").stop_reason, good.said) == ("done", "hello\n")
    bad = stage("text", ("sh", "-c", "echo no model >&2; exit 3")).turn("x")
    assert (bad.stop_reason, bad.message) == ("failed", "no model")


def test_a_program_that_is_missing_is_a_start_error_with_the_cure(stage: Make) -> None:
    oneshot = stage("text", ("no-such-agent",))
    with pytest.raises(AgentStartError, match="Install it, or set `command`"):
        oneshot.agent.start()
    with pytest.raises(AgentStartError, match="Install it"):
        oneshot.turn("x")


def test_a_prompt_is_no_option_and_loses_the_oldest_of_a_long_transcript() -> None:
    assert prompt_argument(AgentPrompt("--help")) == "\n--help"
    long = prompt_argument(AgentPrompt("the message", "old " + "x" * 200_000))
    assert len(long) == 120_000
    assert long.endswith("the message")
