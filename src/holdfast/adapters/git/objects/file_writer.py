"""Write a few files of the worktree from their objects, and make their entries of the index.

Git would read and write the whole index for it, which costs as much as a `git status`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.adapters.git.objects.index_file import LINK, encode_entry
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
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
    """Writes files below a root. As git does, it removes a file before it writes it anew."""

    def __init__(self, root: Path) -> None:
        """Write below this root."""
        self._prefix = os.fsencode(root) + b"/"

    def remove(self, paths: Iterable[bytes]) -> None:
        """Remove files, and the directories that are empty then."""
        for path in paths:
            with suppress(FileNotFoundError):
                os.unlink(self._prefix + path)  # noqa: PTH108 - bytes, not a path
            self._remove_empty_parents(path)

    def _remove_empty_parents(self, path: bytes) -> None:
        parent = path.rpartition(b"/")[0]
        while parent:
            try:
                os.rmdir(self._prefix + parent)  # noqa: PTH106 - bytes, not a path
            except OSError:
                # Something is in it.
                return
            parent = parent.rpartition(b"/")[0]

    def write(self, file: RestoredFile) -> bytes:
        """Write a file; return its entry of the index."""
        location = self._prefix + file.path
        with suppress(FileNotFoundError):
            os.unlink(location)  # noqa: PTH108 - bytes, not a path

        os.makedirs(location.rpartition(b"/")[0], exist_ok=True)  # noqa: PTH103 - bytes
        if file.mode == LINK:
            os.symlink(file.content, location)  # noqa: PTH211 - bytes, not a path
            return encode_entry(file.path, os.lstat(location), LINK, file.oid)

        handle = os.open(location, _CREATE, 0o666 | file.mode & 0o111)
        try:
            rest = memoryview(file.content)
            while rest:
                rest = rest[os.write(handle, rest) :]
            if file.permissions is not None:
                os.fchmod(handle, file.permissions)
            return encode_entry(file.path, os.fstat(handle), file.mode, file.oid)
        finally:
            os.close(handle)
