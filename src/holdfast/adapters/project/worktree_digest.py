"""Marks of the files that a command may have changed: those that git calls changed, or without git all of them."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.project.project_files import CACHES, git, walk
from holdfast.tools.changed_files import mark_of
from holdfast.tools.ports import FileDigests

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_FILES = 2_000
_LARGEST = 1_000_000
_MOST_BYTES = 16_000_000
# What programs write about themselves at every run. To call that progress would hide a loop.
_ENDINGS = (".pyc", ".pyo", ".log", ".tmp", ".swp", ".tsbuildinfo")
_NAMES = frozenset({".coverage", ".DS_Store", ".eslintcache"})


class DiskWorktreeDigests:
    """The files below one root (port `Trees`)."""

    def __init__(self, root: str) -> None:
        """Take the root's real path; nothing is looked at before `look`."""
        self._root = os.path.realpath(root)
        self._prefix: str | None = None
        self._git: bool | None = None
        self._known: dict[str, tuple[tuple[int, ...], str]] = {}

    def look(self) -> FileDigests:
        """Give a mark of each file that matters and may have changed."""
        if self._in_git():
            return FileDigests(self._marks(self._changed()), whole=False)
        return FileDigests(self._marks(walk(self._root, most=_MOST_FILES).paths), whole=True)

    def _in_git(self) -> bool:
        if self._git is None:
            told = git(self._root, "rev-parse", "--show-prefix")
            self._git = told is not None
            self._prefix = (told or b"").decode("utf-8", "surrogateescape").rstrip("\n")
        return self._git

    def _changed(self) -> list[str]:
        """Name the files that git calls changed, staged or not, and those it does not know; none that it ignores."""
        words = (
            "status",
            "--porcelain",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=all",
        )
        told = git(self._root, *words, "--", ".")
        if told is None:
            return []
        prefix = self._prefix or ""
        names = (
            entry[3:].decode("utf-8", "surrogateescape")
            for entry in told.split(b"\0")
            if len(entry) > 3
        )
        # Always from the repository's own root, which may be above ours.
        return [
            name[len(prefix) :]
            for name in names
            if name.startswith(prefix) and not name.endswith("/")
        ]

    def _marks(self, paths: Iterable[str]) -> dict[str, str]:
        marks: dict[str, str] = {}
        size = 0
        for path in paths:
            if not _matters(path):
                continue
            if len(marks) == _MOST_FILES:
                break
            mark, read = self._mark(path, whole=size < _MOST_BYTES)
            marks[path] = mark
            size += read
        return marks

    def _mark(self, path: str, *, whole: bool) -> tuple[str, int]:
        """Give the file's mark, and how many bytes had to be read for it. One that has not been touched is not read."""
        place = os.path.join(self._root, path)  # noqa: PTH118 - Path costs more than the look
        try:
            there = os.lstat(place)
            state = (there.st_ino, there.st_size, there.st_mtime_ns, there.st_ctime_ns)
            known = self._known.get(path)
            if known is not None and known[0] == state:
                return known[1], 0
            mark, read = self._read(place, there, whole=whole)
        except (FileNotFoundError, NotADirectoryError):
            return "", 0
        except OSError as error:
            return f"error {error.errno}", 0
        self._known[path] = (state, mark)
        return mark, read

    def _read(self, place: str, there: os.stat_result, *, whole: bool) -> tuple[str, int]:
        if stat.S_ISLNK(there.st_mode):
            return f"link {Path(place).readlink()}", 0
        if not stat.S_ISREG(there.st_mode):
            return f"kind {stat.S_IFMT(there.st_mode)}", 0
        if not whole or there.st_size > _LARGEST:
            return f"size {there.st_size} {there.st_mtime_ns}", 0
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            data = file.read(_LARGEST + 1)
        return mark_of(data), len(data)


def _matters(path: str) -> bool:
    parts = path.split("/")
    return (
        parts[-1] not in _NAMES
        and not path.endswith(_ENDINGS)
        and not any(part in CACHES for part in parts)
    )
