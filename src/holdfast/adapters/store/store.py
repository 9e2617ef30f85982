"""A store that is open: its transactions."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.store.database_url import DatabaseUrl, SqliteFile, parse_address
from holdfast.adapters.store.engine import for_reading, make_engine
from holdfast.adapters.store.errors import explained, within_reach
from holdfast.adapters.store.schema import bring_up_to_date

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine


class Store:
    """An open store; made by `open_store`. Many tasks may use it at once, each with a transaction of its own."""

    def __init__(self, engine: AsyncEngine, address: DatabaseUrl) -> None:
        """Join an engine and the place it works at."""
        self._engine = engine
        self.address = address

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """Give a transaction: recorded as a whole at the end of the `async with`, or not at all if an error ends it."""
        with explained(self.address):
            async with self._engine.begin() as connection:
                yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """Give a transaction that sees one moment of the store, waits for no writer, and cannot write."""
        with explained(self.address):
            async with self._engine.connect() as connection:
                yield await for_reading(connection)


@asynccontextmanager
async def open_store(url: str, *, alone: bool = False) -> AsyncIterator[Store]:
    """Open the store that a URL or a path names, made or migrated if need be; raises a `StoreError` if it cannot be.

    `alone` says that the loop has no other tasks: then a file is worked on in its thread, which costs much less.
    """
    address = parse_address(url)
    engine = make_engine(address, alone=alone)
    try:
        with explained(address):
            if isinstance(address, SqliteFile):
                async with _alone(address):
                    await bring_up_to_date(engine, address)
            else:
                await bring_up_to_date(engine, address)
        yield Store(engine, address)
    finally:
        await engine.dispose()


@asynccontextmanager
async def _alone(address: SqliteFile) -> AsyncIterator[None]:
    """Be the only process that is opening this file: nobody may use it while it changes to WAL mode."""
    with within_reach(address):
        lock = _open_lock(address.path)
    try:
        # In a thread: the one who holds the lock may be another task of this loop.
        await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_EX)
        with within_reach(address):
            _make_private(address.path)
        yield
    finally:
        os.close(lock)


def _open_lock(file: Path) -> int:
    file.parent.mkdir(0o700, parents=True, exist_ok=True)
    return os.open(
        file.with_name(f"{file.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
    )


def _make_private(file: Path) -> None:
    """Make the file, closed to others, if it is not there. SQLite gives its -wal and -shm the same mode."""
    try:
        # O_EXCL, and only looked at under the lock: to open and close a file that SQLite has open in this process would
        # drop SQLite's locks on it.
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        # What SQLite could not open is refused here: the driver's thread would outlive the loop, and say so on stderr.
        if file.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)) from None
        if file.exists() and not os.access(file, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None
