"""The decision manifests on the disk (port `DecisionFiles`).

    <root>/.holdfast/decisions/build/<module>.json          part of the project, meant to be committed
    <state>/decisions/<root>/runtime/<module>.json          stays on this machine

One writer at a time, in any process: the lock is on the directory itself, so that it leaves no file in the project.
No symlink on the way is followed: a repository that somebody cloned must not lead our writes elsewhere.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from holdfast.repair.decisions.ids import is_module

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.repair.ports import UpdateBytes

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SUFFIX = ".json"
_LEFT = ".new-"


class DiskDecisionFiles:
    """The manifests of one root."""

    def __init__(self, root: Path, state: Path) -> None:
        """Take the project's directory and the state directory; nothing is made before the first update."""
        self._root = Path(os.path.realpath(root))
        name = hashlib.sha256(os.fsencode(self._root)).hexdigest()[:32]
        self._below: dict[str, tuple[Path, tuple[str, ...]]] = {
            "build": (self._root, (".holdfast", "decisions", "build")),
            "runtime": (state, ("decisions", name, "runtime")),
        }

    def read_all(self, scope: Literal["build", "runtime"]) -> list[tuple[str, bytes]]:
        """Give each module's name and bytes, sorted. What is no manifest's name is not read."""
        try:
            with self._opened(scope, make=False) as here:
                names = sorted(name.removesuffix(_SUFFIX) for name in _names(here) if name.endswith(_SUFFIX))
                found = [(name, _read(here, name + _SUFFIX)) for name in names if is_module(name)]
        except FileNotFoundError:
            return []
        return [(name, data) for name, data in found if data is not None]

    def update(self, scope: Literal["build", "runtime"], module: str, change: UpdateBytes) -> bytes | None:
        """Replace one manifest atomically, one process at a time; raises OSError."""
        if not is_module(module):
            raise ValueError(f"{module}: this is no module's name.")
        with self._opened(scope, make=True) as here:
            fcntl.flock(here, fcntl.LOCK_EX)
            before = _read(here, module + _SUFFIX)
            after = change(before)
            if after == before:
                return after
            _sweep(here)
            if after is None:
                os.unlink(module + _SUFFIX, dir_fd=here)
            else:
                _swap(here, module + _SUFFIX, after)
            os.fsync(here)
            return after

    @contextmanager
    def _opened(self, scope: str, *, make: bool) -> Iterator[int]:
        """Open the directory of a scope, without a symlink below the root on the way."""
        top, parts = self._below[scope]
        if make and scope == "runtime":
            top.mkdir(0o700, parents=True, exist_ok=True)
        here = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in parts:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=here)
                inner = os.open(part, _DIRECTORY, dir_fd=here)
                os.close(here)
                here = inner
            yield here
        finally:
            os.close(here)


def _names(directory: int) -> list[str]:
    return os.listdir(directory)  # of a handle, not a path: no symlink can be put in its place


def _read(parent: int, name: str) -> bytes | None:
    try:
        handle = os.open(name, _READ, dir_fd=parent)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "this is no regular file", name)
        return file.read()


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
