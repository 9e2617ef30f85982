"""The tree's digest: equal if and only if no file that matters differs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.project.worktree_digest import DiskWorktreeDigests
from holdfast.tools.changed_files import TreeMemory, mark_of
from holdfast.tools.ports import FileDigests, Observed
from tests.tools.world import World, open_world

pytestmark = pytest.mark.integration

GIT = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}


def git(root: Path, *words: str) -> None:
    subprocess.run(
        ["git", *words], cwd=root, check=True, capture_output=True, env={**os.environ, **GIT}
    )


@pytest.fixture(params=["git", "below git", "no git"])
def project(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    """A project in a repository of its own, in a directory of a larger one, and in none."""
    for name, value in GIT.items():
        monkeypatch.setenv(name, value)
    with open_world(tmp_path) as world:
        world.write("a.py", "one\n")
        world.write("d/b.py", "two\n")
        top = {"git": world.root, "below git": tmp_path}.get(request.param)
        if top is not None:
            (top / ".gitignore").write_text("*.out\nstate/\n")
            git(top, "init", "-q")
            git(top, "add", ".")
            git(top, "commit", "-qm", "first")
        yield world


def run(world: World, command: str) -> str:
    world.told("run_command", command=command)
    return world.toolbox.tree()


def test_an_edit_and_its_undoing_give_two_digests_in_turn(project: World) -> None:
    start = project.toolbox.tree()
    project.told("edit_file", path="a.py", old="one", new="uno")
    changed = project.toolbox.tree()
    project.told("edit_file", path="a.py", old="uno", new="one")
    assert project.toolbox.tree() == start != changed
    project.told("edit_file", path="a.py", old="one", new="uno")
    assert project.toolbox.tree() == changed


def test_a_command_that_changes_nothing_is_no_progress(project: World) -> None:
    start = project.toolbox.tree()
    assert run(project, "ls") == start
    assert run(project, "touch a.py") == start
    assert run(project, "echo uno > a.py; echo one > a.py") == start


def test_a_command_and_an_edit_that_do_the_same_give_the_same_digest(project: World) -> None:
    start = project.toolbox.tree()
    project.told("edit_file", path="a.py", old="one", new="uno")
    edited = project.toolbox.tree()
    assert run(project, "echo one > a.py") == start
    assert run(project, "echo uno > a.py") == edited


def test_what_a_command_changes_first_and_takes_back_is_as_it_was(project: World) -> None:
    start = project.toolbox.tree()
    changed = run(project, "echo dos > d/b.py")
    assert changed != start
    assert run(project, "echo dos > d/b.py") == changed
    assert run(project, "echo two > d/b.py") == start
    made = run(project, "mkdir -p n; echo n > n/new.py")
    assert made not in {start, changed}
    assert run(project, "rm -r n") == start
    assert run(project, "rm a.py") not in {start, changed, made}
    assert run(project, "echo one > a.py") == start


def test_an_edit_after_a_command_counts_from_the_beginning(project: World) -> None:
    start = project.toolbox.tree()
    run(project, "echo dos > d/b.py")
    project.told("edit_file", path="d/b.py", old="dos", new="tres")
    assert project.toolbox.tree() != start
    assert run(project, "echo two > d/b.py") == start
    project.told("write_file", path="new.py", text="x\n")
    assert run(project, "rm new.py") == start


def test_what_programs_write_about_themselves_is_no_progress(project: World) -> None:
    start = project.toolbox.tree()
    assert (
        run(
            project,
            "mkdir __pycache__; echo x > __pycache__/a.pyc; echo x > run.log; echo x > .coverage",
        )
        == start
    )


def test_what_git_ignores_and_a_commit_are_no_progress(project: World) -> None:
    if not (project.root / ".git").is_dir():
        return
    start = project.toolbox.tree()
    assert run(project, "echo x > built.out") == start
    project.told("edit_file", path="a.py", old="one", new="uno")
    edited = project.toolbox.tree()
    changed = run(project, "echo dos > d/b.py")
    assert changed != edited
    assert run(project, "git add .") == changed
    assert run(project, "git commit -qam second") == changed
    assert run(project, "git checkout -q HEAD~1") == start


def test_a_turn_that_begins_with_changed_files_begins_with_nothing_done(tmp_path: Path) -> None:
    with open_world(tmp_path) as world:
        world.write("a.py", "one\n")
        git(world.root, "init", "-q")
        git(world.root, "add", ".")
        git(world.root, "commit", "-qm", "first")
        world.write("a.py", "changed by hand\n")
        start = world.toolbox.tree()
        assert run(world, "ls") == start
        assert run(world, "git checkout -q a.py") != start
        assert run(world, "echo changed by hand > a.py") == start


def test_large_and_many_files_are_looked_at_cheaply(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(5_000_000_000)
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    trees = DiskWorktreeDigests(str(tmp_path))
    assert trees.look() == trees.look()


def test_files_that_were_not_touched_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(5):
        (tmp_path / f"{i}.py").write_text(f"{i}\n")
    trees = DiskWorktreeDigests(str(tmp_path))
    before = trees.look()
    (tmp_path / "3.py").write_text("changed\n")
    read: list[str] = []

    def note(place: str, there: object, *, whole: bool) -> tuple[str, int]:
        read.append(Path(place).name)
        return "new", 0

    monkeypatch.setattr("holdfast.adapters.project.worktree_digest._read", note)
    assert trees.look().marks == {**before.marks, "3.py": "new"}
    assert read == ["3.py"]


def test_no_look_is_taken_where_no_command_ran(project: World) -> None:
    def fail(by: object) -> Observed:
        raise AssertionError("looked")

    project.toolbox._context.ports.observer.look = fail  # type: ignore[method-assign]
    project.told("edit_file", path="a.py", old="one", new="uno")
    project.told("read_file", path="a.py")
    project.toolbox.tree()


actions = st.tuples(st.sampled_from("abc"), st.sampled_from([None, b"1", b"2"]), st.booleans())


@given(st.lists(actions, max_size=12), st.booleans())
def test_the_digest_is_that_of_the_files_whoever_changes_them(
    steps: list[tuple[str, bytes | None, bool]], whole: bool
) -> None:
    """Without git all files are listed; with it those that differ from the commit, which here is the beginning."""
    first: dict[str, bytes | None] = {"a": b"1", "b": None, "c": b"2"}
    now = dict(first)

    def marks() -> FileDigests:
        if whole:
            return FileDigests(
                {path: mark_of(data) for path, data in now.items() if data is not None}, whole=True
            )
        return FileDigests(
            {path: mark_of(data) for path, data in now.items() if data != first[path]}, whole=False
        )

    memory = TreeMemory(lambda path: mark_of(now[path]))
    seen = {memory.digest(): dict(now)}
    for path, data, by_tool in steps:
        before = now[path]
        if by_tool:
            now[path] = data
            memory.edited(path, before, data)
            if memory.unsure:
                memory.refresh(marks())
        else:
            if not memory.has_base:
                memory.base(marks())
            now[path] = data
            memory.refresh(marks())
        assert seen.setdefault(memory.digest(), dict(now)) == now
    assert len(seen) == len({tuple(files.items()) for files in seen.values()})


def test_an_edited_file_that_no_listing_has_still_differs_after_a_command() -> None:
    memory = TreeMemory(lambda path: mark_of({"build/a.out": b"new"}[path]))
    memory.base(FileDigests({}, whole=True))
    start = memory.digest()
    memory.edited("build/a.out", b"old", b"new")
    edited = memory.digest()
    memory.refresh(FileDigests({}, whole=True))
    assert memory.digest() == edited != start
