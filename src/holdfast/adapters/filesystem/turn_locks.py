"""A lock for each running turn; the lock is free when the process that runs the turn has died."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class TurnLocks:
    """The locks of the turns that run on this machine: files below the state directory."""

    def __init__(self, state: Path) -> None:
        """Set the directory of the lock files; `take` creates it."""
        self._directory = state / "turns"
        self._locked: dict[str, int] = {}

    def take(self, turn: str) -> None:
        """Lock a turn until `drop`, or until this process ends; raise OSError if that fails."""
        self._directory.mkdir(0o700, parents=True, exist_ok=True)
        # Not inherited: a command that the turn has started may outlive the turn.
        lock = os.open(self._file(turn), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self._locked[turn] = lock

    def drop(self, turn: str) -> None:
        """Unlock a turn."""
        lock = self._locked.pop(turn, None)
        with suppress(FileNotFoundError):
            self._file(turn).unlink()
        if lock is not None:
            os.close(lock)

    def is_locked(self, turn: str) -> bool:
        """Return whether a process runs the turn."""
        if turn in self._locked:
            return True

        try:
            lock = os.open(self._file(turn), os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False

        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(lock)

        return False

    def _file(self, turn: str) -> Path:
        return self._directory / f"{turn}.lock"
