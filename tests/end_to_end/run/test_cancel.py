"""A turn that is cancelled ends, says so, and loses nothing of what was said and done."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from holdfast.testing import ScriptedServer, call, hang, say, slow
from tests.end_to_end.run.project import Project, finish, read_until
from tests.waiting import LONGEST

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_in_mid_stream_what_was_said_stays(project: Project, number: signal.Signals) -> None:
    # The model never goes on, so that only the signal can end this.
    story = slow(say("Once upon a time there was a king"), threading.Event())
    with ScriptedServer([story, say("Go on.")]) as server:
        with project.running("Tell me.", server=server) as process:
            text = read_until(process.stdout, "text")[-1]["text"]
            process.send_signal(number)
            ran = finish(process)
        assert server.wait_for_disconnect(LONGEST)
        assert (ran.code, ran.ended["stop_reason"]) == (130, "cancelled")
        said = [
            body["text"] for role, kind, body in project.transcript(ran.session) if kind == "said"
        ]
        assert said == [text.strip()]
        assert project.turns() == [("stopped", "cancelled")]
        assert project.run("And then?", "--continue", ran.session, server=server).code == 0
        assert server.requests[-1].messages[-2:] == [
            {"role": "assistant", "content": text.strip()},
            {"role": "user", "content": "And then?"},
        ]


def test_before_the_model_says_anything(project: Project) -> None:
    asked = threading.Event()
    with (
        ScriptedServer([hang(threading.Event())], on_request=lambda _: asked.set()) as server,
        project.running("Do it.", server=server) as process,
    ):
        assert asked.wait(LONGEST)
        process.send_signal(signal.SIGINT)
        ran = finish(process)
    assert (ran.code, ran.ended["continue"]) == (130, ran.session)


def test_in_the_middle_of_a_command_which_is_ended_too(project: Project) -> None:
    pipe = project.root / "pipe"
    os.mkfifo(pipe)
    command = call("run_command", command="sh -c 'echo $$ > pid; cat pipe; touch reached'")
    with ScriptedServer([command, say("unreached")]) as server:
        # Without a sandbox: in one, the process would have another number.
        words = ("Do it.", "--approve", "auto", "--sandbox", "off")
        with project.running(*words, server=server) as process:
            # To open it waits until the command reads from it.
            writer = os.open(pipe, os.O_WRONLY)
            process.send_signal(signal.SIGINT)
            ran = finish(process)
            os.close(writer)
        assert len(server.requests) == 1
    assert ran.code == 130
    assert not (project.root / "reached").exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int((project.root / "pid").read_text()), 0)
    (answer,) = [event["text"] for event in ran.events if event["kind"] == "call_ended"]
    assert answer.startswith("Cancelled by the user")


def test_a_reader_that_goes_away_does_not_end_the_turn(project: Project) -> None:
    gate = threading.Event()
    with (
        ScriptedServer([slow(say("A long story, and its end."), gate)]) as server,
        project.running("Do it.", server=server) as process,
    ):
        read_until(process.stdout, "text")
        assert process.stdout is not None
        process.stdout.close()
        gate.set()
        assert process.wait(LONGEST) == 0
    assert project.turns() == [("done", "done")]
