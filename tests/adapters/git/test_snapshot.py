"""What a snapshot holds, when what changed is captured ahead of what is new."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from holdfast.adapters.git.worktree import lock_worktree
from holdfast.adapters.places.worktree_folder import worktree_folder
from holdfast.checkpoints.checkpoint import CheckpointDraft
from holdfast.checkpoints.limits import IgnoredBudget, SnapshotLimits
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.wiring.journals import journal_lock


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
