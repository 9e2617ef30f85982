"""Repositories inside a worktree: submodules and others. A checkpoint has not their files.

It has a digest of each, so that a restore can name those that have changed since.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git, GitFailed, GitProcess, to_text
from holdfast.vocab.lazy_pattern import lazy_pattern

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
_MODULE = lazy_pattern(rb"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)


def digest_repositories(
    paths: Iterable[str], disk: WorktreeFiles, deadline: float | None
) -> dict[str, str]:
    """Return a digest of each repository that has a git directory, and of those inside of it."""
    digests: dict[str, str] = {}
    pending = dict.fromkeys(paths)
    while pending:
        running = _start(pending, disk, deadline)
        pending = {}
        for path, (status, refs) in running.items():
            try:
                output = status.finish()
                digests[path] = _digest(path, output, refs.finish(), disk)
            except GitFailed:
                digests[path] = _UNKNOWN
                continue
            inside = [f"{path}/{name}" for name in _repositories_in(path, output, disk)]
            pending.update(dict.fromkeys(each for each in inside if each not in digests))

    return digests


def _start(
    paths: Iterable[str], disk: WorktreeFiles, deadline: float | None
) -> dict[str, tuple[GitProcess, GitProcess]]:
    """Ask each repository for its status and its refs, all at once."""
    running: dict[str, tuple[GitProcess, GitProcess]] = {}
    for path in paths:
        inner = disk.inspect(f"{path}/.git")
        if inner.shape != "absent" and inner.readable:
            place = disk.location(path)
            # Without a ceiling, git would report the repository around a broken one.
            git = Git(place, deadline=deadline, project=disk.location(""))
            git = git.with_variables(ceiling_directories=place.parent).without_filters()
            status = git.start(*_STATUS).in_background()
            running[path] = (status, git.start(*_REFS).in_background())

    return running


def _repositories_in(path: str, status: bytes, disk: WorktreeFiles) -> list[str]:
    """Return the submodules of a repository, and the repositories that it does not track.

    Its status says nothing of the files in them.
    """
    untracked = [to_text(entry[2:-1]) for entry in status.split(b"\0") if _is_folder(entry)]
    try:
        modules = disk.location(f"{path}/.gitmodules").read_bytes()
    except OSError:
        return untracked
    return untracked + [to_text(name.strip(b'"')) for name in _MODULE.findall(modules)]


def _is_folder(entry: bytes) -> bool:
    """Return whether an entry is a repository: git lists other folders file by file."""
    return entry.startswith(b"? ") and entry.endswith(b"/")


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
