"""The worktree's files, looked at and never written (ports `Disk` and `Ground`)."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from holdfast.adapters.git.git_command import raw, text
from holdfast.checkpoints.limits import MEGABYTE
from holdfast.checkpoints.ports import CheckpointFailed, FileInfo
from holdfast.checkpoints.restore_plan import parents_of

# The last: beyond a symlink that leads to itself.
_NOTHING_THERE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


class WorktreeFiles:
    """The files below one root."""

    def __init__(self, root: Path) -> None:
        """Look below this root."""
        self._root = root
        self._repositories: dict[str, bool] = {}

    def place_of(self, path: str) -> Path:
        """Give the path on the disk."""
        return self._root / os.fsdecode(raw(path))

    def inspect(self, path: str) -> FileInfo:
        """Say what is there, without following a symlink at its end."""
        place = self.place_of(path)
        try:
            there = place.lstat()
        except PermissionError:
            return FileInfo("file", readable=False)
        except OSError as error:
            if error.errno not in _NOTHING_THERE:
                raise
            return FileInfo("absent")
        if stat.S_ISREG(there.st_mode):
            return FileInfo(
                "file", there.st_size, stat.S_IMODE(there.st_mode), os.access(place, os.R_OK)
            )
        if stat.S_ISLNK(there.st_mode):
            return FileInfo("link", there.st_size)
        return FileInfo("directory" if stat.S_ISDIR(there.st_mode) else "other")

    def is_beyond_link(self, path: str) -> bool:
        """Whether one of the names on the way is there and is no directory."""
        return any(
            self.inspect(parent).shape in {"link", "file", "other"} for parent in parents_of(path)
        )

    def closed_directory(self, paths: Iterable[str]) -> Path | None:
        """Give a directory that does not let these be written; None if all do."""
        for directory in dict.fromkeys(path.rpartition("/")[0] for path in paths):
            there = self._nearest(directory)
            if not os.access(there, os.W_OK | os.X_OK):
                return there
        return None

    def _nearest(self, directory: str) -> Path:
        """Give the directory, or the one above it that is there."""
        steps = [*parents_of(directory), directory] if directory else []
        there = self._root
        for step in steps:
            if self.inspect(step).shape != "directory":
                break
            there = self.place_of(step)
        return there

    def below(self, directory: str) -> Iterator[str]:
        """Name everything below a directory that is no directory, and every directory that is a repository."""
        with os.scandir(self.place_of(directory)) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            name = f"{directory}/{text(os.fsencode(entry.name))}"
            if entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                yield from self.below(name)
            else:
                yield name

    def in_nested_repository(self, path: str) -> bool:
        """Whether a directory on the way has a `.git`."""
        return any(self._is_repository(parent) for parent in parents_of(path))

    def _is_repository(self, directory: str) -> bool:
        if directory not in self._repositories:
            self._repositories[directory] = os.path.lexists(self.place_of(f"{directory}/.git"))
        return self._repositories[directory]


def refuse_without_room(place: Path, size: int, spare: int, what: str, cure: str) -> None:
    """Raise if the disk would be left with less than is to be spared."""
    free = shutil.disk_usage(place).free
    if size + spare <= free:
        return
    raise CheckpointFailed(
        f"the disk has {free // MEGABYTE} MB left, {-(-size // MEGABYTE)} MB would have to be {what}, and "
        f"{spare // MEGABYTE} MB are to stay free; {cure}, and try again."
    )
