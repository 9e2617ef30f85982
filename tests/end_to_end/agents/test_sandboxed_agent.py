"""An external agent in the sandbox, through the command: it commits on its own branch, and no other branch can be changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.testing import ScriptedAgent
from tests.end_to_end.agents.agent_project import AgentProject
from tests.waiting import wait_until

pytestmark = pytest.mark.e2e

COMMIT = "git add -A; git -c user.name=A -c user.email=a@example.invalid commit -qm two"


def test_a_commit_of_the_agent_is_in_the_repository_after_the_turn(project: AgentProject) -> None:
    project.git("branch", "precious")
    ran = project.agent(
        "write b.txt new",
        f"run {COMMIT}",
        "run git branch -D precious 2>&1 | tail -1",
        words=("--approve", "auto"),
    )
    assert ran.code == 0, ran
    branch = f"holdfast/{ran.session}/work"
    assert project.git("show", f"{branch}:b.txt") == "new\n"
    assert project.git("branch", "--list", "precious").strip() == "precious"
    assert "Read-only file system" in str(ran.events)
    project.git("fsck", "--strict")
    assert private_objects(project) == []


@pytest.mark.parametrize("words", [("worktree", "diff"), ("checkpoint", "restore")])
def test_a_commit_before_a_kill_of_holdfast_is_in_the_repository_after_the_next_command(
    project: AgentProject, words: tuple[str, str]
) -> None:
    head = project.git("rev-parse", "HEAD")
    lines = ("write b.txt new", f"run {COMMIT}", "hang")
    with project.agent_at_work(*lines, words=("--approve", "auto")) as running:
        branch = f"refs/heads/holdfast/{running.session}/work"
        assert wait_until(lambda: project.git("rev-parse", branch) != head)
        running.process.kill()
        running.process.wait()
    assert wait_until(lambda: project.marked() == [])
    assert private_objects(project) != []
    if words[0] == "worktree":
        ran = project.holdfast(*words, running.session)
        assert ran.code == 0, ran
    else:
        project.at_worktree(running.session, *words, running.checkpoint)
    assert private_objects(project) == []
    assert project.git("show", f"{branch}:b.txt") == "new\n"
    project.git("fsck", "--strict")


def private_objects(project: AgentProject) -> list[Path]:
    return [path for path in project.state.glob("agents/*/objects/**/*") if path.is_file()]


def test_the_sandbox_of_an_agent_can_be_switched_off(project: AgentProject) -> None:
    project.git("branch", "precious")
    project.configure(ScriptedAgent(), sandbox="off")
    ran = project.agent("run git branch -D precious", words=("--approve", "auto"))
    assert ran.code == 0, ran
    assert project.git("branch", "--list", "precious") == ""


@pytest.mark.parametrize(
    ("settings", "expected"),
    [("", "danger-full-access"), ('[agents.codex]\nsandbox = "off"\n', "workspace-write")],
    ids=["in Holdfast's sandbox", "without it"],
)
def test_codex_has_a_sandbox_of_its_own_only_where_ours_is_off(
    project: AgentProject, monkeypatch: pytest.MonkeyPatch, settings: str, expected: str
) -> None:
    programs = project.place / "programs"
    programs.mkdir()
    program = programs / "codex"
    program.write_text('#!/bin/sh\necho "$@" > words.txt\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    project.user_file.write_text(settings)
    words = ("--agent", "codex", "--transport", "oneshot", "--approve", "auto")
    ran = project.run("Say hello.", *words, server=None)
    written = (project.worktree(ran.session) / "words.txt").read_text()
    assert f"exec --json --skip-git-repo-check --sandbox {expected}" in written


@pytest.mark.parametrize(
    ("settings", "expected"),
    [("", "IS_SANDBOX=1\n"), ('[agents.claude]\nsandbox = "off"\n', "")],
    ids=["in Holdfast's sandbox", "without it"],
)
def test_claude_is_told_of_the_sandbox_so_that_root_can_use_it(
    project: AgentProject, monkeypatch: pytest.MonkeyPatch, settings: str, expected: str
) -> None:
    programs = project.place / "programs"
    programs.mkdir()
    program = programs / "claude"
    program.write_text("#!/bin/sh\nenv | grep IS_SANDBOX > told.txt\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    project.user_file.write_text(settings)
    words = ("--agent", "claude", "--transport", "oneshot", "--approve", "auto")
    ran = project.run("Say hello.", *words, server=None)
    assert (project.worktree(ran.session) / "told.txt").read_text() == expected
