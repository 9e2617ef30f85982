"""Turns of opencode over its server, through the command; the server is a stand-in."""

from __future__ import annotations

import json
import sys

import pytest

from tests.end_to_end.agents.agent_project import AgentProject, states, text_of
from tests.end_to_end.run.project import TEXT, finish
from tests.waiting import has_text, wait_until

pytestmark = pytest.mark.e2e


@pytest.fixture(autouse=True)
def served(project: AgentProject) -> None:
    """Let `scripted` be the stand-in for `opencode serve`."""
    command = json.dumps([sys.executable, "-m", "holdfast.testing.scripted_opencode"])
    text = f'[agents.scripted]\ncommand = {command}\ntransport = "server"\n'
    project.user_file.write_text(text)


def test_an_edit_and_a_later_turn_that_gets_the_transcript(project: AgentProject) -> None:
    first = project.agent("write b.txt new", "say Ready.")
    assert first.code == 0, first
    assert states(first) == [("starting", True), ("busy", True), ("warm", False)]
    assert first.ended["files"] == ["b.txt"]
    second = project.go_on(first.session, "transcript")
    assert "Assistant: Ready." in text_of(second)
    assert project.agent_states() == [("closed", 0)]


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
