"""The settings of git that are put back after a process that may write to the git directory.

A mount keeps the process from writing them, until another program puts a new file into their place.
What is there then may be that program's, or the process's: nothing tells the two apart.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.descriptors import PATH_ONLY
from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.processes.sandbox.cleanup.open_folder import open_folder
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ASIDE = ".replaced"
"""The end of the name under which the file is kept that was in the place of the settings."""


@dataclass(frozen=True, slots=True)
class _Settings:
    """A file with settings as it was, open as `descriptor`: no other file has its number then."""

    path: str
    content: bytes
    descriptor: int

    def is_replaced(self) -> bool:
        """Return whether another file with another content is in the place of this one."""
        try:
            there = os.lstat(self.path)
            if os.path.samestat(there, os.fstat(self.descriptor)):
                return False
            return not stat.S_ISREG(there.st_mode) or read_plain(self.path) != self.content
        except FileNotFoundError:
            return False
        except OSError:
            return True

    def put_back(self) -> None:
        """Keep what is there under another name, and write the file anew."""
        name = os.path.basename(self.path)
        mode = stat.S_IMODE(os.fstat(self.descriptor).st_mode)
        with open_folder(os.path.dirname(self.path)) as folder:
            if folder is not None:
                folder.rename(name, f"{name}{ASIDE}")
                folder.write(name, self.content, mode)


@contextmanager
def kept_settings(paths: Iterable[str], put_back: list[str]) -> Iterator[None]:
    """Put back the files that were replaced in this context, and add their paths to `put_back`."""
    with ExitStack() as opened:
        known = [file for path in paths if (file := _open(path, opened)) is not None]
        try:
            yield
        finally:
            for file in known:
                if file.is_replaced():
                    file.put_back()
                    put_back.append(file.path)


def _open(path: str, opened: ExitStack) -> _Settings | None:
    """Return the settings at a path; None if there is no plain file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | PATH_ONLY)
        opened.callback(os.close, descriptor)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return _Settings(path, read_plain(path), descriptor)
    except OSError:
        return None
    # A link is put back as such.
    return None
