"""A private repository stays small by itself: few packs, no object of a checkpoint that is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from holdfast.adapters.git import worktree
from holdfast.adapters.git.git_command import Git, GitFailed
from holdfast.checkpoints.limits import SnapshotLimits
from holdfast.usecases.checkpoints.checkpoint import Created, create_checkpoint
from holdfast.wiring import worktrees
from holdfast.wiring.worktrees import open_worktrees
from tests.end_to_end.checkpoints.repo import Folder, Tree

# A checkpoint whose process and git are killed when git has done so many steps of packing anew.
_DYING = """
import os, signal, sys
from holdfast.adapters.git import worktree
from holdfast.adapters.git.git_command import Git
from holdfast.cli.app import app
worktree._PRUNE_INTERVAL = worktree._REPACK_INTERVAL = 1
run, verb, when = Git.run, sys.argv[1], sys.argv[2]
def run_or_die(self, *words, **more):
    if words[0] != verb:
        return run(self, *words, **more)
    if when == "after":
        run(self, *words, **more)
    os.kill(os.getpid(), signal.SIGKILL)
Git.run = run_or_die
app(sys.argv[3:])
"""


def take_many(repo: Folder, count: int) -> list[tuple[str, Tree]]:
    """Change a few files before each checkpoint; return the checkpoints with their trees."""
    taken = []
    for number in range(count):
        for name in ("a", "b", "c", "d"):
            repo.write(f"many/{name}.txt", f"{name} {number}\n" * 200)
        taken.append((repo.checkpoint(), repo.tree()))
    return taken


def files_of_objects(repo: Folder) -> list[Path]:
    """Return the packs of our own, and the loose objects that the user's repository does not have."""
    objects = repo.private_dir() / "objects"
    files = [path for path in objects.rglob("*") if path.is_file()]
    own = [path for path in files if path.stat().st_nlink == 1]
    return [path for path in own if path.suffix in {"", ".pack"} and path.parent.name != "info"]


def test_packs_and_objects_do_not_grow_with_the_number_of_checkpoints(
    repo: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worktree, "_PRUNE_INTERVAL", 5)
    monkeypatch.setattr(worktree, "_REPACK_INTERVAL", 15)
    taken = take_many(repo, 15)
    first = files_of_objects(repo)
    assert len(first) <= 3
    taken += take_many(repo, 15)
    assert len(files_of_objects(repo)) <= len(first)
    repo.private("fsck", "--strict")
    for checkpoint, tree in taken[::7]:
        repo.restore(checkpoint)
        assert repo.tree() == tree


def test_objects_of_checkpoints_that_went_by_themselves_are_removed(
    repo: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worktree, "_PRUNE_INTERVAL", 5)
    monkeypatch.setattr(worktree, "_REPACK_INTERVAL", 10)
    monkeypatch.setattr(worktrees, "SnapshotLimits", partial(SnapshotLimits, keep=3))
    blob = repo.git("hash-object", "--stdin", given=b"only then\n").strip()
    repo.write("many/then.txt", "only then\n")
    first = take_before_turn(repo)
    assert repo.private("cat-file", "-t", blob).strip() == "blob"
    repo.path("many/then.txt").unlink()
    for number in range(9):
        repo.write("many/now.txt", f"{number}\n")
        last = take_before_turn(repo)
    assert first not in repo.ids()
    assert repo.private("cat-file", "-t", blob, check=False) == ""
    now = repo.tree()
    repo.write("many/now.txt", "agent\n")
    repo.restore(last)
    assert repo.tree() == now


def take_before_turn(repo: Folder) -> str:
    taken = create_checkpoint(open_worktrees(repo.root), kind="turn")
    assert isinstance(taken, Created), taken
    return taken.checkpoint.id


@pytest.mark.e2e
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("verb", ["repack", "prune"])
def test_a_kill_while_objects_are_packed_anew_loses_nothing(
    repo: Folder, verb: str, when: str
) -> None:
    taken = take_many(repo, 4)
    repo.write("many/a.txt", "last\n")
    words = ["checkpoint", "create", "--root", str(repo.root)]
    dying = [sys.executable, "-c", _DYING, verb, when, *words]
    killed = subprocess.run(dying, check=False, env=dict(os.environ), capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed
    [new] = set(repo.ids()) - {checkpoint for checkpoint, _ in taken}
    taken.append((new, repo.tree()))
    repo.private("fsck", "--strict")
    for checkpoint, tree in taken:
        repo.restore(checkpoint)
        assert repo.tree() == tree


def test_a_checkpoint_is_good_where_objects_cannot_be_packed_anew(
    repo: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worktree, "_PRUNE_INTERVAL", 1)
    monkeypatch.setattr(worktree, "_REPACK_INTERVAL", 1)
    run = Git.run

    def refuse(self: Git, *words: str, stdin: bytes = b"", ok_codes: Sequence[int] = (0,)) -> bytes:
        if words[0] == "repack":
            raise GitFailed(words, 128, "no space left on device")
        return run(self, *words, stdin=stdin, ok_codes=ok_codes)

    monkeypatch.setattr(Git, "run", refuse)
    [(checkpoint, tree)] = take_many(repo, 1)
    repo.write("many/a.txt", "agent\n")
    repo.restore(checkpoint)
    assert repo.tree() == tree
