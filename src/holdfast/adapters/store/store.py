"""A store that is open: its transactions."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from holdfast.adapters.store.database_url import DatabaseUrl, SqliteFile, parse_address
from holdfast.adapters.store.engine import for_reading, make_engine
from holdfast.adapters.store.plain.store_file import BUSY_SECONDS, open_alone, queued
from holdfast.adapters.store.schema import bring_up_to_date
from holdfast.adapters.store.sqlalchemy_errors import explained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection, Engine

    from holdfast.adapters.store.turn_fence import TurnFence

SOON = 10
"""How many seconds `run_soon` waits for the writers that came before."""

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Store:
    """An open store; made by `open_store`.

    Many threads may use it at once, each with a transaction of its own.
    """

    def __init__(self, engine: Engine, address: DatabaseUrl, queue_seconds: float) -> None:
        """Join an engine and the place it works at; a writer waits so long for the others."""
        self._engine = engine
        self.address = address
        self._queue_seconds = queue_seconds
        self.fence: TurnFence | None = None
        """The turn that uses this store; when the turn is stopped, `run` and `write` refuse."""

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Begin a transaction.

        Recorded as a whole at the end of the `with`, or not at all if an error ends it. Raise
        `TurnStopped` if the turn that uses this store is to stop.
        """
        with self.write_unchecked() as connection:
            if self.fence is not None:
                self.fence.check(connection)
            yield connection

    @contextmanager
    def write_unchecked(self) -> Iterator[Connection]:
        """Begin a transaction like `write`, also for a turn that is to stop."""
        with explained(self.address), self._queue(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _queue(self) -> Iterator[None]:
        """Wait for the writers that came before; PostgreSQL has queues of its own."""
        if not isinstance(self.address, SqliteFile):
            yield
            return

        with queued(self.address, self._queue_seconds):
            yield

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Begin a transaction that sees one moment of the store and cannot write."""
        with explained(self.address), self._engine.connect() as connection:
            yield for_reading(connection)

    def run(
        self,
        function: Callable[Concatenate[Connection, Given], Answer],
        *args: Given.args,
        **options: Given.kwargs,
    ) -> Answer:
        """Call the function in one transaction of `write`, and return what it returns."""
        with self.write() as connection:
            return function(connection, *args, **options)

    def run_soon(
        self,
        function: Callable[Concatenate[Connection, Given], Answer],
        *args: Given.args,
        **options: Given.kwargs,
    ) -> Answer:
        """Call the function as `run` does, but raise `StoreUnavailable` after `SOON` seconds.

        For whoever is going to end the process that keeps the file from the others.
        """
        soon = Store(self._engine, self.address, min(SOON, self._queue_seconds))
        soon.fence = self.fence
        return soon.run(function, *args, **options)

    def run_unchecked(
        self,
        function: Callable[Concatenate[Connection, Given], Answer],
        *args: Given.args,
        **options: Given.kwargs,
    ) -> Answer:
        """Call the function as `run` does, also for a turn that is to stop."""
        with self.write_unchecked() as connection:
            return function(connection, *args, **options)

    def settle(
        self,
        function: Callable[Concatenate[Connection, Given], Answer],
        *args: Given.args,
        **options: Given.kwargs,
    ) -> Answer:
        """Call a function that records what is already done, in one transaction.

        A turn that is asked to stop may record that; raise `TurnStopped` only if another process
        has ended the turn.
        """
        with self.write_unchecked() as connection:
            if self.fence is not None:
                self.fence.check_generation(connection)
            return function(connection, *args, **options)

    @contextmanager
    def looking(self, query: str, value: str) -> Iterator[Callable[[], Any]]:
        """Yield a function that returns the row of a query with one `?`, None if there is none.

        For what is asked several times a second: SQLAlchemy takes ten times as long as the driver,
        and the pool as long as the query.
        """
        if self._engine.dialect.paramstyle != "qmark":
            query = query.replace("?", "%s")

        with explained(self.address), closing(self._engine.raw_connection()) as connection:
            cursor = connection.cursor()

            def look() -> Any:
                with explained(self.address):
                    cursor.execute(query, (value,))
                    # All rows: an open cursor keeps SQLite from resetting its WAL.
                    found = cursor.fetchall()
                    connection.rollback()
                return found[0] if found else None

            yield look

    def query(
        self,
        function: Callable[Concatenate[Connection, Given], Answer],
        *args: Given.args,
        **options: Given.kwargs,
    ) -> Answer:
        """Call the function in one transaction of `read`, and return what it returns."""
        with self.read() as connection:
            return function(connection, *args, **options)

    def free_bytes(self) -> int:
        """Return how many bytes of the file are free; PostgreSQL uses and returns them itself."""
        if not isinstance(self.address, SqliteFile):
            return 0
        with self.read() as connection:
            pages = connection.exec_driver_sql("PRAGMA freelist_count").scalar_one()
            size = connection.exec_driver_sql("PRAGMA page_size").scalar_one()
        return int(pages) * int(size)

    def shrink(self) -> None:
        """Write the file anew without its free bytes; others wait that long. Not on PostgreSQL."""
        if not isinstance(self.address, SqliteFile):
            return

        # VACUUM is no part of a transaction, and the engine begins one for every connection.
        opened = partial(sqlite3.connect, self.address.path, BUSY_SECONDS, isolation_level=None)
        with explained(self.address), self._queue(), closing(opened()) as connection:
            connection.execute("VACUUM")
            # Else the whole new file is in the -wal as well.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def open_store(url: str, *, queue_seconds: float = BUSY_SECONDS) -> Iterator[Store]:
    """Open the store that a URL or a path names, made or migrated if need be.

    A writer of a SQLite file waits for the others at most `queue_seconds`. Raise a `StoreError` if
    the store cannot be opened.
    """
    address = parse_address(url)
    engine = make_engine(address)
    try:
        with explained(address):
            if isinstance(address, SqliteFile):
                with open_alone(address):
                    bring_up_to_date(engine, address)
            else:
                bring_up_to_date(engine, address)
        yield Store(engine, address, queue_seconds)
    finally:
        engine.dispose()
