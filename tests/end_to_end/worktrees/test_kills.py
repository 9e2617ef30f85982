"""kill -9 at any moment of a command about worktrees: what is the user's stays, and the command can be run again.

The moments come from a run that nobody kills. Of each command a few are tried, the same in each run;
HOLDFAST_ALL_KILLS=1 tries all.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.testing import ScriptedAgent
from tests.end_to_end.agents.agent_project import marked_below
from tests.end_to_end.checkpoints.repo import Folder
from tests.end_to_end.worktrees.session_worktrees import Project
from tests.samples import WHOLE
from tests.waiting import wait_until

_PROGRAM = [sys.executable, "-m", "tests.end_to_end.worktrees.killed_command"]


def run_killed(trace: Path, point: int, mode: str, *words: str, root: Path) -> int:
    """Run a command that dies at a moment, in a process group of its own."""
    ran = subprocess.run(
        [*_PROGRAM, str(trace), str(point), mode, *words, "--json", "--root", str(root)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        start_new_session=True,
        check=False,
    )
    return ran.returncode


def moments(trace: Path, seed: str, tried: int = 1) -> list[tuple[int, str]]:
    every: list[tuple[int, str]] = []
    for point, modes in enumerate(json.loads(trace.read_text())):
        every += [(point, mode) for mode in modes]
    if WHOLE:
        return every
    return random.Random(seed).sample(every, tried)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tmp_path / "trace"


@pytest.mark.e2e
@pytest.mark.parametrize("words", [("new",), ("new", "--with-changes")], ids=" ".join)
def test_a_killed_new_leaves_what_is_the_users_and_is_pruned(
    project: Project, trace: Path, words: tuple[str, ...]
) -> None:
    project.user.write(".worktreeinclude", ".env\n")
    before = project.users()
    # Counted the second time: the first run also makes the store.
    for _ in range(2):
        assert run_killed(trace, -1, "alone", "worktree", *words, root=project.root) == 0
    made = set(project.sessions())
    for point, mode in moments(trace, " ".join(words)):
        known = set(project.sessions())
        code = run_killed(trace, point, mode, "worktree", *words, root=project.root)
        # In the middle of its last git, a command may have ended before the signal.
        assert code == -signal.SIGKILL or mode == "during", (point, mode)
        assert project.users() == before, (point, mode)
        pruned = project.worktree("prune")
        assert pruned["kept"] == [], (point, mode)
        sessions = project.sessions()
        assert set(sessions.values()) == {"there"}, (point, mode)
        named = {each.split("/")[-1 if "base" in each else -2] for each in project.session_refs()}
        assert named == set(sessions), (point, mode)
        for session in set(sessions) - known:
            project.worktree("remove", session)
            assert (
                run_killed(
                    trace, -1, "alone", "sessions", "delete", session, "--yes", root=project.root
                )
                == 0
            )
            project.worktree("prune")
    assert made <= set(project.sessions())


@pytest.mark.e2e
def test_a_killed_turn_of_an_agent_leaves_what_is_the_users_and_its_session_goes_on(
    project: Project, trace: Path
) -> None:
    command = json.dumps(list(ScriptedAgent().command))
    Path(os.environ["HOLDFAST_CONFIG_FILE"]).write_text(f"[agents.scripted]\ncommand = {command}\n")
    prompt = (
        "write b.txt new\nrun git add -A; git -c user.name=A -c user.email=a@b.invalid commit -qm 2"
    )
    turn = ("run", prompt, "--agent", "scripted", "--approve", "auto")
    before = project.users()
    # Counted the second time: the first run also makes the store.
    for _ in range(2):
        assert run_killed(trace, -1, "alone", *turn, root=project.root) == 0
    for point, mode in moments(trace, "turn"):
        known = set(project.sessions())
        run_killed(trace, point, mode, *turn, root=project.root)
        assert wait_until(lambda: marked_below(project.state()) == []), (point, mode)
        assert project.users() == before, (point, mode)
        assert project.worktree("prune")["kept"] == [], (point, mode)
        for session in set(project.sessions()) - known:
            again = ("run", "write c.txt more", "--continue", session)
            assert run_killed(trace, -1, "alone", *again, root=project.root) == 0, (point, mode)
            names = [file["path"] for file in project.worktree("diff", session)["files"]]
            assert names in (["b.txt", "c.txt"], ["c.txt"]), (point, mode)
            project.worktree("remove", session, "--force")
        assert project.users() == before, (point, mode)


@pytest.mark.e2e
def test_a_killed_merge_can_be_run_again(project: Project, trace: Path) -> None:
    session, worktree = project.new()
    worktree.write("src/util.py", "x = 'agent'\n")
    before = project.users()
    assert run_killed(trace, -1, "alone", "worktree", "merge", session, root=project.root) == 0
    moments_of_merge = moments(trace, "merge")
    for number, (point, mode) in enumerate(moments_of_merge):
        worktree.write("src/util.py", f"x = 'agent {number}'\n")
        reject_all(project)
        code = run_killed(trace, point, mode, "worktree", "merge", session, root=project.root)
        assert code in {0, -signal.SIGKILL}, (point, mode)
        assert project.users() == before, (point, mode)
        project.worktree("merge", session)
        assert len(changes(project)) == 1, (point, mode)
        assert project.users() == before, (point, mode)
    project.worktree("remove", session)


@pytest.mark.e2e
@pytest.mark.parametrize("words", [(), ("--with-changes",)], ids=" ".join)
def test_a_killed_update_can_be_run_again(
    project: Project, trace: Path, words: tuple[str, ...]
) -> None:
    user = project.user
    commit(user, "src/util.py", "x = 0\n")
    session, worktree = project.new(*words)
    worktree.write("docs/a.md", "by the agent\n")
    commit(user, "src/util.py", "x = 'counted'\n")
    assert run_killed(trace, -1, "alone", "worktree", "update", session, root=project.root) == 0
    for number, (point, mode) in enumerate(moments(trace, " ".join(["update", *words]))):
        commit(user, "src/util.py", f"x = {number}\n")
        before = project.users()
        run_killed(trace, point, mode, "worktree", "update", session, root=project.root)
        assert project.users() == before, (point, mode)
        project.worktree("update", session)
        assert worktree.path("src/util.py").read_text() == f"x = {number}\n", (point, mode)
        assert worktree.path("docs/a.md").read_text() == "by the agent\n", (point, mode)
        names = [file["path"] for file in project.worktree("diff", session)["files"]]
        assert names == ["docs/a.md"], (point, mode)


@pytest.mark.e2e
def test_a_killed_removal_and_a_killed_remake_can_be_run_again(
    project: Project, trace: Path
) -> None:
    session, worktree = project.new()
    worktree.write("new.txt", "work\n")
    before, tree = project.users(), worktree.tree()
    remove = ("worktree", "remove", session, "--force")
    again = ("worktree", "new", "--session", session)
    assert run_killed(trace, -1, "alone", *remove, root=project.root) == 0
    removals = moments(trace, "remove")
    assert run_killed(trace, -1, "alone", *again, root=project.root) == 0
    assert worktree.tree() == tree
    for point, mode in moments(trace, "again"):
        project.worktree("remove", session, "--force")
        run_killed(trace, point, mode, *again, root=project.root)
        assert project.users() == before, (point, mode)
        project.worktree("new", "--session", session)
        assert worktree.tree() == tree, (point, mode)
    for point, mode in removals:
        run_killed(trace, point, mode, *remove, root=project.root)
        assert project.users() == before, (point, mode)
        if project.sessions()[session] != "removed":
            project.worktree("remove", session, "--force")
        assert project.worktree("new", "--session", session)["checkpoint_id"]
        assert worktree.tree() == tree, (point, mode)


def changes(project: Project) -> list[str]:
    listed = project.run("changes", "list", "--state", "proposed").told["changes"]
    return [each["id"] for each in listed]


def reject_all(project: Project) -> None:
    for change in changes(project):
        assert project.run("changes", "reject", change).code == 0


def commit(user: Folder, path: str, text: str) -> None:
    user.write(path, text)
    user.git("commit", "-q", "-m", "by the user", "--", path)
