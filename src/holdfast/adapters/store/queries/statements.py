"""From rows to records and back; and the numbers that order them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from sqlalchemy import Column, Select, Table, TextClause, bindparam, func, insert, select, text

from holdfast.adapters.store.column_types import Json
from holdfast.adapters.store.plain.column_values import dump_json
from holdfast.adapters.store.store_errors import Gone
from holdfast.adapters.store.turn_fence import RUNNING
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from sqlalchemy import Connection, ScalarSelect
    from sqlalchemy.engine.interfaces import Dialect
    from sqlalchemy.sql.base import Executable

    from holdfast.adapters.store.turn_fence import TurnFence

EVENTS_CHANNEL = "holdfast_events"
"""The channel on which PostgreSQL says, at a commit, that the log of a project has new events."""
Record = TypeVar("Record")
Process: TypeAlias = Callable[[Any], Any]


def records(
    connection: Connection,
    kind: type[Record],
    query: Executable,
    values: Mapping[str, Any] | None = None,
) -> tuple[Record, ...]:
    """Return the rows as records."""
    return tuple(kind(**row) for row in connection.execute(query, values).mappings())


def record(
    connection: Connection,
    kind: type[Record],
    query: Executable,
    values: Mapping[str, Any] | None = None,
) -> Record | None:
    """Return the one row as a record; None if there is none."""
    row = connection.execute(query, values).mappings().one_or_none()
    if row is None:
        return None
    return kind(**row)


def add(connection: Connection, kind: type[Record], table: Table, /, **values: Any) -> Record:
    """Insert a row, and return it as the database has it."""
    row = connection.execute(insert(table).values(values).returning(table)).mappings().one()
    return kind(**row)


def add_unless_there(connection: Connection, table: Table, /, **values: Any) -> None:
    """Insert a row, or do nothing if the like of it is there.

    Wait for a process that is inserting it just now.
    """
    # Not above: whoever uses one database need not wait for the import of the other.
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - the one in use

        connection.execute(postgresql.insert(table).values(values).on_conflict_do_nothing())
    else:
        from sqlalchemy.dialects import sqlite  # noqa: PLC0415 - the one in use

        connection.execute(sqlite.insert(table).values(values).on_conflict_do_nothing())


# -------------------------------------------------------------------- numbers below a locked parent
#
# A transaction that locks several parents does so in the order project, chat, message: else two
# wait for each other. So what publishes an event locks the project first.


def lock_parent(connection: Connection, parent: Column[Any], parent_id: str) -> None:
    """Let nobody else number rows below a parent until the transaction ends.

    Raise `Gone` if it is not there. `parent` is the column with the foreign key. On SQLite the
    transaction has the only lock there is.
    """
    if connection.execute(_locking(parent), {"parent_id": parent_id}).first() is None:
        raise _gone(parent, parent_id)


def next_seq(seq: Column[int], parent: Column[Any], parent_id: Any) -> ScalarSelect[int]:
    """Return the expression for the next number below a parent that is locked.

    It is not a part of the query that locks: what that sees is from before it waited.
    """
    return (
        select(func.coalesce(func.max(seq), 0) + 1)
        .where(parent == parent_id)
        .correlate(None)
        .scalar_subquery()
    )


@cache
def _locking(parent: Column[Any]) -> Select[Any]:
    (key,) = parent.foreign_keys
    # NO KEY: what only refers to the parent may be added meanwhile.
    query = select(key.column).where(key.column == bindparam("parent_id"))
    return query.with_for_update(key_share=True)


def _gone(parent: Column[Any], parent_id: str) -> Gone:
    (key,) = parent.foreign_keys
    return Gone(key.column.table.name.removesuffix("s"), parent_id)


# --------------------------------------------------------------------- rows of an append-only table


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Rows to append below one parent, in this order; `parent` is the column with the foreign key.

    For tables whose rows are numbered by `seq` below the parent, and leave only together with it.
    `exclusive` locks the parent until the transaction ends.
    """

    parent: Column[Any]
    parent_id: str
    rows: Sequence[Mapping[str, Any]]
    exclusive: bool = False


