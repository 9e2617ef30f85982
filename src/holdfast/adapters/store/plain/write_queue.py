"""The queue of the writers of a SQLite file, for SQLite has none.

`BEGIN IMMEDIATE` tries again after pauses that grow, so whoever has waited long is overtaken by
whoever has just come. The waiters for a file lock are woken in the order in which they came.
"""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class QueueStuck(Exception):  # noqa: N818 - the word for it
    """Another writer has kept the lock for too long."""


@contextmanager
def wait_in_line(file: Path, seconds: float) -> Iterator[None]:
    """Wait until the writers that came before are done, and make those that come later wait.

    Raise `QueueStuck` after `seconds`, and OSError if the lock file cannot be created.
    """
    lock = os.open(
        file.with_name(f"{file.name}.queue"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
    )
    if not _try_lock(lock):
        _Waiter(lock).wait(seconds)

    try:
        yield
    finally:
        os.close(lock)


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class _Waiter:
    """A thread that waits for a file lock: the call that waits in the kernel has no time limit."""

    def __init__(self, lock: int) -> None:
        self._lock = lock
        # Whoever acquires this first decides: the thread that the lock is taken, the other one that
        # nobody wants it any more.
        self._decision = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def wait(self, seconds: float) -> None:
        """Return when the lock is taken; raise `QueueStuck` if that lasts too long."""
        self._thread.start()
        try:
            self._thread.join(seconds)
        except BaseException:
            self._abandon()
            raise

        if self._thread.is_alive():
            self._abandon()
            raise QueueStuck

    def _abandon(self) -> None:
        """Close the lock, or leave that to the thread, which still waits for it."""
        if not self._decision.acquire(blocking=False):
            os.close(self._lock)

    def _run(self) -> None:
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        if not self._decision.acquire(blocking=False):
            os.close(self._lock)
