"""Both versions of the files that differ between two snapshots."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.checkpoints.ports import FileVersion, FileVersions, Worktree
from holdfast.wiring.worktrees import open_worktrees

LIMIT = 1_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "a").write_bytes(b"one\n")
    (root / "b").write_bytes(b"two\n")
    (root / "link").symlink_to("a")
    for name in ("a", "b"):
        (root / name).chmod(0o644)
    return root


@pytest.fixture
def worktree(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worktree]:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    with open_worktrees(root).hold(make=True) as worktree:
        yield worktree


def file(data: bytes, mode: int = 0o644) -> FileVersion:
    return FileVersion("file", mode, len(data), data)


def versions(
    worktree: Worktree, change: object
) -> dict[str, tuple[FileVersion | None, FileVersion | None]]:
    before = worktree.capture()
    assert callable(change)
    change()
    found: tuple[FileVersions, ...] = worktree.versions(before, worktree.capture(), LIMIT)
    return {each.path: (each.before, each.after) for each in found}


def test_bytes_of_edited_made_and_deleted_files(worktree: Worktree, root: Path) -> None:
    def change() -> None:
        (root / "a").write_bytes(b"\0new\xff")
        (root / "b").unlink()
        (root / "c\n d").write_bytes(b"")
        (root / "c\n d").chmod(0o644)

    assert versions(worktree, change) == {
        "a": (file(b"one\n"), file(b"\0new\xff")),
        "b": (file(b"two\n"), None),
        "c\n d": (None, file(b"")),
    }


def test_permissions_with_and_without_other_bytes(worktree: Worktree, root: Path) -> None:
    def change() -> None:
        # A snapshot does not see a chmod in the second of the last one.
        time.sleep(1.1)
        (root / "a").chmod(0o755)
        (root / "b").chmod(0o600)

    assert versions(worktree, change) == {
        "a": (file(b"one\n"), file(b"one\n", 0o755)),
        "b": (file(b"two\n"), file(b"two\n", 0o600)),
    }


def test_a_symlink_has_its_target(worktree: Worktree, root: Path) -> None:
    def change() -> None:
        (root / "link").unlink()
        (root / "link").symlink_to("b")

    old, new = FileVersion("link", 0, 1, b"a"), FileVersion("link", 0, 1, b"b")
    assert versions(worktree, change) == {"link": (old, new)}


def test_a_large_file_has_its_size_only(worktree: Worktree, root: Path) -> None:
    def change() -> None:
        (root / "a").write_bytes(b"x" * (LIMIT + 1))

    large = FileVersion("file", 0o644, LIMIT + 1, None)
    assert versions(worktree, change) == {"a": (file(b"one\n"), large)}


def test_a_file_that_is_ignored_now_is_left_out(worktree: Worktree, root: Path) -> None:
    def change() -> None:
        (root / ".gitignore").write_bytes(b"b\n")
        (root / ".gitignore").chmod(0o644)

    assert versions(worktree, change) == {".gitignore": (None, file(b"b\n"))}


def test_equal_snapshots_have_no_versions(worktree: Worktree) -> None:
    assert versions(worktree, lambda: None) == {}
