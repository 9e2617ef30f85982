"""A folder of small JSON files that several processes write: rules, decisions.

One writer at a time, in any process: the lock is on the folder itself, so that it leaves no file in the project.
No symlink on the way is followed: a repository that somebody cloned must not lead our writes elsewhere.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.rules.ports import UpdateBytes

_TOP = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FOLDER = _TOP | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SUFFIX = ".json"
_LEFT = ".new-"
# What the disk says of something that is in the place of a record and is none. Any other error is the disk's own.
_NO_RECORD = frozenset(
    {errno.EISDIR, errno.ELOOP, errno.EMLINK, errno.EACCES, errno.EPERM, errno.ENXIO, errno.EINVAL}
)


class JsonFolder:
    """The folder at `parts` below `top`. Names are without `.json`; whoever calls has judged them."""

    def __init__(self, top: Path, *parts: str) -> None:
        """Name the folder; nothing is made before the first update."""
        self._top = top
        self._parts = parts

    def place(self, name: str) -> Path:
        """Say where a record is, or would be."""
        return self._top.joinpath(*self._parts, name + _SUFFIX)

    def read_all(self, is_name: Callable[[str], object]) -> list[tuple[str, bytes]]:
        """Give each record's name and bytes, sorted; raises OSError. What `is_name` does not take is not read.

        A directory, a symlink or a file that may not be read has no bytes: like any record that is damaged, it must
        not keep anybody from the others.
        """
        try:
            with self._opened(make=False) as here:
                names = sorted(
                    name.removesuffix(_SUFFIX) for name in _names(here) if name.endswith(_SUFFIX)
                )
                found = [
                    (name, self._read_or_nothing(here, name)) for name in names if is_name(name)
                ]
        except FileNotFoundError:
            return []
        return [(name, data) for name, data in found if data is not None]

    def _read_or_nothing(self, here: int, name: str) -> bytes | None:
        try:
            with _named(self.place(name)):
                return _read(here, name + _SUFFIX)
        except OSError as error:
            if error.errno not in _NO_RECORD:
                raise
            return b""

    def update(self, name: str, change: UpdateBytes) -> bytes | None:
        """Replace one record atomically, one process at a time; None removes it. Raises OSError."""
        with self._opened(make=True) as here, _named(self.place(name)):
            fcntl.flock(here, fcntl.LOCK_EX)
            before = _read(here, name + _SUFFIX)
            after = change(before)
            if after == before:
                return after
            _sweep(here)
            if after is None:
                os.unlink(name + _SUFFIX, dir_fd=here)
            else:
                _swap(here, name + _SUFFIX, after)
            os.fsync(here)
            return after

    @contextmanager
    def _opened(self, *, make: bool) -> Iterator[int]:
        """Open the folder, without a symlink below the top on the way."""
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
    """Have an error name its place: the disk itself knows only a handle here, or a name below one."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(place)) from error


def _names(folder: int) -> list[str]:
    return os.listdir(folder)  # of a handle, not a path: no symlink can be put in its place


def _read(parent: int, name: str) -> bytes | None:
    try:
        handle = os.open(name, _READ, dir_fd=parent)
    except FileNotFoundError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "this is no regular file", name)
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def _swap(parent: int, name: str, data: bytes) -> None:
    new = f"{_LEFT}{secrets.token_hex(6)}"
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


def _sweep(parent: int) -> None:
    """Remove what a process that was killed has left; the lock is ours, so nobody is writing it."""
    for name in _names(parent):
        if name.startswith(_LEFT):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=parent)
