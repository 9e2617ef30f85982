"""A lock for each running turn: it is free again when the process that runs the turn is dead."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path


class TurnLocks:
    """The locks of the turns that run on this machine, files below the state directory."""

    def __init__(self, state: Path) -> None:
        """Keep the locks below the state directory."""
        self._place = state / "turns"
        self._held: dict[str, int] = {}

    def take(self, turn: str) -> None:
        """Hold a turn's lock until it is dropped, or this process ends; raises OSError."""
        self._place.mkdir(0o700, parents=True, exist_ok=True)
        # Not inherited: a command that the turn has started may outlive it.
        lock = os.open(self._file(turn), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self._held[turn] = lock

    def drop(self, turn: str) -> None:
        """Let a turn's lock go."""
        lock = self._held.pop(turn, None)
        with suppress(FileNotFoundError):
            self._file(turn).unlink()
        if lock is not None:
            os.close(lock)

    def is_locked(self, turn: str) -> bool:
        """Whether a process is at work on the turn."""
        if turn in self._held:
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
        return self._place / f"{turn}.lock"
