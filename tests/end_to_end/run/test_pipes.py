"""`holdfast run` between pipes: what goes in, and what comes out where."""

from __future__ import annotations

import os
import subprocess

import pytest

from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.run.project import Project
from tests.waiting import LONGEST

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


def test_piped_text_is_added_to_the_prompt_and_the_answer_is_alone_on_stdout(
    project: Project,
) -> None:
    with ScriptedServer([call("read_file", path="a.py"), say("It says foo.")]) as server:
        ran = project.holdfast("run", "Explain this", server=server, given="foo\n")
        assert server.requests[0].messages[-1]["content"] == "Explain this\n\nfoo"
    assert (ran.code, ran.out) == (0, "It says foo.\n")
    assert "> read_file a.py" in ran.err
    assert "Done after 2 steps." in ran.err


def test_a_claim_without_an_edit_is_asked_about_once_and_the_end_says_it(project: Project) -> None:
    script = [
        call("edit_file", path="a.py", old="nowhere", new="x"),
        say("I have fixed a.py."),
        say("I have fixed a.py."),
    ]
    with ScriptedServer(script) as server:
        ran = project.holdfast("run", "Fix it.", server=server)
        asked = server.requests[2].messages[-1]["content"]
        assert len(server.requests) == 3
    assert "the edit of a.py was refused" in asked
    assert (ran.code, ran.out) == (0, "I have fixed a.py.\n")
    assert "not all done: 1 edit was refused and not retried; no file changed." in ran.err
    with ScriptedServer(script) as server:
        ended = project.run("Fix it.", server=server).ended
    (left,) = ended["unresolved"]
    assert (left["what"], left["subject"]) == ("edit", "a.py")
    (logged,) = [
        event
        for event in project.holdfast("events", "--json", "--after", "0").events
        if event["kind"] == "turn_ended" and event["session"] == ended["session"]
    ]
    assert logged["unresolved"] == ended["unresolved"]


def test_a_pipe_that_stays_open_is_left_out_and_that_is_said(project: Project) -> None:
    ours, theirs = os.pipe()
    with ScriptedServer([say("Hello.")]) as server:
        try:
            done = subprocess.run(
                project.words("run", "Hi.", server=server),
                stdin=ours,
                env=project.environment(),
                cwd=project.place,
                check=False,
                capture_output=True,
                timeout=LONGEST,
            )
        finally:
            os.close(theirs)
            os.close(ours)
        assert server.requests[0].messages[-1]["content"] == "Hi."
    assert (done.returncode, done.stdout) == (0, b"Hello.\n")
    assert b"nothing came from standard input in 10 s" in done.stderr


def test_a_command_that_is_not_allowed_has_not_failed(project: Project) -> None:
    script = [call("run_command", command="rm -rf /"), say("Done."), say("It is not allowed.")]
    with ScriptedServer(script) as server:
        ran = project.holdfast("run", "Clean up.", "--approve", "auto", server=server)
        asked = server.requests[2].messages[-1]["content"]
    assert "the command `rm -rf /` was not allowed" in asked
    assert "not all done: 1 command was not allowed; no file changed." in ran.err
    with ScriptedServer(script) as server:
        ended = project.run("Clean up.", "--approve", "auto", server=server).ended
    (left,) = ended["unresolved"]
    assert (left["what"], left["subject"], left["denied"]) == ("command", "rm -rf /", True)
