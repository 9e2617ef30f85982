"""The commands that run in a sandbox now, and what is masked from them, in all our processes.

A mask covers a file, not its name: a file with secrets that we write while a command runs would be
open to that command. So there is no such write meanwhile.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from holdfast.changes.ports import FileInUse
from holdfast.guards.secrets import is_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_SECONDS = 10.0
"""How long a command or a write waits for others, which need the records for a moment."""
_PAUSE = 0.005


class RunningCommand:
    """A command that is about to run; its record has its roots, and what is masked from it."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        """Use the folder of all records, and the open record."""
        self._folder = folder
        self._descriptor = descriptor

    def mask(self, paths: Iterable[str]) -> None:
        """Record what is masked from the command, before it runs."""
        with _locked(self._folder):
            os.write(self._descriptor, b"".join(b"mask %s\0" % os.fsencode(path) for path in paths))


class RunningCommands:
    """The records of running commands in a state directory. A record counts while it is locked."""

    def __init__(self, state: Path) -> None:
        """Use this state directory."""
        self._folder = state / "sandbox" / "running"

    @contextmanager
    def record(self, roots: Iterable[str]) -> Iterator[RunningCommand]:
        """Record that a command runs which sees these folders, from before they are searched."""
        self._folder.mkdir(0o700, parents=True, exist_ok=True)
        path = self._folder / secrets.token_hex(8)
        with _locked(self._folder):
            descriptor = os.open(path, _CREATE, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            os.write(descriptor, b"".join(b"root %s\0" % os.fsencode(root) for root in roots))
        try:
            yield RunningCommand(self._folder, descriptor)
        finally:
            path.unlink(missing_ok=True)
            os.close(descriptor)

    @contextmanager
    def kept_from(self, paths: Iterable[str]) -> Iterator[None]:
        """Let no command start in this context; raise `FileInUse` if one must not read a path."""
        self._folder.mkdir(0o700, parents=True, exist_ok=True)
        with _locked(self._folder):
            records = list(self._records())
            for path in paths:
                if any(_sees(record, path) for record in records):
                    raise FileInUse(
                        errno.EBUSY,
                        "a command is running that must not read this file; try again when it has "
                        "ended",
                        path,
                    )
            yield

    def _records(self) -> Iterator[list[str]]:
        """Return the records of commands that run; remove those of processes that were killed."""
        for path in self._folder.iterdir():
            with suppress(FileNotFoundError), path.open("rb") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except BlockingIOError:
                    yield os.fsdecode(file.read()).split("\0")
                else:
                    path.unlink()


def _sees(record: list[str], path: str) -> bool:
    """Return whether a path is masked from a command, or would be if the file were there."""
    for line in record:
        kind, _, place = line.partition(" ")
        if kind == "mask" and path == place:
            return True
        below = f"{place.rstrip('/')}/"
        if kind == "root" and path.startswith(below) and is_secret(path.removeprefix(below)):
            return True
    return False


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Have the records to oneself; raise OSError if another process has them for too long."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        until = time.monotonic() + _SECONDS
        while not _try_lock(descriptor):
            if time.monotonic() > until:
                raise OSError(errno.EBUSY, "another command of Holdfast is at work", str(folder))
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
