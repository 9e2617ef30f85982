"""A folder is known by what it is, not by its path: a moved one is found again, another one inherits nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.testing import call
from tests.end_to_end.places.desk import Desk

KINDS = pytest.mark.parametrize("kind", ["folder", "repository"])


def make(desk: Desk, kind: str, name: str = "project") -> Path:
    if kind == "folder":
        return desk.folder(name)
    return desk.repository(name)


@KINDS
def test_a_moved_folder_keeps_its_changes_sessions_and_checkpoints(desk: Desk, kind: str) -> None:
    root = make(desk, kind)
    desk.apply(root, "one", "two")
    taken = desk.checkpoint(root)
    session = desk.turn(root).session
    moved = desk.place / "elsewhere"
    root.rename(moved)
    assert taken in desk.checkpoints(moved)
    assert [each["worktree"] for each in desk.changes(moved)] == [str(moved)]
    assert desk.turn(moved, options=("--continue", session)).code == 0
    (moved / "a.txt").write_text("three\n")
    assert desk.run(moved, "checkpoint", "restore", taken).code == 0
    assert (moved / "a.txt").read_text() == "two\n"
    assert desk.run(moved, "undo").code == 0
    assert (moved / "a.txt").read_text() == "one\n"


@KINDS
def test_another_folder_at_the_old_path_is_offered_nothing(desk: Desk, kind: str) -> None:
    root = make(desk, kind)
    desk.apply(root, "one", "two")
    taken = desk.checkpoint(root)
    session = desk.turn(root).session
    moved = desk.place / "elsewhere"
    root.rename(moved)
    make(desk, kind)
    assert desk.checkpoints(root) == {}
    assert desk.changes(root) == []
    assert desk.run(root, "undo").code == 1
    refused = desk.turn(root, options=("--continue", session))
    assert "there is no such session in this project" in refused.err
    desk.apply(root, "one", "other")
    other = desk.checkpoint(root)
    assert set(desk.checkpoints(root)) == {other}
    assert taken in desk.checkpoints(moved)
    assert other not in desk.checkpoints(moved)
    assert desk.run(moved, "undo").code == 0
    assert (moved / "a.txt").read_text() == "one\n"
    assert (root / "a.txt").read_text() == "other\n"


@KINDS
def test_a_folder_that_is_removed_and_made_anew_inherits_nothing(desk: Desk, kind: str) -> None:
    root = make(desk, kind)
    desk.apply(root, "one", "OLD", "changes", "propose")
    desk.checkpoint(root)
    shutil.rmtree(root)
    make(desk, kind)
    assert desk.checkpoints(root) == {}
    assert desk.changes(root) == []
    read = call("read_file", path="a.txt")
    edit = call("edit_file", path="a.txt", old="one", new="OLD")
    turn = desk.turn(root, read, edit, options=("--approve", "review"))
    assert "OLD" not in turn.requests[1]
    assert [each["state"] for each in desk.changes(root)] == ["proposed"]


@KINDS
def test_a_copy_is_a_project_of_its_own(desk: Desk, kind: str) -> None:
    root = make(desk, kind)
    desk.apply(root, "one", "two")
    taken = desk.checkpoint(root)
    copy = desk.place / "copy"
    subprocess.run(["cp", "-a", str(root), str(copy)], check=True)
    assert desk.changes(copy) == []
    assert taken in desk.checkpoints(root)
    assert len(desk.changes(root)) == 1


@KINDS
def test_a_symlink_leads_to_the_same_project(desk: Desk, kind: str) -> None:
    root = make(desk, kind)
    link = desk.place / "link"
    link.symlink_to(root)
    desk.apply(root, "one", "two")
    taken = desk.checkpoint(link)
    assert set(desk.checkpoints(root)) == {taken}
    (change,) = desk.changes(root, "--root", str(link))
    assert change["worktree"] == str(root)
    assert desk.run(desk.place, "undo", "--root", str(link)).code == 0
    assert (root / "a.txt").read_text() == "one\n"


def test_what_only_looks_records_no_place(desk: Desk) -> None:
    root = desk.repository("project")
    assert desk.changes(root) == []
    assert desk.checkpoints(root) == {}
    assert desk.run(root, "config", "show").code == 0
    assert desk.run(root, "events").code == 0
    # `config show` tries the sandbox, and keeps what it found.
    assert [each.name for each in desk.state.iterdir()] == ["sandbox"]


def test_an_always_allowed_command_is_not_allowed_in_another_folder_at_the_path(
    desk: Desk,
) -> None:
    root = desk.folder("project")
    desk.checkpoint(root)
    (first,) = (desk.state / "worktrees").iterdir()
    (desk.state / "grants").mkdir()
    (desk.state / "grants" / f"{first.name}.json").write_text('["touch mark"]')
    run = call("run_command", command="touch mark")
    assert desk.turn(root, run, options=("--approve", "ask")).code == 0
    assert (root / "mark").exists()
    shutil.rmtree(root)
    desk.folder("project")
    assert desk.turn(root, run, options=("--approve", "ask")).code == 3
    assert not (root / "mark").exists()


def test_a_store_that_knows_a_project_by_its_path_alone_keeps_it(desk: Desk) -> None:
    root = desk.repository("project")
    desk.apply(root, "one", "two")
    with closing(sqlite3.connect(desk.state / "holdfast.sqlite3")) as store, store:
        store.execute("UPDATE projects SET identity = NULL")
        store.execute("UPDATE worktrees SET identity = NULL")
        store.execute("UPDATE changes SET worktree_id = NULL")
    shutil.rmtree(desk.state / "worktrees")
    # Where the journal of that root was.
    named = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]
    (desk.state / "roots" / named).mkdir(parents=True)
    assert len(desk.changes(root)) == 1
    desk.apply(root, "two", "three")
    moved = desk.place / "elsewhere"
    root.rename(moved)
    assert [each["worktree"] for each in desk.changes(moved)] == [str(moved)] * 2
    for text in ("two\n", "one\n"):
        assert desk.run(moved, "undo").code == 0
        assert (moved / "a.txt").read_text() == text


def test_processes_that_first_see_a_folder_at_the_same_time_agree(desk: Desk) -> None:
    root = desk.repository("project")
    edits = [f'{{"path": "{number}.txt", "content": "x\\n"}}' for number in range(4)]
    words = [sys.executable, "-m", "holdfast.cli.main", "apply", "--json"]
    processes = []
    for edit in edits:
        process = subprocess.Popen(
            words, cwd=root, env=dict(os.environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin
        process.stdin.write(edit.encode())
        process.stdin.close()
        processes.append(process)
    for process in processes:
        with process:
            assert process.wait() == 0
    assert len(desk.changes(root)) == len(edits)
    assert len(list((desk.state / "worktrees").iterdir())) == 1
