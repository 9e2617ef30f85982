"""An external agent in the sandbox: it commits in its own worktree, and reaches no other branch. Real git and bubblewrap."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.adapters.processes.sandbox.agent_confinement import AgentConfinement
from holdfast.adapters.processes.sandbox.probe import open_sandbox
from tests.waiting import LONGEST

SESSION = "5e5510f00d00"
BRANCH = f"holdfast/{SESSION}/work"


class Desk:
    """A repository with two branches and two linked worktrees in the state directory; an agent `qwen` with a home."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.home, self.state, self.main = place / "home", place / "state", place / "main"
        self.worktree = self.state / "worktrees" / SESSION
        self.other = self.state / "worktrees" / "other"
        self.home.mkdir()
        git(place, "init", "-q", "-b", "main", str(self.main))
        git(self.main, "config", "user.name", "T")
        git(self.main, "config", "user.email", "t@example.org")
        (self.main / "a.txt").write_text("one\n")
        git(self.main, "add", "a.txt")
        git(self.main, "commit", "-qm", "one")
        git(self.main, "branch", "precious")
        git(self.main, "worktree", "add", "-q", "-b", BRANCH, str(self.worktree))
        git(self.main, "worktree", "add", "-q", "-b", "holdfast/other/work", str(self.other))
        self.confinement = self.confine("bubblewrap")

    def confine(self, kind: str) -> AgentConfinement:
        sandbox = open_sandbox(kind, self.main, self.state)  # type: ignore[arg-type]  # one of the choices
        if sandbox.status.kind != kind:
            pytest.skip(f"{kind} does not work here: {sandbox.status.why}")
        found = sandbox.agent_confinement("qwen", self.worktree)
        assert found is not None
        return found

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run a shell script as the agent."""
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LC_ALL": "C"}
        with self.confinement.confine(["/bin/sh", "-c", script], variables) as launch:
            return subprocess.run(
                list(launch.argv),
                cwd=self.worktree,
                env={**variables, **launch.variables},
                pass_fds=launch.pass_fds,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=LONGEST,
            )

    def refs(self) -> dict[str, str]:
        lines = git(self.main, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split(" ") for line in lines)


def git(at: Path, *words: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *words], cwd=at, env=kept, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_commit_of_the_agent_is_in_the_repository_after_the_turn(desk: Desk) -> None:
    before = desk.refs()
    ran = desk.run("echo two >> a.txt; echo staged > b.txt; git commit -qam two && git add b.txt")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert git(desk.main, "show", f"{BRANCH}:a.txt") == "one\ntwo"
    assert git(desk.worktree, "diff", "--cached", "--name-only") == "b.txt"
    assert git(desk.worktree, "log", "--format=%s", "-g", BRANCH).splitlines()[0] == "two"
    git(desk.main, "fsck", "--strict")
    after = desk.refs()
    assert after.pop(f"refs/heads/{BRANCH}") != before.pop(f"refs/heads/{BRANCH}")
    assert after == before
    again = desk.run("git commit -qm three && git log --format=%s | head -3")
    assert again.stdout == "three\ntwo\none\n"


@pytest.mark.parametrize(
    "script",
    [
        "git branch -D precious",
        "git update-ref -d refs/heads/precious",
        "git update-ref refs/heads/new HEAD",
        "git branch another",
        "git pack-refs --all",
        "git config user.name Mallory",
        'echo boo > "$(git rev-parse --git-common-dir)/hooks/pre-commit"',
        'echo boo > "$(git rev-parse --git-common-dir)/refs/heads/precious"',
        'rm -rf "$(git rev-parse --git-common-dir)/objects/"*',
        'echo boo > "$(git rev-parse --git-dir)/commondir"',
        'rm "$(git rev-parse --git-dir)/gitdir"',
        "echo gitdir: /tmp > .git",
        "rm .git",
        'echo boo > "$(git rev-parse --git-common-dir)/worktrees/other/HEAD"',
    ],
)
def test_what_is_not_its_own_the_agent_cannot_change(desk: Desk, script: str) -> None:
    before = desk.refs()
    files = {path: path.read_bytes() for path in desk.main.rglob("*") if path.is_file()}
    ran = desk.run(script)
    assert ran.returncode != 0
    assert any(
        why in ran.stderr for why in ("Read-only file system", "Device or resource busy", "No such")
    ), ran.stderr
    assert desk.refs() == before
    assert {path: path.read_bytes() for path in files if path.exists()} == files


def test_other_worktrees_and_our_state_are_not_there_for_the_agent(desk: Desk) -> None:
    (desk.state / "holdfast.sqlite3").write_text("secret")
    desk.run(f"echo boo > {desk.main}/a.txt")
    assert (desk.main / "a.txt").read_text() == "one\n"
    ran = desk.run(f"cat {desk.state}/holdfast.sqlite3; ls {desk.other}; ls {desk.state}/worktrees")
    assert ran.stdout == f"{SESSION}\n"
    assert ran.stderr.count("No such file or directory") == 2


def test_the_agent_keeps_what_it_writes_into_its_own_folder_and_nothing_else_of_the_home(
    desk: Desk,
) -> None:
    (desk.home / ".ssh").mkdir()
    (desk.home / ".ssh" / "id").write_text("key")
    ran = desk.run("echo kept > ~/.qwen/settings.json; echo lost > ~/lost; cat ~/.ssh/id")
    assert "No such file or directory" in ran.stderr
    assert (desk.home / ".qwen" / "settings.json").read_text() == "kept\n"
    assert not (desk.home / "lost").exists()


def test_a_branch_that_leads_to_another_one_is_removed(desk: Desk) -> None:
    folder = f"$(git rev-parse --git-common-dir)/refs/heads/holdfast/{SESSION}"
    desk.run(
        f'echo "ref: refs/heads/precious" > "{folder}/sly"; ln -s ../../precious "{folder}/link"'
    )
    assert sorted(name for name in desk.refs() if SESSION in name) == [f"refs/heads/{BRANCH}"]
    desk.run("git symbolic-ref HEAD refs/heads/precious")
    assert git(desk.worktree, "symbolic-ref", "HEAD") == f"refs/heads/{BRANCH}"


def test_an_object_with_a_wrong_name_does_not_get_into_the_repository(desk: Desk) -> None:
    ran = desk.run(
        "id=$(echo evil | git hash-object -w --stdin); good=$(git rev-parse HEAD:a.txt); "
        'to="$GIT_OBJECT_DIRECTORY/$(echo $good | cut -c1-2)"; mkdir -p "$to"; '
        'from="$GIT_OBJECT_DIRECTORY/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)"; '
        'cp "$from" "$to/$(echo $good | cut -c3-)"'
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert git(desk.main, "show", "HEAD:a.txt") == "one"
    git(desk.main, "fsck", "--strict")


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_a_link_in_the_place_of_a_reflog_is_removed(desk: Desk, kind: str) -> None:
    desk.confinement = desk.confine(kind)
    outside = desk.place / "outside"
    outside.mkdir()
    ran = desk.run(
        f"own=$(git rev-parse --git-dir); log=$(git rev-parse --git-common-dir)/logs/refs/heads/{BRANCH}; "
        f'ln -sf {outside}/branch "$log"; rm -r "$own/logs"; ln -s {outside} "$own/logs"; '
        f'ln -sf {outside}/index "$own/index"'
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    git(desk.worktree, "commit", "-qm", "two", "--allow-empty")
    assert list(outside.iterdir()) == []


def test_objects_are_brought_over_without_a_look_for_them_at_the_remote_of_a_partial_clone(
    desk: Desk,
) -> None:
    ran, remote = desk.place / "ran", desk.place / "remote"
    remote.write_text(f"#!/bin/sh\ntouch {ran}\n")
    remote.chmod(0o755)
    settings = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "protocol.ext.allow": "always",
        "remote.origin.url": f"ext::{remote}",
        "remote.origin.promisor": "true",
    }
    for name, value in settings.items():
        git(desk.main, "config", name, value)
    desk.run("echo two >> a.txt; git commit -qam two")
    assert git(desk.main, "show", f"{BRANCH}:a.txt") == "one\ntwo"
    assert not ran.exists()


def test_landlock_lets_the_agent_commit_and_keeps_other_branches(desk: Desk) -> None:
    desk.confinement = desk.confine("landlock")
    before = desk.refs()
    ran = desk.run("echo two >> a.txt; git commit -qam two")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert git(desk.main, "show", f"{BRANCH}:a.txt") == "one\ntwo"
    ran = desk.run("git branch -D precious")
    assert ran.returncode != 0
    assert "Permission denied" in ran.stderr
    pointer = "$(git rev-parse --git-dir)/commondir"
    desk.run(f'echo /tmp > "{pointer}"; echo gitdir: /tmp > .git; touch .git.x')
    assert (desk.worktree / ".git.x").exists()
    assert git(desk.worktree, "rev-parse", "HEAD") == desk.refs()[f"refs/heads/{BRANCH}"]
    assert desk.refs()["refs/heads/precious"] == before["refs/heads/precious"]


def test_without_a_sandbox_there_is_no_confinement(tmp_path: Path) -> None:
    assert open_sandbox("off", tmp_path, tmp_path).agent_confinement("qwen", tmp_path) is None


def test_objects_are_brought_over_by_no_link_out_of_the_repository(desk: Desk) -> None:
    outside, link = desk.place / "outside", desk.main / ".git/objects/pack"
    with desk.confinement.confine(["true"], {}):
        link.rename(outside)
        link.symlink_to(outside)
        store = next(desk.state.glob("agents/*/objects"))
        blob = ["git", "hash-object", "-w", "--stdin"]
        made = {
            **os.environ,
            "GIT_OBJECT_DIRECTORY": str(store),
            "GIT_DIR": str(desk.main / ".git"),
        }
        subprocess.run(blob, input=b"new", env=made, check=True, capture_output=True)
        problem = desk.confinement.bring_objects_over()
    assert problem == (
        "the agent's new git objects could not be added to the repository: "
        f"{link} is a symbolic link, and git would write where it leads; replace the link by what "
        "it leads to, and try again."
    )
    assert list(outside.iterdir()) == []
    link.unlink()
    outside.rename(link)
    assert desk.confinement.bring_objects_over() == ""
    assert len(list(link.glob("*.pack"))) == 1


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
@pytest.mark.parametrize("tree", ["refs", "logs/refs"])
def test_no_link_makes_a_folder_elsewhere_that_of_the_agents_branch(
    desk: Desk, kind: str, tree: str
) -> None:
    outside, link = desk.place / "outside", desk.main / ".git" / tree / "heads/holdfast" / SESSION
    link.rename(outside)
    link.symlink_to(outside)
    desk.confinement = desk.confine(kind)
    with pytest.raises(OSError, match="is a symbolic link, and git would write where it leads"):
        desk.run(f"touch {outside}/new {link}/new")
    assert not (outside / "new").exists()
