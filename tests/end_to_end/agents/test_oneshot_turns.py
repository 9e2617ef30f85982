"""Turns of a one-shot agent through the command: one process for each turn, and no memory."""

from __future__ import annotations

import json
import sys

import pytest

from tests.end_to_end.agents.agent_project import AgentProject, states, text_of
from tests.end_to_end.run.project import TEXT, finish
from tests.waiting import has_text, wait_until

pytestmark = pytest.mark.e2e


@pytest.fixture(autouse=True)
def oneshot(project: AgentProject) -> None:
    """Let `scripted` be the stand-in for `claude -p`: its dialect is that of the program's name."""
    program = project.place / "claude"
    program.write_text(
        f'#!/bin/sh\nexec {sys.executable} -m holdfast.testing.scripted_oneshot "$@"\n'
    )
    program.chmod(0o755)
    command = json.dumps([str(program), "-p"])
    text = f'[agents.scripted]\ncommand = {command}\ntransport = "oneshot"\n'
    project.user_file.write_text(text)


def test_each_turn_is_a_process_that_gets_the_transcript(project: AgentProject) -> None:
    first = project.agent("write b.txt new", "remember blue", "say Ready.")
    assert first.code == 0, first
    assert states(first) == [("starting", True), ("busy", True), ("closed", False)]
    assert first.ended["files"] == ["b.txt"]
    second = project.go_on(first.session, "recall", "transcript")
    assert "Remembered: nothing" in text_of(second)
    assert "Assistant: Ready." in text_of(second)
    assert project.agent_states() == [("closed", 0)]


def test_a_crash_is_a_failed_turn(project: AgentProject) -> None:
    ran = project.agent("write b.txt new", "crash 4")
    assert (ran.code, ran.ended["stop_reason"]) == (1, "failed")
    assert "exit code 4" in ran.ended["message"]
    assert ran.ended["files"] == ["b.txt"]


def test_what_needs_a_permission_is_denied_for_nobody_can_be_asked(project: AgentProject) -> None:
    ran = project.agent("permission b.txt new", "say On.")
    assert ran.code == 0, ran
    assert "b.txt" not in project.files(ran.session)


@pytest.mark.parametrize("scope", [("--files",), ()])
def test_a_restore_while_the_agent_writes(project: AgentProject, scope: tuple[str, ...]) -> None:
    with project.agent_at_work("escape noise.txt", "rewrite a.py") as running:
        session = running.session
        assert wait_until(lambda: has_text(project.worktree(session) / "noise.txt"))
        restore = ("checkpoint", "restore", running.checkpoint, *scope)
        told = project.at_worktree(session, *restore)
        stopped = finish(running.process)
    assert stopped.code == 130, stopped
    assert (told["worktree_reset"], told["backend_reset"]) == (True, True)
    assert project.files(session) == {"a.py": TEXT}
    project.at_worktree(session, "checkpoint", "undo")
    assert set(project.files(session)) == {"a.py", "noise.txt"}
