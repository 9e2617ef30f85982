"""One lock a worktree. Git's processes inherit it: while one that outlived us still writes, nobody else begins."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.checkpoints.ports import CheckpointFailed

_PAUSE = 0.02


@contextmanager
def hold(file: Path, deadline: float) -> Iterator[tuple[int, bool]]:
    """Wait for the lock; give its descriptor, and whether somebody else had it.

    It is free again when every process that has it has ended.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        waited = False
        while not _taken(handle):
            waited = True
            if time.monotonic() > deadline:
                raise CheckpointFailed(
                    f"another command is at work here for too long ({file}); try again later."
                )
            time.sleep(_PAUSE)
        yield handle, waited
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
