"""Worktrees and agents of sessions, as commands, on each kind of store."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.agents.agent_project import AgentProject, text_of
from tests.end_to_end.checkpoints.repo import Folder, standard
from tests.end_to_end.run.project import TEXT
from tests.end_to_end.worktrees.session_worktrees import Project

pytestmark = pytest.mark.e2e


@pytest.fixture(autouse=True)
def _use_store(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(tmp_path / "user.toml"))
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", url)


def test_a_worktree_is_made_compared_updated_merged_removed_and_made_anew(tmp_path: Path) -> None:
    project = Project(standard(Folder(tmp_path / "root")))
    session, worktree = project.new("--with-changes")
    other, _ = project.new()
    assert list(project.sessions()) == [other, session]
    worktree.write("agent.txt", "work\n")
    before = project.users()
    assert [each["path"] for each in project.worktree("diff", session)["files"]] == ["agent.txt"]
    assert project.worktree("merge", session)["files"] == ["agent.txt"]
    assert project.users() == before
    project.user.git("commit", "-q", "--only", "--allow-empty", "-m", "by the user")
    assert project.worktree("update", session)["outcome"] == "updated"
    removed = project.worktree("remove", session, "--force")
    assert project.sessions() == {other: "there", session: "removed"}
    again = project.worktree("new", "--session", session)
    assert (again["path"], again["checkpoint_id"]) == (removed["path"], removed["checkpoint_id"])
    assert worktree.path("agent.txt").read_text() == "work\n"
    assert project.sessions() == {other: "there", session: "there"}
    assert project.worktree("prune")["removed"] == []


def test_turns_of_an_agent_are_restored_and_brought_back(tmp_path: Path, url: str) -> None:
    project = AgentProject(tmp_path)
    project.variables["HOLDFAST_DATABASE_URL"] = url
    first = project.agent("write b.txt one", "say One.")
    second = project.go_on(first.session, "write c.txt two", "say Two.")
    session = first.session
    restore = ("checkpoint", "restore", second.ended["checkpoint_id"])
    told = project.at_worktree(session, *restore)
    assert (told["messages_deleted"], told["worktree_reset"]) == (1, True)
    assert project.files(session) == {"a.py": TEXT, "b.txt": "one\n"}
    project.at_worktree(session, "checkpoint", "undo")
    assert set(project.files(session)) == {"a.py", "b.txt", "c.txt"}
    project.at_worktree(session, *restore)
    third = project.go_on(session, "transcript")
    assert "One." in text_of(third)
    assert "Two." not in text_of(third)
