"""What commands change, by digests alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from holdfast.adapters.project.worktree_digest import DiskWorktreeDigests
from holdfast.tools.digest_observer import DigestObserver


@pytest.fixture(params=["git", "no git"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "a").write_text("one\n")
    (tmp_path / "b").write_text("two\n")
    if request.param == "git":
        for words in (["init", "-q"], ["add", "-A"]):
            subprocess.run(["git", *words], cwd=tmp_path, check=True)
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *identity, "commit", "-qm", "1"], cwd=tmp_path, check=True)
    return tmp_path


def test_files_that_a_command_edited_made_and_deleted_are_named(root: Path) -> None:
    observer = DigestObserver(DiskWorktreeDigests(str(root)))
    assert observer.look("outside").files == ()
    (root / "a").write_text("uno\n")
    (root / "b").unlink()
    (root / "c").write_text("new\n")
    assert observer.look("command").files == ("a", "b", "c")
    assert observer.look("command").files == ()


def test_what_changes_between_two_commands_is_not_that_of_a_command(root: Path) -> None:
    observer = DigestObserver(DiskWorktreeDigests(str(root)))
    observer.look("outside")
    (root / "a").write_text("by hand\n")
    assert observer.look("outside").files == ()
    (root / "b").write_text("dos\n")
    assert observer.look("command").files == ("b",)


def test_a_commit_changes_no_file(root: Path) -> None:
    if not (root / ".git").is_dir():
        return
    observer = DigestObserver(DiskWorktreeDigests(str(root)))
    (root / "a").write_text("uno\n")
    observer.look("outside")
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *identity, "commit", "-qam", "2"], cwd=root, check=True)
    assert observer.look("command").files == ()
