"""The setup command of a project, asked for on a terminal, and one that fails."""

from __future__ import annotations

import json

import pytest

from tests.end_to_end.agents.agent_project import AgentProject
from tests.end_to_end.run.project import TEXT
from tests.end_to_end.run.terminal import on_terminal

pytestmark = pytest.mark.e2e


def configure_setup(project: AgentProject, command: str) -> None:
    project.write(".holdfast/config.toml", f"[worktree]\nsetup = {json.dumps(command)}\n")


@pytest.mark.parametrize(("keys", "runs"), [("y\n", True), ("n\n", False)])
def test_the_setup_is_asked_for_on_a_terminal(project: AgentProject, keys: str, runs: bool) -> None:
    configure_setup(project, "touch made-by-setup")
    with on_terminal(project, server=None, command=("worktree", "new")) as terminal:
        terminal.wait_for("  touch made-by-setup\n")
        terminal.wait_for("Allow this command?")
        terminal.type(keys)
        assert terminal.finish() == 0, terminal.screen
    (worktree,) = project.made_worktrees()
    assert (worktree / "made-by-setup").exists() == runs
    assert not (project.root / "made-by-setup").exists()
    said = "Ran the setup" if runs else "the user does not allow it"
    assert said in terminal.screen


def test_an_agents_turn_asks_for_the_setup_first(project: AgentProject) -> None:
    configure_setup(project, "touch made-by-setup")
    words = ("read made-by-setup\nsay On.", "--agent", "scripted")
    with on_terminal(project, *words, server=None) as terminal:
        terminal.wait_for("Allow this command?")
        terminal.type("y\n")
        assert terminal.finish() == 0, terminal.screen
    (worktree,) = project.made_worktrees()
    assert (worktree / "made-by-setup").exists()


def test_a_setup_that_fails_leaves_the_worktree_and_is_told(project: AgentProject) -> None:
    configure_setup(project, "echo no room; exit 3")
    made = project.holdfast("worktree", "new", "--json", HOLDFAST_APPROVE="auto")
    assert made.code == 0, made
    told = json.loads(made.out)
    assert told["setup"] == {
        "command": "echo no room; exit 3",
        "exit_code": 3,
        "output": "no room\n",
        "why": "",
    }
    assert project.files(told["session"])["a.py"] == TEXT
    ran = project.agent("say On.", words=("--approve", "auto"))
    assert ran.code == 0, ran
    assert "setup `echo no room; exit 3`: exit code 3: no room" in ran.err
