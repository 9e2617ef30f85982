"""What a snapshot holds, when what changed is captured ahead of what is new."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from holdfast.adapters.git.worktree import lock_worktree
from holdfast.adapters.places.worktree_folder import worktree_folder
from holdfast.checkpoints.checkpoint import CheckpointDraft
from holdfast.checkpoints.limits import IgnoredBudget, SnapshotLimits
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.wiring.journals import journal_lock

pytestmark = pytest.mark.integration


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    _git(root, "init", "-q")
    for name in ("a", "b", "untracked"):
        (root / name).write_text(f"{name}\n")
    _git(root, "add", "a", "b")
    _take(root)
    return root


def _git(root: Path, *words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=root, check=True, capture_output=True
    ).stdout.decode()


def _take(root: Path, budget: SnapshotLimits | None = None) -> dict[str, str]:
    """Take a checkpoint and give its files."""
    with lock_worktree(
        root,
        root.parent / "state",
        budget or SnapshotLimits(),
        lambda _: None,
        journal_lock(root.parent / "state", lambda _: None),
        create=True,
    ) as worktree:
        number = len(worktree.checkpoints())
        tree = worktree.record(
            CheckpointDraft(f"id{number}", "manual", "now"), worktree.capture()
        ).present.tree
    names = _private(root, "ls-tree", "-r", "--name-only", tree).split()
    return {name: _private(root, "cat-file", "blob", f"{tree}:{name}") for name in names}


def _private(root: Path, *words: str) -> str:
    git_dir = worktree_folder(root.parent / "state", root) / "checkpoints.git"
    return _git(root, f"--git-dir={git_dir}", *words)


def test_what_changed_and_what_is_new_are_in_it(root: Path) -> None:
    (root / "a").write_text("changed\n")
    assert _take(root) == {"a": "changed\n", "b": "b\n", "untracked": "untracked\n"}
    (root / "b").write_text("changed\n")
    (root / "new").write_text("new\n")
    assert _take(root) == {
        "a": "changed\n",
        "b": "changed\n",
        "new": "new\n",
        "untracked": "untracked\n",
    }


def test_a_changed_file_that_a_new_rule_ignores_is_in_it_within_the_budget(root: Path) -> None:
    (root / "untracked").write_text("changed\n")
    (root / ".gitignore").write_text("untracked\n")
    rest = {".gitignore": "untracked\n", "a": "a\n", "b": "b\n"}
    assert _take(root) == rest | {"untracked": "changed\n"}
    (root / "untracked").write_text("longer than the budget\n")
    assert _take(root, SnapshotLimits(ignored=IgnoredBudget(file=20))) == rest


def test_a_refusal_after_something_was_captured_does_not_spoil_the_next_one(root: Path) -> None:
    (root / "a").write_text("changed\n")
    (root / "new").write_bytes(b"x" * 1000)
    with pytest.raises(CheckpointFailed, match="would have to be captured"):
        _take(root, SnapshotLimits(new_bytes=500))
    (root / "a").write_text("CHANGED\n")
    assert _take(root) == {
        "a": "CHANGED\n",
        "b": "b\n",
        "new": "x" * 1000,
        "untracked": "untracked\n",
    }


def test_many_new_files_with_odd_names_and_conversions_come_back(root: Path) -> None:
    _git(root, "config", "core.autocrlf", "input")
    files = {f"many/{number} é.txt": f"{number}\r\n" for number in range(150)} | {
        "many/empty": "",
        "many/one": "1",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(text.encode())
    with lock_worktree(
        root,
        root.parent / "state",
        SnapshotLimits(),
        lambda _: None,
        journal_lock(root.parent / "state", lambda _: None),
        create=True,
    ) as worktree:
        tree = worktree.capture().tree
    shown = {name: _private(root, "cat-file", "blob", f"{tree}:{name}") for name in files}
    assert shown == files
    assert _private(root, "fsck", "--connectivity-only", "--no-dangling", tree) == ""


def _quiet(root: Path) -> None:
    """Take a checkpoint after the directories have been left alone for a while."""
    time.sleep(0.2)
    _take(root)


def test_where_no_directory_changed_git_looks_for_no_new_file(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _quiet(root)
    (root / "a").write_text("in place\n")
    log = _log_git(tmp_path, monkeypatch)
    assert _take(root)["a"] == "in place\n"
    assert _queries(log) == ["diff-files"]
    (root / "new").write_text("new\n")
    assert _take(root)["new"] == "new\n"
    assert _queries(log) == ["diff-files", "status"]


def _log_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a git before the real one that writes its arguments to a file; return the file."""
    log = tmp_path / "log"
    real = shutil.which("git")
    script = tmp_path / "bin" / "git"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {real} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
    return log


