"""The user's index: restore what was staged in a checkpoint. Only `restore --index` writes it."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.git_command import Git, GitFailed, join_names, to_bytes
from holdfast.adapters.git.private_index import intended_files
from holdfast.adapters.processes.git_links import why_unwritable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from holdfast.adapters.git.repository import PrivateRepository
    from holdfast.adapters.git.user_repository import UserRepository

_ABSENT = "000000"
_GITLINK = "160000"


def restore_staged(
    repository: PrivateRepository, private: Git, tree: str, intended: Sequence[str] = ()
) -> str | None:
    """Make the user's index have the files of a tree; return why that could not be done.

    `intended` are the files of `git add -N`. Stat data of entries that stay are kept, so that the
    next `git status` is quick.
    """
    user = repository.user
    if user is None:
        return "there is no repository of the user any more"

    index = os.path.relpath(user.git_dir / "index", user.common_dir)
    problem = why_unwritable(user.top, user.common_dir, others=[index])
    if problem:
        return problem

    git = user.git(private.deadline)
    try:
        entries = _differing(
            git.with_variables(alternate_object_directories=repository.objects), tree
        )
        _copy_objects(private, git, [oid for mode, oid, _ in entries if mode != _GITLINK])
        lines = [to_bytes(f"{mode} {oid}\t{path}\0") for mode, oid, path in entries]
        if lines:
            git.run(
                "update-index", "--add", "--replace", "-z", "--index-info", stdin=b"".join(lines)
            )
        _restore_intended(repository, user, git, tree, intended)
    except GitFailed as error:
        return str(error)

    return None


def _differing(git: Git, tree: str) -> list[tuple[str, str, str]]:
    """Return mode, object and path of the tree's entries that the index has not so.

    A mode of zeros removes the entry.
    """
    options = ("--cached", "--raw", "-z", "--no-renames", "--ignore-submodules=none", "-R")
    fields = git.run("diff-index", *options, tree).split(b"\0")
    entries: dict[str, tuple[str, str, str]] = {}
    for head, name in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, oid, _ = head.decode("ascii").removeprefix(":").split(" ")
        path = name.decode("utf-8", "surrogateescape")
        entries[path] = ("0" if mode == _ABSENT else mode, oid, path)

    return list(entries.values())


def _restore_intended(
    repository: PrivateRepository,
    user: UserRepository,
    git: Git,
    tree: str,
    intended: Sequence[str],
) -> None:
    """Make these, and no others, the files of `git add -N`; the index has the files of `tree`."""
    readable = git.with_variables(alternate_object_directories=repository.objects)
    there = intended_files(readable, user.git_dir / "index", tree)
    others = [path for path in there if path not in intended]
    if others:
        git.run("update-index", "--force-remove", "-z", "--stdin", stdin=join_names(others))

    missing = [path for path in intended if path not in there]
    if missing:
        # Without our objects: the user's repository has to get the empty one that they refer to.
        _add_intended(repository.git_dir / "intended", user, git, missing)


def _add_intended(scratch: Path, user: UserRepository, git: Git, intended: Sequence[str]) -> None:
    """Run `git add -N` on empty files: those of the user may be gone from the disk."""
    shutil.rmtree(scratch, ignore_errors=True)
    try:
        for path in intended:
            file = scratch / os.fsdecode(to_bytes(path))
            file.parent.mkdir(0o700, parents=True, exist_ok=True)
            atomic_write.put(file, b"", sync=False)
        git = replace(git, directory=scratch)
        git = git.with_variables(dir=user.git_dir, work_tree=scratch, literal_pathspecs="1")
        git.run("add", "-N", "-f", "--", *intended)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _copy_objects(private: Git, user: Git, oids: list[str]) -> None:
    """Copy blobs from the private repository into the user's."""
    wanted = [oid for oid in oids if set(oid) != {"0"}]
    if not wanted:
        return
    stdin = "".join(f"{oid}\n" for oid in wanted).encode("ascii")
    pack = private.run("pack-objects", "--stdout", "-q", stdin=stdin)
    user.run("unpack-objects", "-q", stdin=pack)
