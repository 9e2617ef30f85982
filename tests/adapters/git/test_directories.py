"""What is remembered of directories: where none has changed, there is no new file to look for."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.adapters.git.disk.worktree_directories import (
    UnchangedDirectories,
    WorktreeDirectories,
)
from holdfast.checkpoints.selection import Listing

LATER = 1 << 62
UNCAPTURED = Listing((), (), ("large",), ("node_modules/",))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in ("a/b", "empty", "inner/.git", "state"):
        (root / name).mkdir(parents=True)
    for name in (".gitignore", "a/.gitignore", "a/b/file", "inner/file"):
        (root / name).write_text("x\n")
    (root / "a").chmod(0o750)
    (root / "empty").chmod(0o700)
    return root


def _directories(root: Path, excluded: tuple[str, ...] = ("state",)) -> WorktreeDirectories:
    return WorktreeDirectories(root, root.parent / "cache", excluded)


def _remember(root: Path, newer_than: int = LATER) -> None:
    directories = _directories(root)
    directories.scan(["inner"], newer_than)
    directories.save(UNCAPTURED)


def test_unchanged_directories_are_remembered_with_what_is_not_captured(root: Path) -> None:
    _remember(root)
    unchanged = _directories(root).recheck()
    assert isinstance(unchanged, UnchangedDirectories)
    assert unchanged.uncaptured == UNCAPTURED
    assert unchanged.scanned.modes.keys() == {"", "a", "a/b", "empty"}
    assert (unchanged.scanned.modes["a"], unchanged.scanned.empty) == (0o750, ["empty"])


def _write_rules(root: Path) -> None:
    (root / "a" / ".gitignore").write_text("y\n")


def _remove_inner_repository(root: Path) -> None:
    shutil.rmtree(root / "inner" / ".git")


def _rename_directory(root: Path) -> None:
    (root / "a" / "b").rename(root / "a" / "c")
    os.utime(root / "a", ns=(5, (root / "a").stat().st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "new").touch(),
        lambda root: (root / "a" / "b" / "new").touch(),
        lambda root: (root / "a" / "b" / "file").unlink(),
        lambda root: (root / "empty").rmdir(),
        lambda root: (root / "a").chmod(0o700),
        _write_rules,
        _remove_inner_repository,
        _rename_directory,
    ],
)
def test_a_change_of_a_directory_or_a_rule_is_noticed(
    root: Path, change: Callable[[Path], None]
) -> None:
    _remember(root)
    # The clock of the kernel ticks every few milliseconds.
    time.sleep(0.05)
    change(root)
    assert _directories(root).recheck() is None


def test_a_file_that_changes_in_place_is_no_change_of_a_directory(root: Path) -> None:
    _remember(root)
    time.sleep(0.05)
    (root / "a" / "b" / "file").write_text("other\n")
    (root / "state" / "log").touch()
    assert _directories(root).recheck() is not None


def test_what_changed_just_now_is_looked_at_again(root: Path) -> None:
    _remember(root, newer_than=(root / "a" / ".gitignore").stat().st_mtime_ns)
    assert _directories(root).recheck() is None


def test_other_paths_of_holdfast_are_a_change(root: Path) -> None:
    _remember(root)
    assert _directories(root, ("other",)).recheck() is None


def test_nothing_is_known_before_it_is_saved(root: Path) -> None:
    _directories(root).scan(["inner"], LATER)
    assert _directories(root).recheck() is None


def test_an_unreadable_memory_is_none(root: Path) -> None:
    _remember(root)
    (root.parent / "cache").write_text('{"version": 1, "directories": {}}')
    assert _directories(root).recheck() is None
