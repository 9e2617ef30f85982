"""The files of a worktree as a tree of git, without a change of its index."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import join_names, split_names, to_text
from holdfast.adapters.git.linked.worktree_index import GITLINK, add_files
from holdfast.checkpoints.ports import CheckpointFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.adapters.git.git_command import Git
    from holdfast.adapters.git.user_repository import UserRepository

_POINTER_SIZE = 1024


@contextmanager
def index_copy(repository: UserRepository, git: Git) -> Iterator[Git]:
    """Yield git with a copy of the worktree's index, which itself is neither locked nor written.

    The copy has the time of the index. One that looked younger would hide edits of the last second.
    """
    with tempfile.TemporaryDirectory(prefix="holdfast-index-") as folder:
        copy = Path(folder, "index")
        index = repository.git_dir / "index"
        if index.exists():
            shutil.copy2(index, copy)
        yield git.with_variables(index_file=copy)


@contextmanager
def scratch_objects(repository: UserRepository, git: Git) -> Iterator[Git]:
    """Yield git that writes new objects to a directory which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="holdfast-objects-") as folder:
        objects = str(repository.common_dir / "objects")
        yield git.with_variables(object_directory=folder, alternate_object_directories=objects)


def capture_tree(repository: UserRepository, git: Git) -> tuple[str, tuple[str, ...]]:
    """Return the tree of all files that are tracked or not ignored, as they are on the disk.

    Also return the repositories inside that no commit names: they are not in the tree.
    """
    with index_copy(repository, git) as copy:
        inside = add_files(repository, copy)
        new = _new_gitlinks(copy)
        if new:
            names = join_names(new)
            copy.run("update-index", "-z", "--force-remove", "--stdin", stdin=names)
        return copy.read_line("write-tree"), tuple(sorted({*inside, *new}))


def set_index(repository: UserRepository, git: Git, tree: str) -> None:
    """Make the index of a worktree that of a tree.

    It is written beside the index and renamed: a git that is killed leaves no lock of the index.
    """
    index = repository.git_dir / "index"
    if index.with_name("index.lock").exists():
        raise CheckpointFailed(
            f"{index}.lock: another git is at work there; wait for its end, and try again. If it "
            "was killed, remove this file."
        )

    new = index.with_name("holdfast-index")
    for left in (new, new.with_name("holdfast-index.lock")):
        left.unlink(missing_ok=True)

    beside = git.with_variables(index_file=new)
    beside.run("read-tree", tree)
    beside.run("update-index", "-q", "--refresh", ok_codes=(0, 1))
    new.replace(index)


def _new_gitlinks(git: Git) -> tuple[str, ...]:
    """Return the repositories in the index that HEAD does not have."""
    raw = git.run("diff-index", "--cached", "--raw", "--no-renames", "-z", "HEAD").split(b"\0")
    found = []
    for fields, path in zip(raw[::2], raw[1::2], strict=False):
        old, new = fields.removeprefix(b":").split(b" ")[:2]
        if new == GITLINK and old != GITLINK:
            found.append(to_text(path))

    return tuple(found)


def own_files(git: Git, tree: str, base: str, *, strictly: bool) -> tuple[str, ...]:
    """Return the files of a tree that neither a commit nor HEAD has so.

    Unless `strictly`, a file that is missing does not count: it was not checked out yet.
    """
    words = ["diff-tree", "-r", "--no-renames", "-z", "--name-only"]
    if not strictly:
        words.append("--diff-filter=d")

    differs = set(split_names(git.run(*words, base, tree)))
    if not strictly:
        differs &= set(split_names(git.run(*words, "HEAD", tree)))

    return tuple(sorted(differs))


def submodules_of(git: Git, tree: str) -> tuple[str, ...]:
    """Return the submodules of a tree; nothing for a tree without `.gitmodules`."""
    if not git.run("ls-tree", "-z", "--name-only", tree, "--", ".gitmodules"):
        return ()
    entries = git.run("ls-tree", "-r", "-z", tree).split(b"\0")
    found = [entry for entry in entries if entry.startswith(GITLINK)]
    return tuple(to_text(entry.partition(b"\t")[2]) for entry in found)


def names_of(git: Git, tree: str) -> tuple[str, ...]:
    """Return the names of all files of a tree."""
    return split_names(git.run("ls-tree", "-r", "-z", "--name-only", tree))


def lfs_pointers(top: Path, git: Git) -> tuple[str, ...]:
    """Return the files that are only pointers to large files, where the attributes name LFS."""
    attributes = top / ".gitattributes"
    try:
        if b"filter=lfs" not in attributes.read_bytes():
            return ()
    except OSError:
        return ()

    version = "^version https://git-lfs.github.com/spec/"
    found = git.run("grep", "-l", "-z", "-I", "-e", version, ok_codes=(0, 1))
    small = [name for name in split_names(found) if (top / name).stat().st_size < _POINTER_SIZE]
    return tuple(small)
