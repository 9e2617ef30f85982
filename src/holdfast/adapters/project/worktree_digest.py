"""Digests of the files that a command may have changed: with git the changed ones, else all."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git
from holdfast.adapters.project.project_files import CACHES, git, list_without_git
from holdfast.tools.changed_files import mark_of
from holdfast.tools.ports import FileDigests

if TYPE_CHECKING:
    from collections.abc import Iterable

_FILE_LIMIT = 2_000
_SIZE_LIMIT = 1_000_000
_TOTAL_SIZE_LIMIT = 16_000_000
# Files that programs rewrite at every run. If they counted as progress, a loop would go unnoticed.
_CACHE_ENDINGS = (".pyc", ".pyo", ".swp", ".tsbuildinfo")
_CACHE_NAMES = frozenset({".coverage", ".DS_Store", ".eslintcache"})
_OUTPUT_ENDINGS = (".log", ".tmp")


class DiskWorktreeDigests:
    """The digests of the files below one root (port `WorktreeDigests`)."""

    def __init__(self, root: str) -> None:
        """Resolve the root to its real path; `look` reads the files."""
        self._root = os.path.realpath(root)
        self._prefix: str | None = None
        self._git: bool | None = None
        self._known: dict[str, tuple[tuple[int, ...], str]] = {}

    def look(self) -> FileDigests:
        """Return a digest of each relevant file that may have changed."""
        if self._in_git():
            return FileDigests(self._digests(self._changed()), whole=False)
        paths = list_without_git(self._root, limit=_FILE_LIMIT).paths
        return FileDigests(self._digests(paths), whole=True)

    def mark(self, path: str) -> str:
        """Return the mark of one file."""
        return self._digest(path, whole=True)[0]

    def _in_git(self) -> bool:
        if self._git is None:
            prefix = git(self._root, "rev-parse", "--show-prefix")
            self._git = prefix is not None
            self._prefix = (prefix or b"").decode("utf-8", "surrogateescape").rstrip("\n")
        return self._git

    def _changed(self) -> list[str]:
        """Return the files that git reports as changed (staged or not) or untracked."""
        words = (
            "status",
            "--porcelain",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=all",
        )
        # The filters of the repository are code of the project, and would run here.
        filters = Git(Path(self._root)).filter_settings()
        status = git(self._root, *words, "--", ".", settings=filters)
        if status is None:
            return []

        # The paths are relative to the root of the repository, which may be above our root.
        prefix = self._prefix or ""
        changed: list[str] = []
        for entry in status.split(b"\0"):
            name = entry[3:].decode("utf-8", "surrogateescape")
            if name and name.startswith(prefix) and not name.endswith("/"):
                changed.append(name.removeprefix(prefix))

        return changed

    def _digests(self, paths: Iterable[str]) -> dict[str, str]:
        digests: dict[str, str] = {}
        size = 0
        for path in paths:
            if not _is_relevant(path):
                continue
            if len(digests) == _FILE_LIMIT:
                break
            digest, read = self._digest(path, whole=size < _TOTAL_SIZE_LIMIT)
            digests[path] = digest
            size += read

        return digests

    def _digest(self, path: str, *, whole: bool) -> tuple[str, int]:
        """Return the file's digest, and how many bytes were read for it.

        A file with the same status as at the last look is not read.
        """
        place = os.path.join(self._root, path)  # noqa: PTH118 - Path is slower than the system call
        try:
            status = os.lstat(place)
            state = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            known = self._known.get(path)
            if known is not None and known[0] == state:
                return known[1], 0
            digest, read = _read(place, status, whole=whole)
        except (FileNotFoundError, NotADirectoryError):
            return "", 0
        except OSError as error:
            return f"error {error.errno}", 0

        self._known[path] = (state, digest)
        return digest, read


def _read(place: str, status: os.stat_result, *, whole: bool) -> tuple[str, int]:
    """Return the digest of a file by its content or, if not `whole` or too large, by its status."""
    if stat.S_ISLNK(status.st_mode):
        return f"link {Path(place).readlink()}", 0
    if not stat.S_ISREG(status.st_mode):
        return f"kind {stat.S_IFMT(status.st_mode)}", 0
    if not whole or status.st_size > _SIZE_LIMIT:
        return f"size {status.st_size} {status.st_mtime_ns}", 0

    handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        data = file.read(_SIZE_LIMIT + 1)

    return mark_of(data), len(data)


def is_cache(path: str) -> bool:
    """Return whether a program keeps its own data at this path, to be rewritten at any run."""
    parts = path.split("/")
    if parts[-1] in _CACHE_NAMES or path.endswith(_CACHE_ENDINGS):
        return True
    return not CACHES.isdisjoint(parts)


def _is_relevant(path: str) -> bool:
    return not is_cache(path) and not path.endswith(_OUTPUT_ENDINGS)
