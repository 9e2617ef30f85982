"""Files of a worktree are read, compared and copied by no link, whatever another process does meanwhile."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from holdfast.adapters.git.git_command import Git
from holdfast.adapters.git.linked.captured_tree import capture_tree
from holdfast.adapters.git.linked.ignored_copies import copy_ignored
from holdfast.adapters.git.linked.session_files import CapturedSession
from holdfast.adapters.git.user_repository import query_repository
from holdfast.checkpoints.ports import CheckpointFailed
from tests.adapters.swap import MOST_CALLS, Swap, with_swap

AUTHOR = ("-c", "user.name=n", "-c", "user.email=e")


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


def git(root: Path, *words: str) -> str:
    ran = subprocess.run(
        ["git", *AUTHOR, *words], cwd=root, check=True, capture_output=True, text=True
    )
    return ran.stdout.strip()


def fill(root: Path, text: str) -> Path:
    """Write files below a folder `sub`; return the folder."""
    (root / "sub/in").mkdir(parents=True)
    for name in ("a.txt", "in/b.txt", "c.env"):
        (root / "sub" / name).write_text(f"{text}\n")
    (root / "sub/link").symlink_to(text)
    return root / "sub"


def repository(root: Path) -> Path:
    """Make a repository with a folder `sub`, all of whose files have changed; return the folder."""
    root.mkdir()
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.env\n")
    sub = fill(root, "first")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    git(root, "rm", "-rqf", "sub")
    git(root, "reset", "-q")
    (sub / "c.env").unlink(missing_ok=True)
    for path in sorted(root.glob("sub/**/"), reverse=True):
        path.rmdir()
    return fill(root, "own")


def for_any_call(tmp_path: Path, read: Callable[[Path, Swap], set[str]]) -> None:
    """Check that nothing outside is read if the folder becomes a link before any of the calls."""
    outside = fill(tmp_path / "outside", "precious")
    for number in range(1, MOST_CALLS):
        root = tmp_path / str(number)
        found: set[str] = set()

        def run(swap: Swap, root: Path = root, found: set[str] = found) -> None:
            with suppress(CheckpointFailed):
                found.update(read(root, swap))

        was_swapped = with_swap(Swap(repository(root), outside, number), run)
        assert "precious" not in " ".join(found), number
        if not was_swapped:
            assert found
            return


def test_the_changed_files_of_a_session_are_read_by_no_link(tmp_path: Path) -> None:
    def read(root: Path, swap: Swap) -> set[str]:
        head = git(root, "rev-parse", "HEAD")
        found = query_repository(root, 1e12)
        tree, _ = capture_tree(found, found.git())
        session = CapturedSession(root, found.git(), tree, head, converts=False)
        swap.is_armed = True
        return {side[0].decode() for side in session.difference(head).after.values()}

    for_any_call(tmp_path, read)


def test_files_are_captured_by_no_link(tmp_path: Path) -> None:
    def read(root: Path, swap: Swap) -> set[str]:
        found = query_repository(root, 1e12)
        swap.is_armed = True
        tree, _ = capture_tree(found, found.git())
        swap.is_armed = False
        return {git(root, "diff-tree", "-p", "-r", "HEAD", tree)}

    for_any_call(tmp_path, read)


def test_ignored_files_are_copied_by_no_link(tmp_path: Path) -> None:
    def read(root: Path, swap: Swap) -> set[str]:
        copies = root.with_name(f"{root.name}.copies")
        copies.mkdir()
        swap.is_armed = True
        copy_ignored(Git(root), root, copies, ["*.env"])
        swap.is_armed = False
        return {file.read_text() for file in copies.rglob("*.env")} | {"nothing"}

    for_any_call(tmp_path, read)


def test_a_file_is_captured_as_it_was_before_git_reads_it(tmp_path: Path) -> None:
    """A filter of the user's swaps a folder, in the place of another process that does so meanwhile."""
    outside = fill(tmp_path / "outside", "precious")
    sub = repository(tmp_path / "root")
    (sub / "in/new.txt").write_text("own\n")
    (outside / "in/new.txt").write_text("precious\n")
    (tmp_path / "root/.gitattributes").write_text(".first filter=x\n")
    (tmp_path / "root/.first").write_text("x")
    clean = f"cat; cd {tmp_path}/root; mv sub sub.own; ln -s {outside} sub"
    git(tmp_path, "config", "--global", "filter.x.clean", clean)
    found = query_repository(tmp_path / "root", 1e12)
    tree, _ = capture_tree(found, found.git())
    assert sub.is_symlink()
    for path in ("sub/a.txt", "sub/in/b.txt", "sub/in/new.txt"):
        assert git(tmp_path / "root", "show", f"{tree}:{path}") == "own"


def test_a_filter_of_the_repository_runs_in_the_worktree(tmp_path: Path) -> None:
    sub = repository(tmp_path / "root")
    script = tmp_path / "root/clean.sh"
    script.write_text("#!/bin/sh\ntr a-z A-Z\n")
    script.chmod(0o755)
    (sub / ".gitattributes").write_text("*.txt filter=x\n")
    git(tmp_path / "root", "config", "filter.x.clean", "./clean.sh")
    git(tmp_path / "root", "config", "filter.x.required", "true")
    (sub / "a.txt").chmod(0o755)
    found = query_repository(tmp_path / "root", 1e12)
    tree, _ = capture_tree(found, found.git())
    listed = git(tmp_path / "root", "ls-tree", "-r", "--format=%(objectmode) %(path)", tree)
    assert "100755 sub/a.txt" in listed.split("\n")
    assert git(tmp_path / "root", "show", f"{tree}:sub/a.txt") == "OWN"
    assert git(tmp_path / "root", "show", f"{tree}:sub/in/b.txt") == "OWN"
    raw, _ = capture_tree(found, found.git().without_filters())
    assert git(tmp_path / "root", "show", f"{raw}:sub/a.txt") == "own"


@pytest.mark.parametrize(
    "attributes", ["", "* text=auto\n", "*.txt text eol=crlf\n", "*.txt -text\n", "*.txt ident\n"]
)
def test_what_is_captured_is_what_git_would_add(tmp_path: Path, attributes: str) -> None:
    sub = repository(tmp_path / "root")
    root = tmp_path / "root"
    (sub / ".gitattributes").write_text(attributes)
    # Git's own rules do not name it, but it counts.
    (root / ".git/info/exclude").write_text(".gitattributes\n")
    (sub / "a.txt").write_bytes(b"one\r\ntwo $Id: x $\r\n")
    (sub / "in/b.txt").unlink()
    (sub / "in/b.txt").mkdir()
    (sub / "in/b.txt/new").write_bytes(b"\r\n")
    (sub / "run").write_text("x")
    (sub / "run").chmod(0o755)
    (root / "gone").write_text("x")
    git(root, "add", "gone")
    (root / "gone").unlink()
    found = query_repository(root, 1e12)
    tree, inside = capture_tree(found, found.git())
    git(root, "add", "-A")
    assert (tree, inside) == (git(root, "write-tree"), ())
