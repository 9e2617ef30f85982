"""What goes wrong with an ACP agent: it is told apart, and no process is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from holdfast.adapters.agents import agent_process, turn_queue
from holdfast.adapters.agents.acp_session import AcpSession
from holdfast.adapters.agents.event_loop import AGENT_LOOP
from holdfast.adapters.agents.follow_turn import follow_turn
from holdfast.adapters.agents.launch import AgentLaunch
from holdfast.adapters.agents.turn_queue import AgentQuestion, TurnQueue
from holdfast.testing import FixedClock
from holdfast.usecases.agents.ports import (
    AgentCrashed,
    AgentPrompt,
    AgentStartError,
    AgentTimeout,
    AgentTurnResult,
    AgentUpdate,
    PermissionAnswer,
    PermissionRequest,
)
from holdfast.vocab.agent_events import AgentCall, AgentNote
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import TextArrived
from tests.adapters.agents.acp_stage import Stage, TurnInThread, marked_processes
from tests.waiting import LONGEST, has_text, wait_until

pytestmark = pytest.mark.slow  # each starts an agent, a process of its own

Make = Callable[..., Stage]

CANCELLED = AgentTurnResult("cancelled", cancelled=True, fresh=True)


def is_quiet(path: Path) -> bool:
    """Return whether a file that was written again and again is not any more."""
    before = path.read_bytes()
    time.sleep(0.2)
    return path.read_bytes() == before


def test_a_cancel_that_is_obeyed_leaves_the_agent_warm(stage: Make) -> None:
    acp = stage()
    turn = acp.in_thread("remember blue", "rewrite a.txt")
    assert wait_until(lambda: has_text(acp.root / "a.txt"))
    acp.agent.cancel()
    assert turn.end() == CANCELLED
    assert is_quiet(acp.root / "a.txt")
    assert acp.agent.alive
    assert not acp.turn("recall").fresh
    assert acp.said == "Remembered: blue\n"


def test_a_cancel_that_is_ignored_ends_the_process(stage: Make) -> None:
    acp = stage(cancel_grace=0.2)
    turn = acp.in_thread("ignore-cancel", "run sleep 600 > /dev/null 2>&1 &", "rewrite a.txt")
    assert wait_until(lambda: has_text(acp.root / "a.txt"))
    acp.agent.cancel()
    assert turn.end() == CANCELLED
    assert is_quiet(acp.root / "a.txt")
    assert not acp.agent.alive
    assert marked_processes() == []


def test_a_cancel_before_the_prompt_is_sent_counts(stage: Make) -> None:
    acp = stage()
    turn = acp.in_thread("write a.txt new", "hang")
    assert wait_until(lambda: "started" in acp.steps)
    acp.agent.cancel()
    assert turn.end() == CANCELLED
    assert acp.turn("say On.").stop_reason == "done"


def test_a_cancel_without_a_turn_does_nothing(stage: Make) -> None:
    acp = stage()
    acp.agent.cancel()
    acp.turn("say one")
    acp.agent.cancel()
    assert acp.turn("say two").stop_reason == "done"


def test_a_permission_that_is_never_answered_is_withdrawn_by_a_cancel(stage: Make) -> None:
    acp = stage()
    asked = threading.Event()

    def decide(_request: PermissionRequest, withdrawn: Cancel) -> PermissionAnswer:
        asked.set()
        assert wait_until(withdrawn.is_set)
        return "once"

    prompt = AgentPrompt("permission a.py x")
    turn = TurnInThread(lambda: acp.agent.turn(prompt, acp.updates.append, decide))
    assert asked.wait(LONGEST)
    acp.agent.cancel()
    assert turn.end() == CANCELLED
    assert not (acp.root / "a.py").exists()
    assert acp.calls[-1].status == "failed"
    assert acp.agent.alive


def test_an_agent_that_ends_while_it_waits_for_a_permission_withdraws_it(stage: Make) -> None:
    acp = stage()

    def decide(_request: PermissionRequest, withdrawn: Cancel) -> PermissionAnswer:
        for pid in marked_processes():
            os.kill(pid, signal.SIGKILL)
        assert wait_until(withdrawn.is_set)
        return "deny"

    with pytest.raises(AgentCrashed, match="was ended by signal 9 in the middle of the turn"):
        acp.agent.turn(AgentPrompt("permission a.py x"), acp.updates.append, decide)


def test_waiting_for_a_person_is_not_the_time_of_an_agent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = FixedClock()
    monkeypatch.setattr(
        "holdfast.adapters.agents.follow_turn.time", SimpleNamespace(monotonic=clock)
    )

    async def ask() -> AgentQuestion:
        return AgentQuestion(PermissionRequest(AgentCall("call-1", "Write a.py")))

    def decide(_request: PermissionRequest, _withdrawn: Cancel) -> PermissionAnswer:
        clock.sleep(1.2)
        return "once"

    turn = TurnQueue()
    for item in (AGENT_LOOP.run(ask()), TextArrived("after"), AgentTurnResult("done")):
        turn.put(item)
    launch = AgentLaunch("scripted", (), "/", turn_timeout=1.0)
    told: list[AgentUpdate] = []
    assert follow_turn(turn, launch, told.append, decide, AGENT_LOOP) == AgentTurnResult("done")
    assert told == [TextArrived("after")]


def test_a_crash_in_mid_turn_is_told_with_the_end_of_stderr(stage: Make) -> None:
    acp = stage()
    with pytest.raises(AgentCrashed) as raised:
        acp.turn("say one", "stderr", "run sleep 600 > /dev/null 2>&1 &", "escape a.txt", "crash")
    assert str(raised.value) == "scripted was ended by signal 9 in the middle of the turn."
    assert raised.value.stderr.endswith("eee\nthe end of stderr")
    assert len(raised.value.stderr) <= 8_000
    assert acp.said == "one\n"
    assert not acp.agent.alive
    assert marked_processes() == []
    assert acp.turn("recall", transcript="user: hello").fresh


def test_an_exit_in_mid_turn_is_told_with_its_code(stage: Make) -> None:
    with pytest.raises(AgentCrashed, match="scripted ended with exit code 7 in the middle"):
        stage().turn("crash 7")


def test_a_call_that_was_open_at_a_crash_has_failed(stage: Make) -> None:
    acp = stage()
    with pytest.raises(AgentCrashed):
        acp.turn("run kill -9 $PPID; sleep 600")
    assert [call.status for call in acp.calls] == ["pending", "running", "failed"]


def test_half_a_line_at_the_end_is_a_note(stage: Make) -> None:
    acp = stage()
    with pytest.raises(AgentCrashed):
        acp.turn("cut")
    half = '{"jsonrpc": "2.0", "method": "session/upd'
    assert acp.updates == [AgentNote("output", {"text": half})]


def test_an_output_that_is_closed_is_a_crash_although_the_process_lives(stage: Make) -> None:
    with pytest.raises(AgentCrashed, match="closed its output in the middle of the turn"):
        stage().turn("close")


def test_an_agent_that_dies_between_turns_is_swept_and_started_anew(stage: Make) -> None:
    acp = stage()
    acp.turn("remember blue", "escape a.txt", "pid")
    os.kill(int(acp.said), signal.SIGKILL)
    assert wait_until(lambda: marked_processes() == [])
    assert not acp.agent.alive
    assert acp.turn("recall").fresh


def test_a_silent_agent_is_ended(stage: Make) -> None:
    acp = stage(silence_timeout=0.5)
    with pytest.raises(AgentTimeout) as raised:
        acp.turn("escape a.txt", "ignore-cancel", "hang")
    assert str(raised.value) == "scripted was silent for 0.5 seconds; it was ended."
    assert not acp.agent.alive
    assert marked_processes() == []


def test_a_turn_that_takes_too_long_is_ended(stage: Make) -> None:
    acp = stage(turn_timeout=0.5)
    with pytest.raises(AgentTimeout) as raised:
        acp.turn("slow 100000 0.01")
    assert str(raised.value) == "The turn of scripted took 0.5 seconds; it was ended."
    assert marked_processes() == []


def test_a_megabyte_on_stderr_does_not_stop_a_turn(stage: Make) -> None:
    acp = stage()
    assert acp.turn("stderr 1000", "say after").stop_reason == "done"
    assert acp.said == "after\n"


def test_garbage_on_stdout_is_notes_and_the_turn_goes_on(stage: Make) -> None:
    acp = stage()
    assert acp.turn("junk", "half", "say after").stop_reason == "done"
    assert [note.body.get("text", note.note_kind) for note in acp.notes] == [
        "Warning: this is not JSON",
        "[1, 2]",
        "��\x00",
        "{}",
        '{"jsonrpc": "2.0", "id": [4], "result": 1}',
        '{"jsonrpc": "2.0", "id": 99, "error": "text"}',
        '"half',
        "_vendor/half",
    ]
    assert acp.said == "after\n"


def test_an_update_of_ten_megabytes_arrives_whole(stage: Make) -> None:
    acp = stage()
    assert acp.turn("big 10", "say after").stop_reason == "done"
    assert acp.updates == [TextArrived("x" * 10_000_000), TextArrived("after\n")]


def test_a_line_beyond_the_limit_is_left_out(stage: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_process, "LONGEST_LINE", 100_000)
    acp = stage()
    assert acp.turn("big 1", "say after").stop_reason == "done"
    assert [type(each) for each in acp.updates] == [AgentNote, TextArrived]
    assert "bytes, which is too long" in acp.notes[0].body["text"]


def test_a_flood_waits_for_a_slow_reader_and_nothing_is_lost(
    stage: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_queue, "_MOST", 10)
    acp = stage()
    texts: list[str] = []
    waiting: list[int] = []

    def sink(update: AgentUpdate) -> None:
        if len(texts) % 1000 == 0:
            time.sleep(0.1)
        session = acp.agent._session
        assert isinstance(session, AcpSession)
        if session._turn is not None:
            waiting.append(session._turn._items.qsize())
        assert isinstance(update, TextArrived)
        texts.append(update.text)

    acp.agent.turn(AgentPrompt("flood 5000"), sink, acp.answering("deny"))
    assert texts == [f"{number} " for number in range(5000)]
    assert max(waiting) < 50


def test_half_of_a_surrogate_pair_becomes_text_that_can_be_stored(stage: Make) -> None:
    acp = stage()
    acp.turn("run printf '\\\\355\\\\240\\\\275'", "say \ud83d")
    assert acp.said.encode() == b"?\n"


def test_a_reader_that_fails_ends_the_agent(stage: Make) -> None:
    acp = stage()

    def sink(_update: AgentUpdate) -> None:
        message = "the store is gone"
        raise OSError(message)

    with pytest.raises(OSError, match="the store is gone"):
        acp.agent.turn(AgentPrompt("say one\nrewrite a.txt"), sink, acp.answering("deny"))
    assert marked_processes() == []


def test_a_close_in_mid_turn_ends_what_left_the_group_too(stage: Make) -> None:
    acp = stage()
    turn = acp.in_thread("escape a.txt", "ignore-cancel", "hang")
    assert wait_until(lambda: has_text(acp.root / "a.txt"))
    acp.agent.close()
    assert marked_processes() == []
    assert is_quiet(acp.root / "a.txt")
    end = turn.end()
    assert isinstance(end, AgentCrashed)
    assert str(end) == "scripted was ended while its turn ran."


def test_a_close_ends_an_agent_that_is_being_started(stage: Make) -> None:
    acp = stage(fault="deaf")
    turn = acp.in_thread("say never")
    assert wait_until(lambda: acp.steps == ["started"])
    acp.agent.close()
    end = turn.end()
    assert isinstance(end, AgentStartError)
    assert str(end) == "scripted was ended while it was started."
    assert marked_processes() == []


KILLED = """
import os, signal, sys
from holdfast.adapters.agents.acp_agent import AcpAgent
from holdfast.adapters.agents.launch import AgentLaunch
from holdfast.testing import ScriptedAgent
from holdfast.usecases.agents.ports import AgentPrompt
agent = AcpAgent(AgentLaunch("scripted", ScriptedAgent().command, sys.argv[1]))
agent.turn(AgentPrompt("ignore-cancel\\nescape a.txt\\nrun sleep 600 > /dev/null 2>&1 &"), print, None)
print(os.getpid(), flush=True)
"""


@pytest.mark.parametrize(
    "end",
    [
        "os.kill(os.getpid(), signal.SIGKILL)",
        "raise SystemExit(0)",
    ],
    ids=["killed", "exits"],
)
def test_nothing_is_left_when_holdfast_ends(tmp_path: Path, end: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", KILLED + end, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )
    holdfast = int(ran.stdout.split()[-1])
    assert (tmp_path / "a.txt").exists()
    assert wait_until(lambda: marked_processes(holdfast) == [])
    assert ran.stderr == ""


def test_nothing_is_left_when_holdfast_is_killed_in_a_turn(tmp_path: Path) -> None:
    script = KILLED + "agent.turn(AgentPrompt('rewrite b.txt'), print, None)"
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path)]) as holdfast:
        assert wait_until(lambda: has_text(tmp_path / "b.txt"))
        assert len(marked_processes(holdfast.pid)) >= 3
        holdfast.kill()
    assert wait_until(lambda: marked_processes(holdfast.pid) == [])
    assert is_quiet(tmp_path / "a.txt")
    assert is_quiet(tmp_path / "b.txt")
