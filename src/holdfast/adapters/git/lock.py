"""The lock of a worktree. Git inherits it, so a git that outlives its command keeps the lock."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.checkpoints.ports import CheckpointFailed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PAUSE = 0.02


@contextmanager
def acquire(file: Path, deadline: float) -> Iterator[tuple[int, bool]]:
    """Wait for the lock; yield its descriptor, and whether another process had the lock.

    The lock is free again when every process that inherited the descriptor has ended.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        waited = False
        while not _try_lock(handle):
            waited = True
            if time.monotonic() > deadline:
                raise CheckpointFailed(
                    f"another command is at work here for too long ({file}); try again later."
                )
            time.sleep(_PAUSE)
        yield handle, waited
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    """Take the lock if it is free; return whether it was."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
