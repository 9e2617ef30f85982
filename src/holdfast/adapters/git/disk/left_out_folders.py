"""How many files are in folders that no snapshot captures, so that a restore can name a loss.

A restore counts the files that have not changed since: what is missing of the number then is gone,
or has changed. The number of a directory is remembered with its times, so that a snapshot after
which nothing was created or removed reads no directory again.
"""

from __future__ import annotations

import json
import os
import stat
import time
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.git_command import to_bytes, to_text
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_VERSION = 1
_MOST_DIRECTORIES = 50_000
"""More directories are not counted: to look at each of them takes about two microseconds."""

_Directory: TypeAlias = "list[Any]"
"""Both times of a directory, how many files it has, and the paths of the directories in it."""


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """How many files a folder has, and how many of these have not changed since some time."""

    files: int
    unchanged: int


class LeftOutFolders:
    """The folders of one worktree that are left out, under its lock."""

    def __init__(self, root: Path, cache: Path) -> None:
        """Remember what was counted in this file."""
        self._prefix = os.fsencode(root) + b"/"
        self._cache = cache
        self._known: dict[str, _Directory] | None = None

    def count(self, folders: Iterable[str], resolution: int) -> tuple[dict[str, int], int]:
        """Return how many files are below each folder, and the time that this is true of.

        A folder is missing if there are too many directories. `resolution` is the span within which
        a change may leave the times of a directory unchanged. The time of a file is compared with
        the count itself: what was written just before has not changed since.
        """
        began = time.time_ns()
        known = self._remembered()
        seen: dict[str, _Directory] = {}
        counts: dict[str, int] = {}
        for folder in folders:
            below = self._visit(folder, known, _MOST_DIRECTORIES - len(seen))
            if below is not None:
                seen.update(below)
                counts[folder] = sum(directory[2] for directory in below.values())

        self._save(seen, began - resolution)
        return counts, began

    def _visit(
        self, folder: str, known: dict[str, _Directory], at_most: int
    ) -> dict[str, _Directory] | None:
        """Return the directories from a folder on, as remembered if they have not changed."""
        seen: dict[str, _Directory] = {}
        pending = [folder]
        while pending:
            path = pending.pop()
            if len(seen) == at_most:
                return None
            directory = self._directory(path, known.get(path))
            if directory is not None:
                seen[path] = directory
                pending += directory[3]

        return seen

    def _directory(self, path: str, known: _Directory | None) -> _Directory | None:
        name = self._prefix + to_bytes(path)
        try:
            status = os.lstat(name)
        except OSError:
            return None
        if not stat.S_ISDIR(status.st_mode):
            return None
        if known is not None and known[:2] == [status.st_mtime_ns, status.st_ctime_ns]:
            return known

        files = 0
        directories: list[str] = []
        for entry in _entries(name):
            if entry.is_dir(follow_symlinks=False):
                directories.append(f"{path}/{to_text(entry.name)}")
            else:
                files += 1

        return [status.st_mtime_ns, status.st_ctime_ns, files, directories]

    def _remembered(self) -> dict[str, _Directory]:
        if self._known is None:
            self._known = self._read()
        return self._known

    def _read(self) -> dict[str, _Directory]:
        try:
            fields = json.loads(self._cache.read_bytes())
            if fields["version"] == _VERSION:
                return dict(fields["directories"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return {}

    def _save(self, seen: dict[str, _Directory], counted_at: int) -> None:
        """Remember the directories but those that may change without a change of their times."""
        settled = {path: each for path, each in seen.items() if max(each[:2]) < counted_at}
        if settled != self._remembered():
            self._known = settled
            fields = {"version": _VERSION, "directories": settled}
            atomic_write.put(self._cache, json.dumps(fields).encode("ascii"), sync=False)


def look_at_files(folder: Path, since: int) -> FolderFiles:
    """Return the files below a folder, and how many of them have not changed since that time.

    What is below a directory that was renamed has changed, although no time of a file says so.
    """
    files = unchanged = 0
    pending = [(os.fsencode(folder), False)]
    while pending:
        directory, renamed = pending.pop()
        for entry in _entries(directory):
            content, anything = _times(entry)
            if entry.is_dir(follow_symlinks=False):
                pending.append((entry.path, renamed or content < since <= anything))
                continue
            files += 1
            unchanged += anything < since and not renamed

    return FolderFiles(files, unchanged)


def _entries(directory: bytes) -> Iterator[os.DirEntry[bytes]]:
    """Yield what is in a directory; nothing if it cannot be read."""
    try:
        with os.scandir(directory) as entries:
            yield from entries
    except OSError:
        return


def _times(entry: os.DirEntry[bytes]) -> tuple[int, int]:
    """Return when the content, and when anything of an entry changed last."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        now = time.time_ns()
        return now, now
    return status.st_mtime_ns, status.st_ctime_ns
