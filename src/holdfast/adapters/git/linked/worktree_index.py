"""The index of a worktree, made that of all its files."""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import (
    filter_names,
    join_names,
    split_names,
    to_bytes,
    to_text,
)
from holdfast.adapters.git.linked.file_reader import FileReader
from holdfast.checkpoints.ports import CheckpointFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.adapters.git.git_command import Git
    from holdfast.adapters.git.user_repository import UserRepository

GITLINK = b"160000"
_CHANGED = ("diff-files", "--name-only", "-z", "--no-renames", "--ignore-submodules=all")
_NEW = ("ls-files", "--others", "--exclude-standard", "-z")
_ADD = ("update-index", "--add", "--replace", "-z", "--stdin")
_REMOVE = ("update-index", "--force-remove", "-z", "--stdin")
# Without an object: what is a file by now is not read by its path.
_UPDATE_SUBMODULES = ("update-index", "--remove", "--info-only", "-z", "--stdin")
_ATTRIBUTES = ".gitattributes"


def add_files(repository: UserRepository, git: Git) -> tuple[str, ...]:
    """Make the index that of all files which are tracked or not ignored.

    Return the repositories inside that are not in the index. For a submodule `git add` would run
    git in it, with the settings of that submodule, which can name programs; `update-index` reads
    only which commit is checked out there.
    """
    new = split_names(git.run(*_NEW))
    inside = tuple(name.removesuffix("/") for name in new if name.endswith("/"))
    names = [*split_names(git.run(*_CHANGED)), *(name for name in new if not name.endswith("/"))]
    with FileReader(repository.top) as reader:
        submodules = _gitlinks(git)
        replaced = [path for path in submodules if _is_file(reader, path)]
        _add(repository, git, reader, tuple(dict.fromkeys([*names, *replaced])))
        kept = [path for path in submodules if path not in replaced]

    if kept:
        git.run(*_UPDATE_SUBMODULES, stdin=join_names(kept))

    return inside


def _gitlinks(git: Git) -> tuple[str, ...]:
    """Return the submodules in the index."""
    entries = git.run("ls-files", "--stage", "-z").split(b"\0")
    found = [entry for entry in entries if entry.startswith(GITLINK)]
    return tuple(to_text(entry.partition(b"\t")[2]) for entry in found)


def _is_file(reader: FileReader, path: str) -> bool:
    try:
        return not stat.S_ISDIR(reader.status(path).st_mode)
    except FileNotFoundError:
        return False


def _add(repository: UserRepository, git: Git, reader: FileReader, names: Sequence[str]) -> None:
    """Make the entries of these files in the index those of the files on the disk.

    Git reads copies in an empty folder, which no link leads out of.
    """
    if not names:
        return

    with tempfile.TemporaryDirectory(prefix="holdfast-files-") as folder:
        copies = Path(folder)
        there = [name for name in names if _copy(reader, name, copies)]
        for name in _attribute_files(there):
            if name not in there:
                _copy(reader, name, copies)

        # First: attributes in the index count, where there is no file of them.
        gone = set(names).difference(there)
        git.run(*_REMOVE, stdin=join_names(sorted(gone)))
        beside = replace(git.without_filters(), directory=copies)
        beside = beside.with_variables(dir=repository.git_dir, work_tree=copies)
        beside.run(*_ADD, stdin=join_names(there))
        _run_filters(git, copies, there)


def _copy(reader: FileReader, name: str, folder: Path) -> bool:
    """Copy a file or a link into a folder; return whether there was one."""
    try:
        return reader.copy(name, folder / os.fsdecode(to_bytes(name)))
    except OSError as error:
        raise CheckpointFailed(f"{name}: {error.strerror}; correct this, and try again.") from error


def _attribute_files(names: Iterable[str]) -> list[str]:
    """Return the names of the files with attributes that may be about these files."""
    folders: dict[str, None] = {}
    for name in names:
        parts = name.split("/")[:-1]
        for count in range(len(parts) + 1):
            folders["".join(f"{part}/" for part in parts[:count])] = None
    return [f"{folder}{_ATTRIBUTES}" for folder in folders]


def _run_filters(git: Git, copies: Path, names: Sequence[str]) -> None:
    """Run the filters of the repository, which may be named relative to the worktree."""
    entries = []
    for path in filtered_files(git, names):
        copy = copies / os.fsdecode(to_bytes(path))
        if copy.is_symlink():
            continue
        words = ("hash-object", "-w", "--stdin", f"--path={path}")
        oid = git.read_line(*words, stdin=copy.read_bytes())
        listed = git.with_variables(literal_pathspecs="1").run("ls-files", "-s", "-z", "--", path)
        entries.append(b"%s %s\t%s\0" % (listed[:6], oid.encode("ascii"), to_bytes(path)))

    if entries:
        git.run("update-index", "-z", "--index-info", stdin=b"".join(entries))


def filtered_files(git: Git, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of the files whose filter is defined by the repository itself."""
    filters = filter_names(git.own_programs())
    if not filters:
        return ()

    words = ("check-attr", "-z", "--stdin", "filter")
    # Not `split_names`: the name of a filter may be empty.
    fields = to_text(git.run(*words, stdin=join_names(names))).split("\0")
    values = zip(fields[::3], fields[2::3], strict=False)
    return tuple(path for path, value in values if value in filters)