def append(connection: Connection, *batches: RowBatch, fence: TurnFence | None = None) -> list[int]:
    """Insert the rows after the last ones below their parents, without a gap.

    Raise `Gone` if a parent is not there, `TurnStopped` if `fence` refuses. Return the number of
    the last row of each batch; a batch has at least one row. A number is visible only when all
    before it are: of two transactions that want the same number, the second waits at the unique
    index until the first has ended, and then tries the next one. The parents are locked in the
    order of the batches.
    """
    if connection.dialect.name == "sqlite":
        if fence is not None:
            fence.check_in_sqlite(connection.connection.cursor())
        return [_append_in_sqlite(connection, batch) for batch in batches]

    lasts: dict[int, int] = {}
    waiting = dict(enumerate(batches))
    while waiting:
        numbers = _append_in_postgres(connection, list(waiting.values()), fence)
        for place, first in zip(list(waiting), numbers, strict=True):
            if first is None:
                continue
            batch = waiting.pop(place)
            lasts[place] = first + len(batch.rows) - 1

    return [lasts[place] for place in range(len(batches))]


def _append_in_sqlite(connection: Connection, batch: RowBatch) -> int:
    names = tuple(batch.rows[0])
    statement, processors = _appending(connection.dialect, batch.parent, names)
    rows = [
        (batch.parent_id, *(process(row[name]) for name, process in processors), batch.parent_id)
        for row in batch.rows
    ]
    # Not `connection.execute`: every step of a turn comes here, and that takes many times as long
    # as the driver.
    cursor = connection.connection.cursor()
    cursor.executemany(statement, rows)
    if cursor.rowcount < len(rows):
        raise _gone(batch.parent, batch.parent_id)

    cursor.execute(_last_number(batch.parent), (batch.parent_id,))
    last = cursor.fetchone()
    assert last is not None  # noqa: S101 - an aggregate has one row
    return int(last[0])


def _append_in_postgres(
    connection: Connection, batches: list[RowBatch], fence: TurnFence | None
) -> list[int | None]:
    """Insert the rows in one round trip.

    Return the first number of each batch, None where another has got it.
    """
    values: dict[str, Any] = {}
    if fence is not None:
        values = {"turn": fence.turn, "generation": fence.generation}

    for place, batch in enumerate(batches):
        values[f"parent_{place}"] = batch.parent_id
        for name in batch.rows[0]:
            column = batch.parent.table.c[name]
            values[f"{name}_{place}"] = [_plain(column, row[name]) for row in batch.rows]

    shape = tuple((batch.parent, tuple(batch.rows[0]), batch.exclusive) for batch in batches)
    statement = _appending_all(shape, fenced=fence is not None)
    # The row ends with the answer of `pg_notify`, if there are events.
    firsts = list(connection.execute(statement, values).one())[: len(batches)]
    if None in firsts and fence is not None:
        fence.check(connection)

    for batch, first in zip(batches, firsts, strict=True):
        if first is None:
            _must_be_there(connection, batch)

    return firsts


def _must_be_there(connection: Connection, batch: RowBatch) -> None:
    (key,) = batch.parent.foreign_keys
    query = select(key.column).where(key.column == batch.parent_id)
    if connection.execute(query).first() is None:
        raise _gone(batch.parent, batch.parent_id)


@cache
def _last_number(parent: Column[Any]) -> str:
    return f"SELECT max(seq) FROM {parent.table.name} WHERE {parent.name} = ?"  # noqa: S608 - our own names


@cache
def _appending(
    dialect: Dialect, parent: Column[Any], names: tuple[str, ...]
) -> tuple[str, list[tuple[str, Process]]]:
    """Return the statement that inserts one row in SQLite, and how each value is written."""
    (key,) = parent.foreign_keys
    table = parent.table
    columns = ", ".join((parent.name, "seq", *names))
    values = ", ".join("?" for _ in names)
    last = f"SELECT coalesce(max(seq), 0) FROM {table.name} WHERE {parent.name} = ?"  # noqa: S608 - our own names
    row = f"SELECT id, ({last}) + 1, {values} FROM {key.column.table.name} WHERE id = ?"  # noqa: S608 - our own names
    processors = [(name, _processor(dialect, table.c[name])) for name in names]
    return f"INSERT INTO {table.name} ({columns}) {row}", processors


