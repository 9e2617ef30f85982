"""A full disk, at whatever step it becomes full, and a read-only one: said clearly, and nothing has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoints.limits import SnapshotLimits
from holdfast.wiring import worktrees
from tests.end_to_end.checkpoints.repo import Folder, Ran, Tree, bring_back, ravage, standard
from tests.samples import WHOLE

PAGE = 4096
VERBS = ("create", "restore", "undo", "prune")
STEP = 5 if WHOLE else 15
"""How many pages more of room each try has."""

pytestmark = pytest.mark.slow


@pytest.fixture
def disk() -> Iterator[Path]:
    """A disk of eight megabytes."""
    # Not below pytest's directory: a disk that could not be taken away would be in the way of every later run.
    place = Path(tempfile.mkdtemp(prefix="holdfast-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(
                f"no small disk can be mounted here: {done.stderr.partition(chr(10))[0] or done.returncode}"
            )
        yield place
        subprocess.run(["umount", place], check=True)
    finally:
        if place.is_mount():
            subprocess.run(["umount", "-l", place], check=True)
        place.rmdir()


@pytest.fixture
def _no_spare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a command begin on a disk that is nearly full: the budget would refuse it at once."""
    monkeypatch.setattr(worktrees, "SnapshotLimits", partial(SnapshotLimits, reserve=0))


class Scene:
    """A repository (or folder) on a small disk, ready for a verb, that is brought back for every try."""

    def __init__(self, disk: Path, verb: str, *, plain: bool) -> None:
        self.disk, self.verb, self.plain = disk, verb, plain
        os.environ["HOLDFAST_STATE_DIR"] = str(disk / "scene" / "state")
        self.repo = Folder(disk / "scene" / "root")
        self.taken = self._set()
        self.kept = Path(tempfile.mkdtemp(prefix="holdfast-scene-"))
        shutil.copytree(disk / "scene", self.kept / "scene", symlinks=True)
        self.tree, self.users, self.ids = self.repo.tree(), self._users(), self._ids()
        assert self.act().code == 0
        self.done = self.repo.tree()

    def _set(self) -> str:
        repo = self.repo
        if self.plain:
            for name in ("src/app.py", "src/util.py", "docs/a.md", "notes.txt", "run.sh"):
                repo.write(name, f"{name}\n")
        else:
            standard(repo)
        for number in range(12):
            repo.write(f"more/{number}/file.txt", f"{number}\n" * 3000)
        # A verb that comes first makes all that is kept; one that comes later has it.
        taken = repo.checkpoint() if self.verb != "create" else ""
        ravage(repo)
        for number in range(12):
            repo.write(f"more/{number}/file.txt", f"agent {number}\n" * 3000)
        if self.verb == "undo":
            repo.restore(taken)
        return taken

    def act(self) -> Ran:
        words = {"restore": [self.taken], "prune": ["--keep", "0"]}.get(self.verb, [])
        return self.repo.run(self.verb, *words, "--json")

    def bring_back(self) -> None:
        bring_back(self.kept / "scene", self.disk / "scene")

    def fill(self, *, leave: int) -> Callable[[], None]:
        """Leave so much room; gives what takes the ballast away."""
        ballast = self.disk / "ballast"
        free = shutil.disk_usage(self.disk).free
        ballast.write_bytes(b"x" * (free - leave))
        assert shutil.disk_usage(self.disk).free == leave
        return ballast.unlink

    def close(self) -> None:
        shutil.rmtree(self.kept)

    def must_be_untouched(self, where: str) -> None:
        assert _difference(self.tree, self.repo.tree()) == [], where
        assert self._users() == self.users, where
        assert self._ids() == self.ids, where

    def must_be_done(self, where: str) -> None:
        again = self.act()
        assert again.code == 0, (where, again.out, again.err)
        assert _difference(self.done, self.repo.tree()) == [], where
        assert self._users() == self.users, where

    def _users(self) -> dict[str, Any]:
        told = {} if self.plain else self.repo.users()
        return {name: value for name, value in told.items() if name != "index time"}

    def _ids(self) -> list[str]:
        return [] if self.plain else self.repo.ids()


