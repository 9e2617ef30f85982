"""The watch over files that mounts protect from a process.

A mount covers one file, not its name. When another program puts a new file into the place of that
one, as an editor and `git config` do, the kernel removes the mount from the view of every process.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.descriptors import PATH_ONLY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.adapters.processes.sandbox.view import View

_PATH = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | PATH_ONLY
_SHOWING = {"write", "cache"}


class MountWatch:
    """The files and folders that mounts protect, as they were when the watch began."""

    def __init__(self, known: dict[str, tuple[int, int]]) -> None:
        """Set the device and the number of each file."""
        self._known = known

    def replaced(self) -> str:
        """Return the first path with another file than at the beginning, or "".

        A file that is gone is none: there is nothing to protect until another one is there.
        """
        for path, known in self._known.items():
            try:
                status = os.lstat(path)
            except OSError:
                continue
            if (status.st_dev, status.st_ino) != known:
                return path
        return ""


@contextmanager
def watch_mounts(view: View) -> Iterator[MountWatch]:
    """Watch what has a mount that takes rights away.

    Every file stays open: the number of one that is removed could be that of the next one.
    """
    with ExitStack() as opened:
        known: dict[str, tuple[int, int]] = {}
        for path in _protected(view):
            try:
                descriptor = os.open(path, _PATH)
            except OSError:
                # It is gone, or not ours to see.
                continue
            opened.callback(os.close, descriptor)
            status = os.fstat(descriptor)
            known[path] = (status.st_dev, status.st_ino)
        yield MountWatch(known)


def _protected(view: View) -> Iterator[str]:
    """Yield the paths with fewer rights than the folder they are in."""
    for path, access in view.rules.items():
        above = view.access_of(os.path.dirname(path))
        if path == "/" or access in _SHOWING or above == "hidden":
            continue
        if access != above:
            yield path
