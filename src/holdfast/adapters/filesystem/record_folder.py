"""A folder of small files that several processes write: rules, decisions, counters.

There is one writer at a time among all processes. The lock is on the folder itself, so that no lock
file remains in the project. No symlink below the top is followed: a cloned repository must not
redirect our writes.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from holdfast.rules.ports import UpdateBytes

_TOP = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FOLDER = _TOP | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_PREFIX = ".new-"
# The errors for something at a record's path that is not a readable file. Any other error is a
# failure of the disk.
_NO_RECORD = frozenset(
    {errno.EISDIR, errno.ELOOP, errno.EMLINK, errno.EACCES, errno.EPERM, errno.ENXIO, errno.EINVAL}
)


class RecordFolder:
    """The folder at `parts` below `top`.

    Names are without the `suffix` of the files, and validated by the caller.
    """

    def __init__(self, top: Path, *parts: str, suffix: str = ".json") -> None:
        """Set the path of the folder; `update` creates the folder."""
        self._top = top
        self._parts = parts
        self._suffix = suffix

    def place(self, name: str) -> Path:
        """Return the path of a record, whether it exists or not."""
        return self._top.joinpath(*self._parts, name + self._suffix)

    def read_all(self, is_name: Callable[[str], object]) -> list[tuple[str, bytes]]:
        """Return the name and the bytes of each record whose name `is_name` accepts, sorted.

        A directory, a symlink or an unreadable file has empty bytes: like a damaged record, it must
        not prevent the use of the others. Raise OSError if the disk fails.
        """
        records: list[tuple[str, bytes]] = []
        try:
            with self._opened(make=False) as here:
                for name in _record_names(here, self._suffix):
                    if not is_name(name):
                        continue
                    data = self._read_or_empty(here, name)
                    if data is not None:
                        records.append((name, data))
        except FileNotFoundError:
            return []

        return records

    def _read_or_empty(self, here: int, name: str) -> bytes | None:
        try:
            with _named(self.place(name)):
                return _read(here, name + self._suffix)
        except OSError as error:
            if error.errno not in _NO_RECORD:
                raise
            return b""

    def update(self, name: str, change: UpdateBytes) -> bytes | None:
        """Replace one record atomically, one process at a time; return its new bytes.

        `change` returns None to remove the record. Raise OSError if the disk fails.
        """
        with self._opened(make=True) as here, _named(self.place(name)):
            fcntl.flock(here, fcntl.LOCK_EX)
            before = _read(here, name + self._suffix)
            after = change(before)
            if after == before:
                return after
            _remove_leftovers(here)
            if after is None:
                os.unlink(name + self._suffix, dir_fd=here)
            else:
                _swap(here, name + self._suffix, after)
            os.fsync(here)
            return after

    @contextmanager
    def _opened(self, *, make: bool) -> Iterator[int]:
        """Open the folder; raise OSError at a symlink below the top."""
        here = os.open(self._top, _TOP)
        at = self._top
        try:
            for part in self._parts:
                at /= part
                with _named(at):
                    if make:
                        with suppress(FileExistsError):
                            os.mkdir(part, dir_fd=here)
                    inner = os.open(part, _FOLDER, dir_fd=here)
                os.close(here)
                here = inner
            yield here
        finally:
            os.close(here)


@contextmanager
def _named(place: Path) -> Iterator[None]:
    """Set the path of an OSError: without this, it names a descriptor or a name below one."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(place)) from error


def _names(folder: int) -> list[str]:
    return os.listdir(folder)  # a descriptor, not a path: it cannot be replaced by a symlink


def _record_names(folder: int, suffix: str) -> list[str]:
    files = [name for name in _names(folder) if name.endswith(suffix)]
    return sorted(name.removesuffix(suffix) for name in files)


def _read(parent: int, name: str) -> bytes | None:
    try:
        handle = os.open(name, _READ, dir_fd=parent)
    except FileNotFoundError:
        return None

    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", name)
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def _swap(parent: int, name: str, data: bytes) -> None:
    new = f"{_NEW_PREFIX}{secrets.token_hex(6)}"
    handle = os.open(new, _NEW, 0o666, dir_fd=parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
        os.replace(new, name, src_dir_fd=parent, dst_dir_fd=parent)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(new, dir_fd=parent)
        raise


def _remove_leftovers(parent: int) -> None:
    """Remove the files that a killed process left; the caller has the lock, so none is in use."""
    for name in _names(parent):
        if name.startswith(_NEW_PREFIX):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=parent)
