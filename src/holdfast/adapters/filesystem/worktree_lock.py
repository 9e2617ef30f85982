"""The lock of a worktree: one command at a time writes files there.

A thread that has the lock may lock again. Git inherits the lock, so a git that outlives its command
keeps the lock.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_PAUSE = 0.02
_MOMENT = 1.0
"""How many seconds a command waits before it says so."""
_WAITING = "waiting for another command that is at work here"


class LockTimeout(Exception):  # noqa: N818 - the word for it
    """Another command had the lock for too long."""


@dataclass(frozen=True, slots=True)
class WorktreeLock:
    """The lock that this thread has.

    `handle` is its descriptor. `waited`: another command had the lock first. `nested`: the thread
    had the lock already.
    """

    handle: int
    waited: bool = False
    nested: bool = False


UNLOCKED = WorktreeLock(-1)
"""In place of a lock, where a journal is only read."""


class _Locks(threading.local):
    """The locks of this thread, by their folder."""

    def __init__(self) -> None:
        self.handles: dict[str, int] = {}


_locks = _Locks()


def _say_nothing(_: str) -> None:
    """Report no progress."""


@contextmanager
def lock_worktree(
    folder: Path, *, deadline: float | None = None, say: Callable[[str], None] = _say_nothing
) -> Iterator[WorktreeLock]:
    """Wait for the lock of a worktree, whose folder is created if need be.

    Raise `LockTimeout` at the deadline, and OSError if the state directory cannot be written. The
    lock is free again when every process that inherited its descriptor has ended.
    """
    key = str(folder)
    handle = _locks.handles.get(key)
    if handle is not None:
        yield WorktreeLock(handle, nested=True)
        return

    folder.mkdir(0o700, parents=True, exist_ok=True)
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        waited = _wait_for(handle, folder, deadline, say)
        _locks.handles[key] = handle
        yield WorktreeLock(handle, waited)
    finally:
        _locks.handles.pop(key, None)
        os.close(handle)


def is_at_work(folder: Path) -> bool:
    """Return whether a command has the lock of a worktree now; write nothing."""
    try:
        handle = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False

    try:
        return not _try_lock(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def _wait_for(
    handle: int, folder: Path, deadline: float | None, say: Callable[[str], None]
) -> bool:
    """Wait until the lock is ours; return whether another command had it."""
    begun = time.monotonic()
    waited, said = False, False
    while not _try_lock(handle, fcntl.LOCK_EX):
        waited = True
        now = time.monotonic()
        if deadline is not None and now > deadline:
            where = folder / "lock"
            raise LockTimeout(
                f"another command has been running here for too long ({where}); try again later."
            )
        if now - begun > _MOMENT and not said:
            say(_WAITING)
            said = True
        time.sleep(_PAUSE)

    return waited


def _try_lock(handle: int, kind: int) -> bool:
    """Take the lock if it is free; return whether it was."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