def _queries(log: Path) -> list[str]:
    words = log.read_text().split()
    return [word for word in words if word in {"diff-files", "status"}]


def test_files_of_which_only_the_time_changed_are_read_and_stay_the_same(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _take(root)
    _quiet(root)
    os.utime(root / "a", (1, 1))
    (root / "b").chmod(0o600)
    log = _log_git(tmp_path, monkeypatch)
    assert _take(root) == before
    assert _take(root) == before
    assert _queries(log) == ["diff-files", "diff-files"]


@pytest.mark.slow  # hundreds of files
def test_many_files_with_another_time_are_compared_by_git(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [root / f"file{number}" for number in range(250)]
    for name in names:
        name.write_text(name.name)
    _take(root)
    _quiet(root)
    for name in names:
        os.utime(name, (1, 1))
    names[0].write_text("edited")
    log = _log_git(tmp_path, monkeypatch)
    assert _take(root)["file0"] == "edited"
    assert _queries(log) == ["diff-files", "status"]


def test_a_rule_that_is_edited_in_place_counts(root: Path) -> None:
    budget = SnapshotLimits(ignored=IgnoredBudget(file=20))
    (root / ".gitignore").write_text(".gitignore\nlog\n")
    (root / "log").write_text("longer than the budget\n")
    assert "log" not in _take(root, budget)
    time.sleep(0.2)
    assert "log" not in _take(root, budget)
    (root / ".gitignore").write_text(".gitignore\n")
    assert _take(root, budget)["log"] == "longer than the budget\n"


def test_what_was_left_out_is_looked_at_again(root: Path) -> None:
    limits = SnapshotLimits(new_file=10, ignored=IgnoredBudget(file=10))
    (root / ".gitignore").write_text("*.log\n")
    (root / "large").write_text("larger than ten bytes\n")
    (root / "large.log").write_text("larger than ten bytes\n")
    assert _take(root, limits).keys() == {".gitignore", "a", "b", "untracked"}
    time.sleep(0.2)
    _take(root, limits)
    (root / "large").write_text("small\n")
    (root / "large.log").write_text("small\n")
    taken = _take(root, limits)
    assert (taken["large"], taken["large.log"]) == ("small\n", "small\n")


def test_a_refused_checkpoint_does_not_hide_what_is_new(root: Path) -> None:
    _quiet(root)
    (root / "new").write_bytes(b"x" * 1000)
    time.sleep(0.2)
    with pytest.raises(CheckpointFailed, match="would have to be captured"):
        _take(root, SnapshotLimits(new_bytes=500))
    time.sleep(0.2)
    assert _take(root)["new"] == "x" * 1000


def test_a_users_index_that_only_git_can_read(root: Path) -> None:
    for option in (("--index-version", "4"), ("--split-index",)):
        _git(root, "update-index", *option)
        _git(root, "add", "untracked")
        shutil.rmtree(root.parent / "state")
        (root / "a").write_text("changed\n")
        assert _take(root) == {"a": "changed\n", "b": "b\n", "untracked": "untracked\n"}


def test_a_directory_that_was_left_out_is_watched_from_then_on(root: Path) -> None:
    (root / ".gitignore").write_text("data/\n")
    (root / "data" / "deep").mkdir(parents=True)
    (root / "data" / "deep" / "old").write_text("old\n")
    nothing = SnapshotLimits(ignored=IgnoredBudget(files=0))
    assert "data/deep/old" not in _take(root, nothing)
    time.sleep(0.2)
    _take(root, nothing)
    assert "data/deep/old" in _take(root)
    time.sleep(0.2)
    _take(root)
    (root / "data" / "deep" / "new").write_text("new\n")
    assert "data/deep/new" in _take(root)


def test_a_captured_directory_that_became_a_repository_is_still_looked_at(root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "old").write_text("old\n")
    _quiet(root)
    _git(root / "sub", "init", "-q")
    _quiet(root)
    _quiet(root)
    (root / "sub" / "new").write_text("new\n")
    assert "sub/new" in _take(root)


def test_permissions_that_change_alone_are_noticed_much_later(root: Path) -> None:
    _quiet(root)
    # Not in the second of the last snapshot: then every file would be looked at anyway.
    time.sleep(1.2)
    _take(root)
    (root / "a").chmod(0o600)
    assert _modes(root)["a"] == 0o600


def _modes(root: Path) -> dict[str, int]:
    with lock_worktree(
        root,
        root.parent / "state",
        SnapshotLimits(),
        lambda _: None,
        journal_lock(root.parent / "state", lambda _: None),
        create=True,
    ) as worktree:
        return dict(worktree.capture().modes)