def _difference(before: Tree, after: Tree) -> list[bytes]:
    return sorted(path for path in {**before, **after} if before.get(path) != after.get(path))


@pytest.fixture(params=["repository", "folder"])
def plain(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "folder")


@pytest.mark.usefixtures("_no_spare")
@pytest.mark.parametrize("verb", VERBS)
def test_a_disk_that_becomes_full_at_any_step_is_said_and_nothing_has_changed(
    disk: Path, verb: str, plain: bool
) -> None:
    scene = Scene(disk, verb, plain=plain)
    refused = 0
    try:
        for pages in range(0, 400, STEP):
            scene.bring_back()
            make_room = scene.fill(leave=pages * PAGE)
            ran = scene.act()
            where = f"{verb} with room for {pages} pages: {ran.out}"
            if ran.code == 0:
                break
            refused += 1
            assert "No space left on device" in ran.why or "disk" in ran.why, where
            make_room()
            scene.must_be_untouched(where)
            scene.must_be_done(where)
    finally:
        scene.close()
    assert refused >= 1
    assert ran.code == 0, "with all that room it is done"


@pytest.mark.usefixtures("_no_spare")
@pytest.mark.parametrize("verb", VERBS)
def test_a_read_only_disk_is_said_and_nothing_has_changed(
    disk: Path, verb: str, plain: bool
) -> None:
    scene = Scene(disk, verb, plain=plain)
    try:
        scene.bring_back()
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True, capture_output=True)
        ran = scene.act()
        assert "Read-only file system" in ran.why
        scene.must_be_untouched(ran.out)
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True, capture_output=True)
        scene.must_be_done(ran.out)
    finally:
        scene.close()


def test_without_the_room_that_is_to_be_spared_nothing_begins(
    disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(disk / "state"))
    repo = standard(Folder(disk / "root"))
    before, users = repo.tree(), repo.users()
    why = repo.run("create", "--json").why
    assert "the disk has 7 MB left" in why
    assert "make room" in why
    assert (repo.tree(), repo.users(), repo.ids()) == (before, users, [])


def test_a_full_state_directory_is_said_and_nothing_has_changed(
    disk: Path, repo: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(disk / "state"))
    (disk / "ballast").write_bytes(b"x" * shutil.disk_usage(disk).free)
    before, users = repo.tree(), repo.users()
    assert "No space left on device" in repo.run("create", "--json").why
    assert (repo.tree(), repo.users()) == (before, users)


def test_a_full_state_directory_is_said_for_a_folder_and_nothing_has_changed(
    disk: Path, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(disk / "state"))
    ballast = disk / "ballast"
    ballast.write_bytes(b"x" * shutil.disk_usage(disk).free)
    folder.write("a.txt", "a\n")
    before = folder.tree()
    why = folder.run("create", "--json").why
    assert "No space left on device" in why
    assert folder.tree() == before
    assert folder.run("list", "--json").told["checkpoints"] == []


# A git before whose checkout somebody fills the disk.
_FILLER = """#!/bin/sh
case "$*" in *"read-tree -m -u"*) head -c 16000000 /dev/zero > {ballast} 2>/dev/null;; esac
exec {git} "$@"
"""


@pytest.mark.usefixtures("_no_spare")
def test_a_disk_that_somebody_fills_during_a_restore_is_said_and_the_next_command_gets_there(
    disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = standard(Folder(disk / "root"))
    # So many that git writes them: its `read-tree` fills the disk.
    for number in range(510):
        repo.write(f"many/{number}.dat", f"{number}\n" * 1100)
    taken, then = repo.checkpoint(), repo.tree()
    for number in range(510):
        repo.write(f"many/{number}.dat", f"agent {number}\n")
    now, users = repo.tree(), repo.users()
    script = tmp_path / "bin" / "git"
    script.parent.mkdir()
    script.write_text(_FILLER.format(ballast=disk / "ballast", git=shutil.which("git")))
    script.chmod(0o755)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
        ran = repo.run("restore", taken, "--json")
    assert "halfway" in ran.why, ran
    (disk / "ballast").unlink()
    repo.restore(taken)
    assert _difference(then, repo.tree()) == []
    repo.undo()
    assert _difference(now, repo.tree()) == []
    assert repo.users() == users
