"""Write a few files of the worktree from their objects, and make their entries of the index.

Git would read and write the whole index for it, which costs as much as a `git status`.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from holdfast.adapters.descriptors import open_below, set_mode
from holdfast.adapters.git.objects.index_file import LINK, encode_entry
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class RestoredFile:
    """A file to be written: its object with the content, and its mode as a tree has it.

    `permissions` are set if they are known; else they are those of a new file.
    """

    path: bytes
    mode: int
    oid: bytes
    content: bytes
    permissions: int | None


class FileWriter:
    """Writes files below a root, by no link. As git does, it removes a file before it writes it."""

    def __init__(self, root: Path) -> None:
        """Write below this root."""
        self._root = os.fsencode(root)

    def remove(self, paths: Iterable[bytes]) -> None:
        """Remove files, and the directories that are empty then."""
        for path in paths:
            with suppress(FileNotFoundError):
                self.remove_file(path)
            self._remove_empty_parents(path)

    def remove_file(self, path: bytes) -> None:
        """Remove a file."""
        with self._parent(path) as (parent, name):
            os.unlink(name, dir_fd=parent)

    def _remove_empty_parents(self, path: bytes) -> None:
        folder = path.rpartition(b"/")[0]
        while folder:
            try:
                self.remove_folder(folder)
            except OSError:
                # Something is in it.
                return
            folder = folder.rpartition(b"/")[0]

    def remove_folder(self, path: bytes) -> None:
        """Remove an empty directory."""
        with self._parent(path) as (parent, name):
            os.rmdir(name, dir_fd=parent)

    def make_folder(self, path: bytes) -> None:
        """Make a directory, and those above it."""
        with self._parent(b"%s/." % path, make=True):
            pass

    def set_mode(self, path: bytes, mode: int) -> None:
        """Set the permissions of a file or a directory."""
        with self._parent(path) as (parent, name):
            set_mode(name, mode, parent)

    def write(self, file: RestoredFile) -> bytes:
        """Write a file; return its entry of the index."""
        with self._parent(file.path, make=True) as (parent, name):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=parent)
            if file.mode == LINK:
                os.symlink(file.content, name, dir_fd=parent)
                status = os.stat(name, dir_fd=parent, follow_symlinks=False)
                return encode_entry(file.path, status, LINK, file.oid)
            return _write_content(parent, name, file)

    @contextmanager
    def _parent(self, path: bytes, *, make: bool = False) -> Iterator[tuple[int, bytes]]:
        """Open the directory of a path; yield its descriptor, and the name in it."""
        *folders, name = path.split(b"/")
        try:
            with open_below(self._root, folders, make=make) as parent:
                # The root itself has no name.
                yield parent, name or b"."
        except OSError as error:
            error.filename = b"%s/%s" % (self._root, path)
            raise


def _write_content(parent: int, name: bytes, file: RestoredFile) -> bytes:
    handle = os.open(name, _CREATE, 0o666 | file.mode & 0o111, dir_fd=parent)
    try:
        rest = memoryview(file.content)
        while rest:
            rest = rest[os.write(handle, rest) :]
        if file.permissions is not None:
            os.fchmod(handle, file.permissions)
        return encode_entry(file.path, os.fstat(handle), file.mode, file.oid)
    finally:
        os.close(handle)
