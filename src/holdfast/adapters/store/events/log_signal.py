"""When the log may have new events: what SQLite's WAL and PostgreSQL's LISTEN say (`LogSignal`)."""

from __future__ import annotations

import contextlib
import os
import select
import time
from typing import TYPE_CHECKING, Any

from holdfast.adapters.store.database_url import SqliteFile
from holdfast.adapters.store.queries.statements import EVENTS_CHANNEL

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.adapters.store.database_url import PostgresDatabase
    from holdfast.adapters.store.store import Store

_TICK = 0.02
"""Seconds between two looks at the WAL."""


def signal_of(store: Store) -> SqliteSignal | PostgresSignal:
    """Return the signal of a store."""
    if isinstance(store.address, SqliteFile):
        return SqliteSignal(store.address.path)
    return PostgresSignal(store.address)


class SqliteSignal:
    """Looks at the WAL of a SQLite file, of which every commit changes something.

    A look is one `stat`. Of two commits in the same tick of the clock the second may be missed:
    whoever waits must read the log now and then in any case.
    """

    def __init__(self, file: Path) -> None:
        """Watch the log beside a file."""
        self._wal = os.fspath(file.with_name(f"{file.name}-wal"))
        self._seen = self._look()

    def wait(self, seconds: float) -> None:
        """Wait until the WAL is not as it was when this was last called, at most so long."""
        until = time.monotonic() + seconds
        while True:
            now = self._look()
            if now != self._seen or time.monotonic() >= until:
                self._seen = now
                return
            time.sleep(_TICK)

    def close(self) -> None:
        """Do nothing: no file is open."""

    def _look(self) -> tuple[int, int, int] | None:
        try:
            found = os.stat(self._wal)  # noqa: PTH116 - fifty times a second
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


class PostgresSignal:
    """Listens on a connection of its own; while there is none, it waits the whole time."""

    def __init__(self, address: PostgresDatabase) -> None:
        """Listen to the server of a store; connect at the first wait."""
        self._address = address
        self._connection: Any = None

    def wait(self, seconds: float) -> None:
        """Wait until a transaction has published events, at most so long."""
        until = time.monotonic() + seconds
        try:
            if self._connection is None:
                self._connection = _listen(self._address)
                # Something may have been published before.
                return
            select.select([self._connection.fileno()], [], [], seconds)
            for _ in self._connection.notifies(timeout=0):
                pass
        except (OSError, ValueError, _psycopg_error()):
            self.close()
            # The server is away: not more often than without a signal.
            time.sleep(max(0.0, until - time.monotonic()))

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.close()
        self._connection = None


def _listen(address: PostgresDatabase) -> Any:
    import psycopg  # noqa: PLC0415 - whoever uses SQLite does without

    url = address.url().set(drivername="postgresql").render_as_string(hide_password=False)
    connection = psycopg.connect(url, autocommit=True, connect_timeout=10)
    connection.execute(f"LISTEN {EVENTS_CHANNEL}")
    return connection


def _psycopg_error() -> type[Exception]:
    import psycopg  # noqa: PLC0415 - as above

    return psycopg.Error
