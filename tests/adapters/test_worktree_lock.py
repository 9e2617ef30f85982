"""The lock of a worktree: one thread of one process at a time, which may lock again."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from holdfast.adapters.filesystem.worktree_lock import LockTimeout, is_at_work, lock_worktree
from holdfast.adapters.git.git_command import Git
from holdfast.adapters.places.place_records import claim_place, worktree_around
from tests.waiting import LONGEST


def try_in_a_thread(folder: Path) -> str:
    """Try to lock in another thread, without waiting."""
    seen: list[str] = []

    def attempt() -> None:
        try:
            with lock_worktree(folder, deadline=time.monotonic()) as lock:
                seen.append(f"locked, waited {lock.waited}")
        except LockTimeout as error:
            seen.append(str(error))

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join(LONGEST)
    return seen[0]


def test_a_thread_may_lock_again_and_another_may_not(tmp_path: Path) -> None:
    with lock_worktree(tmp_path) as outer:
        with lock_worktree(tmp_path) as inner:
            assert (outer.nested, inner.nested, inner.handle) == (False, True, outer.handle)
        assert "another command has been running here for too long" in try_in_a_thread(tmp_path)
        assert is_at_work(tmp_path)
    assert not is_at_work(tmp_path)
    assert try_in_a_thread(tmp_path) == "locked, waited False"


def test_another_folder_is_another_lock(tmp_path: Path) -> None:
    with lock_worktree(tmp_path / "a"):
        assert try_in_a_thread(tmp_path / "b") == "locked, waited False"


def test_who_waits_longer_than_a_moment_says_so_once_and_then_goes_on(tmp_path: Path) -> None:
    said: list[str] = []
    waits = threading.Event()

    def say(words: str) -> None:
        said.append(words)
        waits.set()

    def wait() -> None:
        with lock_worktree(tmp_path, say=say) as lock:
            said.append(f"waited {lock.waited}")

    thread = threading.Thread(target=wait)
    with lock_worktree(tmp_path):
        thread.start()
        assert waits.wait(LONGEST)
    thread.join(LONGEST)
    assert said == ["waiting for another command that is at work here", "waited True"]


def test_a_child_that_outlives_its_command_keeps_the_lock(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    folder = tmp_path / "folder"
    with lock_worktree(folder) as lock:
        running = Git(tmp_path, lock=lock.handle).start(
            "hash-object", "--no-filters", str(tmp_path / "pipe")
        )
    with (
        pytest.raises(LockTimeout, match="another command"),
        lock_worktree(folder, deadline=time.monotonic()),
    ):
        pass
    (tmp_path / "pipe").write_bytes(b"x")
    running.finish()
    with lock_worktree(folder, deadline=time.monotonic() + LONGEST) as lock:
        assert lock.waited is False


def test_a_part_of_a_worktree_is_locked_as_the_whole(tmp_path: Path) -> None:
    state, top = tmp_path / "state", tmp_path / "top"
    (top / "src" / "deep").mkdir(parents=True)
    (top / "link").symlink_to("src")
    assert worktree_around(top / "src", state) == top / "src"
    claim_place(top, state)
    assert worktree_around(top / "src" / "deep", state) == top
    (top / "src" / ".git" / "objects").mkdir(parents=True)
    assert worktree_around(top / "src" / "deep", state) == top / "src"
    assert worktree_around(top / "link" / "deep", state) == top / "src"
    assert worktree_around(top, state) == top


def test_the_home_directory_is_no_worktree_of_the_projects_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    assert worktree_around(tmp_path / "project", tmp_path / "state") == tmp_path / "project"


def test_nobody_else_can_read_the_folder(tmp_path: Path) -> None:
    with lock_worktree(tmp_path / "folder"):
        assert (tmp_path / "folder").stat().st_mode & 0o077 == 0
