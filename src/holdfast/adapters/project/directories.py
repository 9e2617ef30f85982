"""The directories below a root: their entries, and the files of the project."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from holdfast.adapters.descriptors import open_below
from holdfast.adapters.places.git_folders import why_barred
from holdfast.adapters.project.project_files import list_files
from holdfast.changes.ports import FileUnfit
from holdfast.guards.paths import Barred, judge_path
from holdfast.tools.ports import (
    Directory,
    DirectoryEntry,
    FileNames,
    NothingThere,
    PathLook,
    Regular,
)

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_SUCH_PATH = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
_ENTRY_LIMIT = 5_000


class DiskDirectories:
    """The directories below one root (port `Directories`). No symlink is followed."""

    def __init__(self, root: str) -> None:
        """Resolve the root to its real path, as it is now."""
        self._root = os.path.realpath(root)

    def place(self, path: str) -> PathLook:
        """Return what is at a path that a model named; "" is the root."""
        at = self._resolve(path)
        if isinstance(at, FileUnfit):
            return at

        try:
            return self._look(path, at)
        except OSError as error:
            if error.errno in _NO_SUCH_PATH:
                return NothingThere(at)
            if error.errno == errno.ENAMETOOLONG:
                return FileUnfit(
                    "not_found", f"{path[:80]}…: this name is longer than any file's can be."
                )
            return FileUnfit("conflict", f"{path}: this cannot be read ({error.strerror}).")

    def names(self, under: str) -> FileNames:
        """List the project's files below the directory with this real path."""
        return list_files(self._root, under)

    def _resolve(self, path: str) -> str | FileUnfit:
        """Return the real path below the root. A hint only: `open_below` fails at a symlink."""
        if not path:
            return ""

        plain = judge_path(path)
        if isinstance(plain, Barred):
            return FileUnfit("out_of_bounds", plain.message)

        real = os.path.realpath(Path(self._root, plain))
        if real == self._root:
            return ""

        top = self._root.rstrip("/") + "/"
        if not real.startswith(top):
            return FileUnfit(
                "out_of_bounds",
                f"{path}: a symlink on this path leads out of the project; name one in it.",
            )

        at = real[len(top) :]
        barred = why_barred(Path(self._root), path, at)
        if barred is not None:
            return FileUnfit("out_of_bounds", barred)

        return at

    def _look(self, path: str, at: str) -> PathLook:
        directory, _, name = at.rpartition("/")
        name = name or "."
        with open_below(self._root, filter(None, directory.split("/"))) as parent:
            there = os.stat(name, dir_fd=parent, follow_symlinks=False)
            if stat.S_ISREG(there.st_mode):
                return Regular(at, there.st_size)
            if not stat.S_ISDIR(there.st_mode):
                return FileUnfit("conflict", f"{path}: this is neither a file nor a directory.")
            inner = os.open(name, _DIRECTORY, dir_fd=parent)

        try:
            return _list(at, inner)
        finally:
            os.close(inner)


def _list(at: str, handle: int) -> Directory:
    entries: list[DirectoryEntry] = []
    with os.scandir(handle) as found:
        for entry in found:
            if entry.name == ".git":
                continue
            if len(entries) == _ENTRY_LIMIT:
                return Directory(at, tuple(entries), more=True)
            entries.append(_entry(entry))

    return Directory(at, tuple(entries))


def _entry(entry: os.DirEntry[str]) -> DirectoryEntry:
    if entry.is_symlink():
        return DirectoryEntry(entry.name, "link")
    if entry.is_dir(follow_symlinks=False):
        return DirectoryEntry(entry.name, "directory")
    if not entry.is_file(follow_symlinks=False):
        return DirectoryEntry(entry.name, "other")

    try:
        return DirectoryEntry(entry.name, "file", entry.stat(follow_symlinks=False).st_size)
    except FileNotFoundError:
        return DirectoryEntry(entry.name, "file")
