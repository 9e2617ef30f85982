"""A folder that is changed by its descriptor, and not by its path.

A command of another session may put a symbolic link into the place of a folder or a file at any
moment. By a path we would then remove or write a file elsewhere, as the user.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from holdfast.adapters.descriptors import open_below, set_mode, set_open_mode

if TYPE_CHECKING:
    from collections.abc import Iterator

# A named pipe would let a reader wait.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PLAIN_FILE = 0o644
_USABLE = 0o700


@contextmanager
def open_folder(path: str) -> Iterator[OpenFolder | None]:
    """Open the folder at a real path; None if it is missing, or if a link is on the way to it."""
    with ExitStack() as opened:
        folder = None
        with suppress(OSError):
            names = filter(None, path.split("/"))
            folder = OpenFolder(opened.enter_context(open_below("/", names)))
        yield folder


class OpenFolder:
    """A folder that is open; what is done here is done in this folder, by no link."""

    def __init__(self, descriptor: int) -> None:
        """Use the descriptor of a folder."""
        self._descriptor = descriptor

    def is_link(self, name: str) -> bool:
        """Return whether an entry is a symbolic link."""
        return self.target_of(name) is not None

    def target_of(self, name: str) -> str | None:
        """Return the target of a symbolic link; None if there is none."""
        try:
            return os.readlink(name, dir_fd=self._descriptor)
        except OSError:
            return None

    def read(self, name: str) -> tuple[list[bytes], int]:
        """Return the lines of a plain file, and how many names it has; no line of anything else."""
        try:
            descriptor = os.open(name, _READ, dir_fd=self._descriptor)
        except OSError:
            return [], 0

        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return [], 0
            return file.readlines(), status.st_nlink

    def remove(self, name: str) -> bool:
        """Remove a file, a link or a folder; return whether there was one."""
        # Renamed first: a folder can be made so that to remove it fails.
        aside = _fresh(name)
        try:
            self.rename(name, aside)
        except FileNotFoundError:
            return False

        try:
            os.unlink(aside, dir_fd=self._descriptor)
        except (IsADirectoryError, PermissionError):
            with suppress(OSError, RecursionError):
                self._remove_folder(aside)
        return True

    def rename(self, name: str, new: str) -> None:
        """Give an entry another name, in the place of a file that has it."""
        try:
            os.rename(name, new, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except PermissionError:
            set_open_mode(self._descriptor, _USABLE)
            os.rename(name, new, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def _remove_folder(self, name: str) -> None:
        """Remove a folder, also one with folders that nobody may read."""
        set_mode(name, _USABLE, self._descriptor)
        for _, names, _, descriptor in os.fwalk(name, dir_fd=self._descriptor):
            for each in names:
                with suppress(OSError):
                    set_mode(each, _USABLE, descriptor)
        shutil.rmtree(name, dir_fd=self._descriptor)

    def write(self, name: str, content: bytes, mode: int = _PLAIN_FILE) -> None:
        """Write a new file in the place of what has this name."""
        self.remove(name)
        fresh = _fresh(name)
        descriptor = os.open(fresh, _CREATE, mode, dir_fd=self._descriptor)
        with open(descriptor, "wb") as file:
            file.write(content)
        self.rename(fresh, name)

    def link(self, name: str, target: str) -> None:
        """Make a symbolic link in the place of what has this name."""
        self.remove(name)
        # Renamed: something may be there again by now.
        fresh = _fresh(name)
        os.symlink(target, fresh, dir_fd=self._descriptor)
        self.rename(fresh, name)


def _fresh(name: str) -> str:
    return f"{name}.{os.urandom(4).hex()}"
