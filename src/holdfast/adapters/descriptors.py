"""Folders and files by descriptors: by a path, a link that another process makes is followed.

A process that works in the same project, such as a command of another session, may put a symbolic
link into the place of a folder at any moment. What we write by a path is then written elsewhere.
"""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_Name = TypeVar("_Name", str, bytes)
PATH_ONLY = getattr(os, "O_PATH", 0)
"""Linux: what nobody may read can be opened too."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | PATH_ONLY
# A symlink in the place of a folder is ENOTDIR on Linux, ELOOP on macOS.
_NO_FOLDER = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
_ENTRY = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | PATH_ONLY


@contextmanager
def open_below(folder: _Name, names: Iterable[_Name], *, make: bool = False) -> Iterator[int]:
    """Open a folder below another, by these names and no link; `make` those that are missing."""
    descriptor = os.open(folder, _FOLDER)
    try:
        for name in names:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=descriptor)
            inner = os.open(name, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


class ParentFolders:
    """Opens the folders of files below a root, by no link.

    The folder of the last file stays open until the end of the context: most files are in the
    folder of the one before.
    """

    def __init__(self, root: Path) -> None:
        """Open folders below this root."""
        self._root = os.fsencode(root)
        self._opened = ExitStack()
        self._folder: bytes | None = None
        self._descriptor = -1

    def __enter__(self) -> Self:
        """Return this object."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the folder of the last file."""
        self._opened.close()

    def open(self, path: bytes) -> int | None:
        """Return the descriptor of the folder of a path; None if there is no such folder."""
        folder = path.rpartition(b"/")[0]
        if folder == self._folder:
            return self._descriptor

        self._opened.close()
        self._folder = None
        names = filter(None, folder.split(b"/"))
        try:
            self._descriptor = self._opened.enter_context(open_below(self._root, names))
        except OSError as error:
            if error.errno in _NO_FOLDER:
                return None
            error.filename = b"%s/%s" % (self._root, folder)
            raise
        self._folder = folder
        return self._descriptor


def set_mode(name: str | bytes, mode: int, parent: int) -> None:
    """Set the permissions of a file or a folder in an open folder; raise OSError for a link."""
    descriptor = os.open(name, _ENTRY, dir_fd=parent)
    try:
        set_open_mode(descriptor, mode)
    finally:
        os.close(descriptor)


def set_open_mode(descriptor: int, mode: int) -> None:
    """Set the permissions of what is open."""
    # The mode of what was opened as a path only can be changed by this name alone.
    target = f"/proc/self/fd/{descriptor}" if PATH_ONLY else descriptor
    os.chmod(target, mode)  # noqa: PTH101 - a descriptor
