"""Files in memory, for the port `Files`."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from holdfast.changes.ports import FileFound, FileLook, FileMissing, FileUnfit
from holdfast.changes.swaps import directories_above
from holdfast.guards.paths import Barred, judge_path

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class MemoryFiles:
    """The files of one root, by path. `links` lead from one path to another.

    >>> files = MemoryFiles({"src/a.py": b"x = 1"})
    >>> files.look("src/a.py").data, files.look("lib/b.py").parents
    (b'x = 1', ('lib',))
    >>> files.names("src/a.py")
    ['src/a.py']
    """

    def __init__(
        self, files: Mapping[str, bytes] = _NOTHING, links: Mapping[str, str] = _NOTHING
    ) -> None:
        self.files = dict(files)
        self.links = dict(links)

    def look(self, path: str) -> FileLook:
        """Return what exists at a path of a model."""
        plain = judge_path(path)
        if isinstance(plain, Barred):
            return FileUnfit("out_of_bounds", plain.message)

        at = judge_path(self.links.get(plain, plain))
        if isinstance(at, Barred):
            message = f"{path}: a symlink on this path leads to {at.message}"
            return FileUnfit("out_of_bounds", message)
        if at in self.files:
            return FileFound(at, self.files[at], 0o644, linked=plain in self.links)

        directories: set[str] = set()
        for name in self.files:
            directories.update(directories_above(name))

        if at in directories:
            message = f"{path}: this is a directory; only regular files can be edited."
            return FileUnfit("conflict", message)

        missing = []
        for parent in directories_above(at):
            if parent in self.files:
                message = f"{path}: {parent} is a regular file, so no file can be in it."
                return FileUnfit("conflict", message)
            if parent not in directories:
                missing.append(parent)

        return FileMissing(at, tuple(missing))

    def link(self, path: str) -> bytes | None:
        """Return the target of the symlink at a path, or None if there is no symlink."""
        target = self.links.get(path)
        if target is None:
            return None
        return target.encode()

    def names(self, near: str) -> list[str]:
        """Return the files, those in the directory of `near` first."""
        first = near.rpartition("/")[0]
        return sorted(self.files, key=lambda name: (name.rpartition("/")[0] != first, name))
