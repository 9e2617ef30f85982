"""Repositories inside a worktree: submodules and others. A checkpoint has not their files.

It has a digest of each, so that a restore can name those that have changed since.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git, GitFailed, GitProcess, to_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.adapters.git.worktree_files import WorktreeFiles

# In a submodule git would run itself again, with the settings of that submodule.
_STATUS = (
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--show-stash",
    "-uall",
    "--no-renames",
    "--ignore-submodules=dirty",
)
# Not those of remotes: an editor fetches them at any time.
_REFS = ("for-each-ref", "refs/heads", "refs/tags", "refs/stash")
_UNKNOWN = "unknown"


def digest_repositories(
    paths: Iterable[str], disk: WorktreeFiles, deadline: float | None
) -> dict[str, str]:
    """Return a digest of each repository that has a git directory, by its path."""
    running: dict[str, tuple[GitProcess, GitProcess]] = {}
    for path in paths:
        inner = disk.inspect(f"{path}/.git")
        if inner.shape != "absent" and inner.readable:
            place = disk.location(path)
            # Without a ceiling, git would report the repository around a broken one.
            git = Git(place, deadline=deadline, project=disk.location(""))
            git = git.with_variables(ceiling_directories=place.parent)
            git = git.without_filters()
            status = git.start(*_STATUS).in_background()
            running[path] = (status, git.start(*_REFS).in_background())

    digests: dict[str, str] = {}
    for path, (status, refs) in running.items():
        try:
            digests[path] = _digest(path, status.finish(), refs.finish(), disk)
        except GitFailed:
            digests[path] = _UNKNOWN

    return digests


def _digest(path: str, status: bytes, refs: bytes, disk: WorktreeFiles) -> str:
    """Return a digest of what git reports, and of the times of the files that differ."""
    digest = hashlib.sha256(status)
    digest.update(refs)
    for entry in status.split(b"\0"):
        if entry[:2] not in {b"1 ", b"u ", b"? "}:
            continue
        name = to_text(entry[2:])
        if not entry.startswith(b"? "):
            name = to_text(entry.split(b" ", 8)[-1])
        try:
            changed = disk.location(f"{path}/{name}").lstat()
        except OSError:
            continue
        digest.update(f"{changed.st_mtime_ns} {changed.st_size} ".encode("ascii"))

    return digest.hexdigest()[:24]
