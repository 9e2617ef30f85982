"""The files of a worktree, read and never written (ports `Disk` and `WorktreeView`)."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import to_bytes, to_text
from holdfast.checkpoints.limits import MEGABYTE
from holdfast.checkpoints.ports import CheckpointFailed, FileInfo
from holdfast.checkpoints.restore_plan import is_under, parents_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# The last is for a path beyond a symlink that leads to itself.
_NOTHING_THERE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


class WorktreeFiles:
    """The files below one root."""

    def __init__(
        self, root: Path, excluded: Iterable[str] = (), folders: frozenset[str] = frozenset()
    ) -> None:
        """Read below this root. `excluded` are paths of Holdfast, `folders` build folders."""
        self._root = root
        self._excluded = frozenset(excluded)
        self._folders = folders
        self._prefix = f"{root}/"
        self._user = os.geteuid()
        self._repositories: dict[str, bool] = {}

    def location(self, path: str) -> Path:
        """Return where a path is on the disk."""
        return self._root / os.fsdecode(to_bytes(path))

    def inspect(self, path: str) -> FileInfo:
        """Return what is at a path, without following a symlink at its end."""
        # No `Path`: a first snapshot looks at every file.
        location = f"{self._prefix}{os.fsdecode(to_bytes(path))}"
        try:
            status = os.lstat(location)
        except PermissionError:
            return FileInfo("file", readable=False)
        except OSError as error:
            if error.errno not in _NOTHING_THERE:
                raise
            return FileInfo("absent")

        if stat.S_ISREG(status.st_mode):
            return FileInfo(
                "file",
                status.st_size,
                stat.S_IMODE(status.st_mode),
                self._is_readable(location, status),
                status.st_ctime_ns,
            )
        if stat.S_ISLNK(status.st_mode):
            return FileInfo("link", status.st_size)
        if stat.S_ISDIR(status.st_mode):
            return FileInfo("directory")

        return FileInfo("other")

    def _is_readable(self, location: str, status: os.stat_result) -> bool:
        is_own = status.st_uid == self._user
        if is_own and status.st_mode & stat.S_IRUSR:
            return True
        return os.access(location, os.R_OK)

    def is_beyond_link(self, path: str) -> bool:
        """Return whether a parent of the path exists and is not a directory."""
        for parent in parents_of(path):
            if self.inspect(parent).shape in {"link", "file", "other"}:
                return True
        return False

    def find_closed_directories(self, paths: Iterable[str]) -> Iterator[str]:
        """Yield the directories above these paths that are not writable, outermost first."""
        above = {"": None}
        for path in paths:
            above.update(dict.fromkeys(parents_of(path)))

        for directory in sorted(above):
            if self.inspect(directory).shape != "directory" or self.is_beyond_link(directory):
                continue
            if not os.access(self.location(directory), os.W_OK | os.X_OK):
                yield directory

    def find_closed_directory(self, paths: Iterable[str]) -> Path | None:
        """Return a directory where one of the paths cannot be written, or None."""
        for directory in dict.fromkeys(path.rpartition("/")[0] for path in paths):
            existing = self._nearest_existing(directory)
            if not os.access(existing, os.W_OK | os.X_OK):
                return existing
        return None

    def _nearest_existing(self, directory: str) -> Path:
        """Return the directory, or the nearest directory above it that exists."""
        if not directory:
            return self._root

        nearest = self._root
        for step in (*parents_of(directory), directory):
            if self.inspect(step).shape != "directory":
                break
            nearest = self.location(step)

        return nearest

    def below(self, directory: str) -> Iterator[str]:
        """Yield the files below a directory, and the `.git` of every repository there."""
        with os.scandir(self.location(directory)) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)

        for entry in ordered:
            name = f"{directory}/{to_text(os.fsencode(entry.name))}"
            if entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                yield from self.below(name)
            else:
                yield name

    def count_entries(self, directory: str) -> int:
        """Return how many names a directory has; 0 if it cannot be read or is none."""
        try:
            with os.scandir(self.location(directory)) as entries:
                return sum(1 for _ in entries)
        except OSError:
            return 0

    def is_excluded(self, path: str) -> bool:
        """Return whether a path belongs to Holdfast itself."""
        return is_under(path, self._excluded)

    def files_in(self, directory: str, at_most: int) -> tuple[list[str], list[str]] | None:
        """Return the files below a directory, and the repositories and build folders there.

        Return None if there are more files than `at_most`. What cannot be read is left out.
        """
        files: list[str] = []
        others: list[str] = []
        pending = [directory]
        while pending:
            current = pending.pop()
            try:
                with os.scandir(self.location(current)) as entries:
                    ordered = sorted(entries, key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in ordered:
                path = f"{current}/{to_text(os.fsencode(entry.name))}"
                if self.is_excluded(path):
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    files.append(path)
                elif entry.name in self._folders or self._is_repository(path):
                    others.append(path)
                else:
                    pending.append(path)
            if len(files) > at_most:
                return None

        return files, others

    def in_nested_repository(self, path: str) -> bool:
        """Return whether a parent of the path has a `.git`."""
        return any(self._is_repository(parent) for parent in parents_of(path))

    def _is_repository(self, directory: str) -> bool:
        if directory not in self._repositories:
            self._repositories[directory] = os.path.lexists(self.location(f"{directory}/.git"))
        return self._repositories[directory]


def is_named(path: str, name: str) -> bool:
    """Return whether the last part of a path is this name."""
    return path.rpartition("/")[2] == name


def refuse_without_space(directory: Path, size: int, reserve: int, verb: str, cure: str) -> None:
    """Raise if less than `reserve` bytes would stay free on the disk after `size` more."""
    free = shutil.disk_usage(directory).free
    if size + reserve <= free:
        return

    needed = -(-size // MEGABYTE)
    raise CheckpointFailed(
        f"the disk has {free // MEGABYTE} MB left, {needed} MB would have to be {verb}, and "
        f"{reserve // MEGABYTE} MB must stay free; {cure}, and try again."
    )
