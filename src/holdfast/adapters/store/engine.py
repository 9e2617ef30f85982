"""The engine of a store: how a connection and a transaction begin, on SQLite and on PostgreSQL."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from holdfast.adapters.store.column_types import dump_json
from holdfast.adapters.store.database_url import DatabaseUrl, SqliteFile
from holdfast.adapters.store.same_thread import SameThreadConnection

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sqlalchemy.engine import Connection
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.ext.asyncio import AsyncConnection

# How long a writer waits for another. SQLite has no queue: of eight, the unlucky one waits for many of the others.
_BUSY_SECONDS = 60
_CONNECT_SECONDS = 10
_READS = "holdfast_reads"


def make_engine(address: DatabaseUrl, *, alone: bool = False) -> AsyncEngine:
    """Make the engine; nothing is opened yet. `alone`: its loop has no other tasks, so that it may be held up."""
    # hide_parameters: what is written (texts of files, of messages) belongs in no message of an error.
    if not isinstance(address, SqliteFile):
        return create_async_engine(
            address.url(),
            connect_args={"connect_timeout": _CONNECT_SECONDS, "application_name": "holdfast"},
            pool_pre_ping=True,
            json_serializer=dump_json,
            hide_parameters=True,
        )
    engine = create_async_engine(
        address.url(),
        # isolation_level None: the driver begins no transaction of its own, `_begin` does. SQLAlchemy's documentation
        # of SQLite, "Using SQLAlchemy to emit BEGIN in lieu of SQLite's transaction control".
        connect_args={"timeout": _BUSY_SECONDS, "isolation_level": None},
        hide_parameters=True,
        **({"async_creator": _same_thread(address)} if alone else {}),
    )
    event.listen(engine.sync_engine, "connect", _set_up)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


async def for_reading(connection: AsyncConnection) -> AsyncConnection:
    """Let the next transaction see one moment of the store and write nothing."""
    if connection.dialect.name == "sqlite":
        return await connection.execution_options(**{_READS: True})
    return await connection.execution_options(
        isolation_level="REPEATABLE READ", postgresql_readonly=True
    )


def _same_thread(address: SqliteFile) -> Callable[[], Awaitable[SameThreadConnection]]:
    async def connect() -> SameThreadConnection:
        return SameThreadConnection(address.path, _BUSY_SECONDS)

    return connect


def _set_up(connection: DBAPIConnection, _record: Any) -> None:
    with ExitStack() as on_failure:
        # The pool forgets a connection whose set-up fails, and leaves it open.
        on_failure.callback(connection.close)
        cursor = connection.cursor()
        # A file is in WAL mode once and for all; `open_store` comes here first, alone, so that nobody is in the way.
        cursor.execute("PRAGMA journal_mode = WAL")
        # Each commit is on the disk before anybody hears of it: files are changed on the strength of it.
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()
        on_failure.pop_all()


def _begin(connection: Connection) -> None:
    reads = connection.get_execution_options().get(_READS, False)
    # It belongs to the connection and outlives the transaction: mostly it is as it has to be.
    if connection.info.get(_READS) is not reads:
        connection.exec_driver_sql(f"PRAGMA query_only = {'ON' if reads else 'OFF'}")
        connection.info[_READS] = reads
    # IMMEDIATE: the lock is taken, and waited for, at the beginning. A transaction that reads first and wants to write
    # afterwards is refused by SQLite without waiting, if somebody wrote meanwhile.
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
