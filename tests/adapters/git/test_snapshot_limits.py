"""What a checkpoint may cost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from holdfast.adapters.git.worktree import GitWorktree, lock_worktree
from holdfast.checkpoints.checkpoint import CheckpointDraft
from holdfast.checkpoints.limits import SnapshotLimits
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.wiring.journals import journal_lock


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def _take(root: Path, budget: SnapshotLimits, number: int = 0) -> str:
    said: list[str] = []
    with lock_worktree(
        root,
        root.parent / "state",
        budget,
        said.append,
        journal_lock(root.parent / "state", lambda _: None),
        create=True,
    ) as worktree:
        _record(worktree, number)
        assert said[0] == "looking for changed files"
        return " ".join(each.id for each in worktree.checkpoints())


def _record(worktree: GitWorktree, number: int) -> None:
    worktree.record(CheckpointDraft(f"id{number}", "turn", "now"), worktree.capture())


def test_more_than_may_be_captured_at_once_is_refused_with_the_cure(root: Path) -> None:
    (root / "a").write_bytes(b"x" * 5_000)
    (root / "b").write_bytes(b"x" * 5_000)
    with pytest.raises(
        CheckpointFailed, match=r"2 files would have to be captured; ignore what need not be kept"
    ):
        _take(root, SnapshotLimits(new_bytes=9_000))
    assert _take(root, SnapshotLimits(new_bytes=10_000)) == "id0"


def test_a_disk_that_would_be_full_is_told(root: Path) -> None:
    (root / "a").write_bytes(b"x")
    with pytest.raises(CheckpointFailed, match=r"the disk has \d+ MB left"):
        _take(root, SnapshotLimits(reserve=1 << 60))


def test_a_snapshot_that_takes_too_long_is_given_up_and_leaves_no_ref(root: Path) -> None:
    (root / "a").write_bytes(b"x")
    with pytest.raises(CheckpointFailed, match="took longer"):
        _take(root, SnapshotLimits(seconds=0.0))
    told = subprocess.run(["git", "for-each-ref"], cwd=root, check=True, capture_output=True).stdout
    assert told == b""
    assert _take(root, SnapshotLimits()) == "id0"


def test_old_checkpoints_go_by_themselves(root: Path) -> None:
    for number in range(40):
        left = _take(root, SnapshotLimits(keep=5), number).split()
    assert left == ["id39", "id38", "id37", "id36", "id35"]