def _processor(dialect: Dialect, column: Column[Any]) -> Process:
    return column.type.dialect_impl(dialect).bind_processor(dialect) or (lambda value: value)


# A turn that another transaction is asking to stop just now is waited for, and found asked.
_FENCED_TURN = f"""
    fenced_turn AS (
        SELECT id FROM turns
        WHERE id = :turn AND generation = :generation
        AND status = '{RUNNING}' AND stop_asked_at IS NULL FOR NO KEY UPDATE
    )
"""  # noqa: S608 - our own names


@cache
def _appending_all(
    shape: tuple[tuple[Column[Any], tuple[str, ...], bool], ...], *, fenced: bool
) -> TextClause:
    """Return the statement that inserts all rows of several batches for PostgreSQL.

    If it is fenced, it inserts nothing for a turn that is to stop, and locks the turn first.
    """
    tables = ", ".join(
        _appending_below(place, parent, names, exclusive=exclusive, fenced=fenced)
        for place, (parent, names, exclusive) in enumerate(shape)
    )
    if fenced:
        tables = f"{_FENCED_TURN}, {tables}"

    firsts = ", ".join(f"(SELECT seq FROM first_{place})" for place in range(len(shape)))  # noqa: S608 - our own names
    for place, (parent, _, _) in enumerate(shape):
        if parent.table.name == "events":
            firsts += f", pg_notify('{EVENTS_CHANNEL}', :parent_{place})"

    return text(f"WITH {tables} SELECT {firsts}")


def _appending_below(
    place: int, parent: Column[Any], names: tuple[str, ...], *, exclusive: bool, fenced: bool
) -> str:
    """Return the subqueries for one batch.

    The first row decides: it gets no number that another transaction has got, and the others come
    after it or not at all.
    """
    (key,) = parent.foreign_keys
    table, above = parent.table, key.column.table.name
    arrays = ", ".join(f"CAST(:{name}_{place} AS text[])" for name in names)
    columns = ", ".join((parent.name, "seq", *names))
    values = ", ".join(f"CAST(new_{place}.{name} AS {_type(table.c[name])})" for name in names)
    last = f"SELECT coalesce(max(seq), 0) FROM {table.name} WHERE {parent.name} = parent_{place}.id"  # noqa: S608 - names of columns
    # KEY SHARE: a parent that another transaction is removing just now is waited for, and found
    # gone.
    lock = "NO KEY UPDATE" if exclusive else "KEY SHARE"
    # The parent before is locked first. Else two transactions that lock the same parents could wait
    # for each other.
    before = ""
    if place:
        before = f", parent_{place - 1}"
    elif fenced:
        before = ", fenced_turn"

    return f"""
        parent_{place} AS (
            SELECT {above}.id FROM {above}{before}
            WHERE {above}.id = :parent_{place} FOR {lock} OF {above}
        ),
        new_{place} AS (
            SELECT * FROM unnest({arrays}) WITH ORDINALITY AS new ({", ".join(names)}, n)
        ),
        first_{place} AS (
            INSERT INTO {table.name} ({columns})
            SELECT parent_{place}.id, ({last}) + 1, {values}
            FROM parent_{place}, new_{place} WHERE n = 1
            ON CONFLICT ({parent.name}, seq) DO NOTHING RETURNING {parent.name}, seq
        ),
        rest_{place} AS (
            INSERT INTO {table.name} ({columns})
            SELECT first_{place}.{parent.name}, first_{place}.seq + n - 1, {values}
            FROM first_{place}, new_{place} WHERE n > 1
        )
    """  # noqa: S608 - names of our own tables


def _type(column: Column[Any]) -> str:
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - whoever uses SQLite does without

    return str(column.type.compile(postgresql.dialect()))  # type: ignore[no-untyped-call]


def _plain(column: Column[Any], value: Any) -> str | None:
    """Return a value of a row as the text that PostgreSQL reads, None for NULL."""
    if isinstance(column.type, Json):
        return dump_json(value)
    if value is None:
        return None
    return str(value)
