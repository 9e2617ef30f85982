"""Read files of the worktree into objects, and make their entries of the index."""

from __future__ import annotations

import errno
import os
import stat
import time
from typing import TYPE_CHECKING, Self

from holdfast.adapters.descriptors import ParentFolders
from holdfast.adapters.git.objects.index_file import LINK, encode_entry, mode_of
from holdfast.adapters.git.objects.object_store import LARGE_FILE, ObjectBatch
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from pathlib import Path

_GONE = {errno.ENOENT, errno.ENOTDIR}
# Without O_NONBLOCK the opening of a pipe would wait for a writer.
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# Git refuses to check out a symlink of this name.
_MODULES = b".gitmodules"


@dataclass(frozen=True, slots=True)
class CapturedFile:
    """A file as it was read: its entry, None if there is no file; and its permissions."""

    entry: bytes | None = None
    permissions: int | None = None
    changed_at: int = 0


_NO_FILE = CapturedFile()


class FileCapture:
    """Reads files below a root, by no link; their content is added to a batch of objects."""

    def __init__(self, root: Path, batch: ObjectBatch, deadline: float | None) -> None:
        """Raise `CheckpointFailed` after the deadline."""
        self._root = os.fsencode(root)
        self._batch = batch
        self._deadline = deadline
        self._folders = ParentFolders(root)

    def __enter__(self) -> Self:
        """Return this object."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the folder of the last file."""
        self._folders.__exit__()

    def read(self, path: bytes) -> CapturedFile:
        """Return what is at a path, read now; a symlink is not followed."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise CheckpointFailed(
                "reading the files exceeded the time limit of a checkpoint; add files that need no "
                "checkpoint to .gitignore, and try again."
            )

        folder = self._folders.open(path)
        if folder is None:
            return _NO_FILE

        name = path.rpartition(b"/")[2]
        try:
            handle = os.open(name, _OPEN, dir_fd=folder)
        except OSError as error:
            error.filename = b"%s/%s" % (self._root, path)
            return self._read_other(path, folder, error)

        try:
            return self._read_file(path, handle)
        finally:
            os.close(handle)

    def _read_file(self, path: bytes, handle: int) -> CapturedFile:
        # Before the content: a file that changes while it is read is found the next time.
        status = os.fstat(handle)
        mode = mode_of(status)
        if mode is None:
            return _NO_FILE
        entry = encode_entry(path, status, mode, self._write(handle, status.st_size))
        return CapturedFile(entry, stat.S_IMODE(status.st_mode), status.st_ctime_ns)

    def _write(self, handle: int, size: int) -> bytes:
        if size > LARGE_FILE:
            return self._batch.add_large(handle)

        content = os.read(handle, size + 1)
        if len(content) != size:
            # It changes while it is read.
            while piece := os.read(handle, LARGE_FILE):
                content += piece

        return self._batch.add("blob", content)

    def _read_other(self, path: bytes, folder: int, error: OSError) -> CapturedFile:
        """Return a symlink, or nothing for what is gone; raise any other error."""
        if error.errno in _GONE:
            return _NO_FILE

        name = path.rpartition(b"/")[2]
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return _NO_FILE
        except OSError:
            raise error from None
        if not stat.S_ISLNK(status.st_mode):
            if stat.S_ISREG(status.st_mode):
                raise error
            return _NO_FILE
        if _MODULES in path.lower().split(b"/"):
            return _NO_FILE

        oid = self._batch.add("blob", os.readlink(name, dir_fd=folder))
        return CapturedFile(encode_entry(path, status, LINK, oid), None, status.st_ctime_ns)
