"""The rules of a project on the disk (port `RuleFiles`): `<root>/.holdfast/rules/<target>/<id>.json`.

One writer at a time, in any process: the lock is on the directory itself, so that it leaves no file in the project.
No symlink on the way is followed: a repository that somebody cloned must not lead our writes elsewhere.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from holdfast.repair.ports import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.repair.ports import UpdateBytes

_TOP = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FOLDER = _TOP | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NAME = re.compile(r"[A-Za-z0-9-]{1,64}")
_LEFT = ".new-"


class DiskRuleFiles:
    """The rule files of one root."""

    def __init__(self, root: Path) -> None:
        """Take the project's directory; nothing is made before the first update."""
        self._root = root

    def read_all(self) -> list[tuple[str, bytes]]:
        """Give each file's name (`<target>/<id>`) and bytes, sorted. What is no rule's name is not read."""
        found: list[tuple[str, bytes]] = []
        for target in sorted(get_args(Target)):
            try:
                with self._opened(target, make=False) as here:
                    names = sorted(name.removesuffix(".json") for name in _names(here) if name.endswith(".json"))
                    read = [(f"{target}/{name}", _read(here, name)) for name in names if _NAME.fullmatch(name)]
            except FileNotFoundError:
                continue
            found += [(name, data) for name, data in read if data is not None]
        return found

    def update(self, name: str, change: UpdateBytes) -> bytes | None:
        """Replace one file atomically, one process at a time; raises OSError."""
        target, _, rule = name.partition("/")
        if target not in get_args(Target) or _NAME.fullmatch(rule) is None:
            raise ValueError(f"{name}: this is no rule's name.")
        with self._opened(target, make=True) as here:
            fcntl.flock(here, fcntl.LOCK_EX)
            before = _read(here, rule)
            after = change(before)
            if after != before:
                _sweep(here)
                _put(here, rule, after)
                os.fsync(here)
            return after

    @contextmanager
    def _opened(self, target: str, *, make: bool) -> Iterator[int]:
        """Open the folder of a target, without a symlink below the root on the way."""
        here = os.open(self._root, _TOP)
        try:
            for part in (".holdfast", "rules", target):
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=here)
                inner = os.open(part, _FOLDER, dir_fd=here)
                os.close(here)
                here = inner
            yield here
        finally:
            os.close(here)


def _names(folder: int) -> list[str]:
    return os.listdir(folder)  # of a handle, not a path: no symlink can be put in its place


def _read(parent: int, rule: str) -> bytes | None:
    try:
        handle = os.open(f"{rule}.json", _READ, dir_fd=parent)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "this is no regular file", f"{rule}.json")
        return file.read()


def _put(parent: int, rule: str, data: bytes | None) -> None:
    if data is None:
        os.unlink(f"{rule}.json", dir_fd=parent)
        return
    new = f"{_LEFT}{secrets.token_hex(6)}"
    handle = os.open(new, _NEW, 0o666, dir_fd=parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
        os.replace(new, f"{rule}.json", src_dir_fd=parent, dst_dir_fd=parent)
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
