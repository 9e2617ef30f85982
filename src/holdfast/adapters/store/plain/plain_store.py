"""A SQLite store that is open, without SQLAlchemy: its transactions."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from holdfast.adapters.store.driver_errors import explained_driver
from holdfast.adapters.store.plain.revisions import (
    NEWEST_SCHEMA,
    READ_VERSION,
    VERSION_TABLE,
    revisions,
)
from holdfast.adapters.store.plain.store_file import BUSY_SECONDS, SET_UP, open_alone, queued

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.adapters.store.database_url import SqliteFile


class PlainStore:
    """An open SQLite store; made by `open_plain_store`.

    Many threads may use it, one transaction after the other.
    """

    def __init__(self, address: SqliteFile, connection: sqlite3.Connection) -> None:
        """Use a connection that begins no transaction of its own."""
        self._address = address
        self._connection = connection
        self._in_use = threading.Lock()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Begin a transaction.

        Recorded as a whole at the end of the `with`, or not at all if an error ends it.
        """
        # IMMEDIATE: the lock is taken, and waited for, at the beginning.
        with explained_driver(self._address), queued(self._address), self._begin("IMMEDIATE"):
            yield self._connection

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Begin a transaction that sees one moment of the store."""
        with explained_driver(self._address), self._begin("DEFERRED"):
            yield self._connection

    @contextmanager
    def _begin(self, how: str) -> Iterator[None]:
        with self._in_use:
            self._connection.execute(f"BEGIN {how}")
            try:
                yield
                self.commit(self._connection)
            except BaseException:
                with suppress(sqlite3.Error):
                    # SQLite has rolled back by itself, if the disk is full.
                    self._connection.execute("ROLLBACK")
                raise

    @staticmethod
    def commit(connection: sqlite3.Connection) -> None:
        """End a transaction: what it wrote is recorded. The tests of kills count the calls."""
        connection.execute("COMMIT")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def open_plain_store(address: SqliteFile) -> PlainStore | None:
    """Open the store of a file, made if need be; None if SQLAlchemy has to migrate or judge it.

    Raise a `StoreError` if it cannot be opened.
    """
    with explained_driver(address), open_alone(address):
        connection = sqlite3.connect(
            address.path, BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        try:
            ready = _set_up(connection)
        except BaseException:
            connection.close()
            raise

        if ready:
            return PlainStore(address, connection)
        connection.close()
        return None


def _set_up(connection: sqlite3.Connection) -> bool:
    """Return whether the store has the newest schema; an empty file gets it."""
    for statement in SET_UP:
        connection.execute(statement)

    newest = revisions()[-1]
    if connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
        _create_newest(connection, newest)
        return True

    try:
        found = connection.execute(READ_VERSION).fetchone()
    except sqlite3.OperationalError:
        # There is no such table; any other error comes again where it is explained.
        return False

    return found is not None and found[0] == newest


def _create_newest(connection: sqlite3.Connection, newest: str) -> None:
    """Create the tables as SQLAlchemy would, and record that, all or nothing."""
    statements = NEWEST_SCHEMA.read_text("utf-8").split(";\n")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"INSERT INTO {VERSION_TABLE} VALUES (?)", (newest,))  # noqa: S608 - a constant
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
