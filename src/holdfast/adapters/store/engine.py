"""The engine of a store: how a connection and a transaction begin, on SQLite and on PostgreSQL."""

from __future__ import annotations

import select
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.util import LRUCache

from holdfast.adapters.store.database_url import DatabaseUrl, PostgresDatabase, SqliteFile
from holdfast.adapters.store.plain.column_values import dump_json
from holdfast.adapters.store.plain.store_file import BUSY_SECONDS, SET_UP
from holdfast.adapters.store.store_errors import DriverMissing

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

_CONNECT_SECONDS = 10
# After so long a silence a firewall may have dropped the connection without a word.
_PING_AFTER_SECONDS = 60
_READS = "holdfast_reads"
_RETURNED = "holdfast_returned"
_MOST_STATEMENTS = 500
_statements: LRUCache[Any, Any] = LRUCache(_MOST_STATEMENTS)
"""The compiled statements of all SQLite stores of the process."""


class SameSqlite(SQLiteDialect_pysqlite):
    """The dialect of SQLite, equal for all engines.

    A compiled statement is found by its dialect: a store that is opened again, as for each turn,
    compiles nothing again.
    """

    driver = "holdfast"
    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        """Return whether the other is of this class too: each engine has the same options."""
        return isinstance(other, SameSqlite)

    def __hash__(self) -> int:
        """Return the same number for all."""
        return hash(SameSqlite)


registry.register("sqlite.holdfast", __name__, SameSqlite.__name__)


def make_engine(address: DatabaseUrl) -> Engine:
    """Return the engine of a store; nothing is opened yet.

    Raise `DriverMissing` for PostgreSQL without psycopg.
    """
    if isinstance(address, SqliteFile):
        return _sqlite_engine(address)
    return _postgres_engine(address)


def _sqlite_engine(address: SqliteFile) -> Engine:
    engine = create_engine(
        address.url().set(drivername="sqlite+holdfast"),
        execution_options={"compiled_cache": _statements},
        connect_args={
            "timeout": BUSY_SECONDS,
            # The driver begins no transaction of its own, `_begin` does. SQLAlchemy's documentation
            # of SQLite, "Using SQLAlchemy to emit BEGIN in lieu of SQLite's transaction control".
            "isolation_level": None,
            # One thread after another may use a connection: the pool lends it to one transaction at
            # a time.
            "check_same_thread": False,
        },
        # A connection is an open file: nobody waits for one. Writers wait in `_begin`, readers not
        # at all.
        max_overflow=-1,
        # What is written (texts of files, of messages) belongs in no message of an error.
        hide_parameters=True,
    )
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _postgres_engine(address: PostgresDatabase) -> Engine:
    try:
        engine = create_engine(
            address.url(),
            connect_args={"connect_timeout": _CONNECT_SECONDS, "application_name": "holdfast"},
            pool_timeout=BUSY_SECONDS,
            json_serializer=dump_json,
            hide_parameters=True,
        )
    except ImportError as error:
        raise DriverMissing(str(address)) from error

    event.listen(engine, "checkin", _remember_return)
    event.listen(engine, "checkout", _check_alive)
    return engine


def for_reading(connection: Connection) -> Connection:
    """Make the next transaction see one moment of the store and write nothing."""
    if connection.dialect.name == "sqlite":
        return connection.execution_options(**{_READS: True})
    return connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _set_up(connection: DBAPIConnection, _entry: Any) -> None:
    with ExitStack() as on_failure:
        # The pool forgets a connection whose set-up fails, and leaves it open.
        on_failure.callback(connection.close)
        cursor = connection.cursor()
        # Before the connection: SQLite keeps the file open while a statement is.
        on_failure.callback(cursor.close)
        for statement in SET_UP:
            cursor.execute(statement)
        cursor.close()
        on_failure.pop_all()


def _begin(connection: Connection) -> None:
    reads = connection.get_execution_options().get(_READS, False)
    # IMMEDIATE: the lock is taken, and waited for, at the beginning. A transaction that reads first
    # and wants to write afterwards is refused by SQLite without waiting, if somebody wrote
    # meanwhile.
    query_only, begin = "OFF", "BEGIN IMMEDIATE"
    if reads:
        query_only, begin = "ON", "BEGIN"

    # Not `exec_driver_sql`: this is half of what a transaction costs, and `explained` knows the
    # driver's errors too.
    cursor = connection.connection.cursor()
    # It belongs to the connection and outlives the transaction: mostly it is as it has to be.
    if connection.info.get(_READS) is not reads:
        cursor.execute(f"PRAGMA query_only = {query_only}")
        connection.info[_READS] = reads

    cursor.execute(begin)


def _remember_return(_connection: Any, entry: ConnectionPoolEntry) -> None:
    entry.info[_RETURNED] = time.monotonic()


def _check_alive(connection: Any, entry: ConnectionPoolEntry, _proxy: Any) -> None:
    """Refuse a pooled connection that the server has ended; the pool then makes another.

    Not SQLAlchemy's `pool_pre_ping`, which costs every transaction a round trip: a server that ends
    a connection says so, and then there is something to read.
    """
    returned = entry.info.get(_RETURNED)
    if returned is None:
        return

    readable = select.poll()
    readable.register(connection.fileno(), select.POLLIN)
    if not readable.poll(0) and time.monotonic() - returned < _PING_AFTER_SECONDS:
        return

    try:
        connection.execute("SELECT 1")
        connection.rollback()
    except connection.Error as error:
        raise InvalidatePoolError from error
