"""The file of a SQLite store: opened by one process at a time, written by one after the other."""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from holdfast.adapters.store.driver_errors import busy_message, within_reach
from holdfast.adapters.store.plain.write_queue import QueueStuck, wait_in_line
from holdfast.adapters.store.store_errors import NotAStore, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from holdfast.adapters.store.database_url import SqliteFile

BUSY_SECONDS = 60
"""How long a writer waits for the others."""
SET_UP = (
    # A file is in WAL mode once and for all; who opens a store comes here first, alone, so that
    # nobody is in the way.
    "PRAGMA journal_mode = WAL",
    # Each commit is on the disk before anybody hears of it: files are changed on the strength of
    # it.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)
"""What is set for each connection."""
_MADE = b"The store beside this file has content.\n"


@contextmanager
def queued(address: SqliteFile, seconds: float = BUSY_SECONDS) -> Iterator[None]:
    """Wait for the writers that came before; raise `StoreUnavailable` after `seconds`."""
    with ExitStack() as line:
        try:
            with within_reach(address):
                line.enter_context(wait_in_line(address.path, seconds))
        except QueueStuck:
            raise StoreUnavailable(busy_message(address)) from None
        yield


@contextmanager
def open_alone(address: SqliteFile) -> Iterator[None]:
    """Wait until nobody else is opening this file, and create it if it is not there.

    Nobody may use it while it changes to WAL mode. Raise `NotAStore` if it has lost its content. At
    the end of the `with` it has content.
    """
    with within_reach(address):
        lock = _open_lock(address.path)

    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with within_reach(address):
            _make_private(address.path, lock)
        _refuse_emptied(address, lock)
        yield
        _mark_made(lock)
    finally:
        os.close(lock)


def _open_lock(file: Path) -> int:
    file.parent.mkdir(0o700, parents=True, exist_ok=True)
    return os.open(
        file.with_name(f"{file.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
    )


def _refuse_emptied(address: SqliteFile, lock: int) -> None:
    """Raise `NotAStore` if the file has lost its content: it would be taken for a new store."""
    if os.fstat(lock).st_size == 0 or address.path.stat().st_size > 0:
        return
    raise NotAStore(
        f"{address}: the store is empty, and it was not; something else has emptied the file. "
        "Bring it back from a backup, or remove the file to begin with a new store."
    )


def _mark_made(lock: int) -> None:
    """Mark in the lock file that there is a store beside it, with content."""
    with suppress(OSError):
        # A full disk: the store itself is there and works, the next to open it marks it.
        if os.fstat(lock).st_size == 0:
            os.pwrite(lock, _MADE, 0)


def _make_private(file: Path, lock: int) -> None:
    """Make the file, closed to others, if it is not there.

    SQLite gives its -wal and -shm the same mode.
    """
    try:
        # O_EXCL, and only looked at under the lock: to open and close a file that SQLite has open
        # in this process would drop SQLite's locks on it.
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        # A new store, also where there was one before that somebody has removed.
        os.ftruncate(lock, 0)
    except FileExistsError:
        # SQLite would say only that it is unable to open the file, and not why.
        if file.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)) from None
        if file.exists() and not os.access(file, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None
