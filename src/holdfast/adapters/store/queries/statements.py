"""From rows to records and back; and the numbers that order them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import ColumnElement, Select, Table, bindparam, func, insert, select, text

from holdfast.adapters.store.errors import Gone

if TYPE_CHECKING:
    from sqlalchemy import Column
    from sqlalchemy.ext.asyncio import AsyncConnection
    from sqlalchemy.sql.base import Executable

Record = TypeVar("Record")

# Any number will do, as long as all processes take the same one.
_TABLE_LOCK = 0x686F_7365


async def records(
    connection: AsyncConnection, kind: type[Record], query: Executable
) -> tuple[Record, ...]:
    """Give the rows as records."""
    return tuple(kind(**row) for row in (await connection.execute(query)).mappings())


async def record(
    connection: AsyncConnection, kind: type[Record], query: Executable
) -> Record | None:
    """Give the one row as a record; None if there is none."""
    row = (await connection.execute(query)).mappings().one_or_none()
    return None if row is None else kind(**row)


async def add(
    connection: AsyncConnection, kind: type[Record], table: Table, /, **values: Any
) -> Record:
    """Insert a row, and give it as the database has it."""
    row = (await connection.execute(insert(table).values(values).returning(table))).mappings().one()
    return kind(**row)


async def add_unless_there(connection: AsyncConnection, table: Table, /, **values: Any) -> None:
    """Insert a row, or do nothing if the like of it is there; a process that is inserting it just now is waited for."""
    # Not above: whoever uses one database need not wait for the import of the other.
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415

        await connection.execute(postgresql.insert(table).values(values).on_conflict_do_nothing())
    else:
        from sqlalchemy.dialects import sqlite  # noqa: PLC0415

        await connection.execute(sqlite.insert(table).values(values).on_conflict_do_nothing())


async def next_seq(
    connection: AsyncConnection, seq: Column[int], parent: Column[Any], parent_id: str
) -> int:
    """Give the number for the next row below a parent; until the transaction ends nobody else gets one there.

    `parent` is the column with the foreign key. Raises `Gone` if the parent is not there. Who needs several numbers in
    one transaction takes them in the order project, chat, message, session, checkpoint: else two wait for each other.
    """
    (key,) = parent.foreign_keys
    if connection.dialect.name == "sqlite":
        # The transaction has the only lock there is, so that one look will do.
        found = (
            await connection.execute(_parent_and_last(seq, parent), {"parent_id": parent_id})
        ).first()
        if found is None:
            raise Gone(key.column.table.name.removesuffix("s"), parent_id)
        return (found[1] or 0) + 1
    # NO KEY: rows below the parent may be added meanwhile. Not in one query with the number: what that sees is from
    # before it waited.
    held = select(key.column).where(key.column == parent_id).with_for_update(key_share=True)
    if (await connection.execute(held)).first() is None:
        raise Gone(key.column.table.name.removesuffix("s"), parent_id)
    return await _after_last(connection, seq, parent == parent_id)


@cache
def _parent_and_last(seq: Column[int], parent: Column[Any]) -> Select[tuple[Any, int | None]]:
    """Give the query for a parent and the last number below it. To put it together takes longer than to run it."""
    (key,) = parent.foreign_keys
    last = select(func.max(seq)).where(parent == bindparam("parent_id")).scalar_subquery()
    return select(key.column, last).where(key.column == bindparam("parent_id"))


async def next_seq_overall(connection: AsyncConnection, seq: Column[int]) -> int:
    """Give the number for the next row of a table; until the transaction ends nobody else gets one."""
    if connection.dialect.name == "postgresql":
        await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _TABLE_LOCK})
    return await _after_last(connection, seq)


async def _after_last(
    connection: AsyncConnection, seq: Column[int], *below: ColumnElement[bool]
) -> int:
    last = (await connection.execute(select(func.max(seq)).where(*below))).scalar()
    return (last or 0) + 1
