"""Folders and files by descriptors: by a path, a link that another process makes is followed.

A process that works in the same project, such as a command of another session, may put a symbolic
link into the place of a folder at any moment. What we write by a path is then written elsewhere.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_Name = TypeVar("_Name", str, bytes)
PATH_ONLY = getattr(os, "O_PATH", 0)
"""Linux: what nobody may read can be opened too."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | PATH_ONLY
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
