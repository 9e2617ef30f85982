"""SQLite in the thread that waits for it: for commands, which do nothing else meanwhile.

aiosqlite gives each connection a thread, and every statement goes there and back three times, so that a loop with
other tasks is not held up. A command has no other tasks, and the hops cost it more than the statements: a step of a
turn took twice the time. What SQLAlchemy asks of such a connection is here, and nothing more.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class SameThreadConnection:
    """A connection whose coroutines never wait for another thread. It holds up whoever else is in the loop."""

    def __init__(self, path: Path, timeout: float) -> None:
        """Open the file; a writer waits so many seconds for another."""
        # isolation_level None: see `make_engine`.
        self._connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)

    def cursor(self) -> SameThreadCursor:
        """Give a cursor."""
        return SameThreadCursor(self._connection.cursor())

    async def commit(self) -> None:
        """Make what was done last."""
        self._connection.commit()

    async def rollback(self) -> None:
        """Take back what was done."""
        self._connection.rollback()

    async def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def stop(self) -> None:
        """Close the file: what the pool calls where it cannot await."""
        self._connection.close()

    async def create_function(self, *args: Any, **options: Any) -> None:
        """Teach SQLite a function; SQLAlchemy has one or two."""
        self._connection.create_function(*args, **options)


class SameThreadCursor:
    """A cursor of such a connection."""

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        """Take the plain cursor."""
        self._cursor = cursor

    async def __aenter__(self) -> Self:
        return self

    @property
    def description(self) -> Any:
        """The columns of the last query, if it was one."""
        return self._cursor.description

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        return self._cursor.rowcount

    @property
    def lastrowid(self) -> int | None:
        """The number of the last row that was added."""
        return self._cursor.lastrowid

    async def execute(self, operation: str, parameters: Sequence[Any] = ()) -> Self:
        """Run a statement."""
        self._cursor.execute(operation, parameters)
        return self

    async def executemany(self, operation: str, parameters: Sequence[Sequence[Any]]) -> Self:
        """Run a statement once for each row."""
        self._cursor.executemany(operation, parameters)
        return self

    async def fetchall(self) -> list[Any]:
        """Give all rows."""
        return self._cursor.fetchall()

    async def close(self) -> None:
        """Be done."""
        self._cursor.close()
