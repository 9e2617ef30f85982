"""A schema as text, the same from any version of a database; and the golden files of the released ones.

`python -m tests.adapters.store.schema_dump` writes those of the newest schema. Do that once, for a schema that is new: a
released one never changes, for there are stores that have it.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from sqlalchemy import Connection, Engine, text

from holdfast.adapters.store.database_url import parse_address
from holdfast.adapters.store.engine import make_engine
from holdfast.adapters.store.plain.revisions import revisions
from holdfast.adapters.store.schema import migrate
from tests.adapters.store.postgres import running_postgres

GOLDEN = Path(__file__).parent / "golden"

_SQLITE = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name"
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
_COLUMNS = """
    SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = CAST(:table AS regclass) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
# Not contype 'n': since version 18 NOT NULL has a row there; it stands with its column.
_CONSTRAINTS = """
    SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE conrelid = CAST(:table AS regclass) AND contype <> 'n' ORDER BY contype DESC, conname
"""
_INDEXES = """
    SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
    WHERE i.indrelid = CAST(:table AS regclass) AND NOT EXISTS
        (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u'))
    ORDER BY 1
"""


def golden_file(revision: str, dialect: str) -> Path:
    return GOLDEN / f"{revision}.{dialect}.sql"


def dump(connection: Connection) -> str:
    """Give the DDL of all tables, sorted by name."""
    statements = (
        _from_sqlite(connection)
        if connection.dialect.name == "sqlite"
        else _from_postgres(connection)
    )
    return "\n\n".join(f"{statement};" for statement in statements) + "\n"


def _from_sqlite(connection: Connection) -> list[str]:
    found = connection.execute(text(_SQLITE)).scalars().all()
    return [
        "\n".join(line.strip() for line in statement.splitlines() if line.strip())
        for statement in found
    ]


def _from_postgres(connection: Connection) -> list[str]:
    statements = []
    for table in connection.execute(text(_TABLES)).scalars().all():
        of = {"table": table}
        lines = [
            f"{name} {kind}{' NOT NULL' if required else ''}{f' DEFAULT {default}' if default else ''}"
            for name, kind, required, default in connection.execute(text(_COLUMNS), of)
        ]
        lines += [
            f"CONSTRAINT {name} {rule}" for name, rule in connection.execute(text(_CONSTRAINTS), of)
        ]
        statements.append(f"CREATE TABLE {table} (\n" + ",\n".join(lines) + "\n)")
        statements += [
            re.sub(r"public\.", "", index)
            for index in connection.execute(text(_INDEXES), of).scalars()
        ]
    return statements


def dump_at(engine: Engine, revision: str) -> str:
    """Migrate a store up to a revision, and dump it."""
    with engine.begin() as connection:
        migrate(connection, revision)
        return dump(connection)


def dump_of(url: str, revision: str) -> str:
    engine = make_engine(parse_address(url))
    try:
        return dump_at(engine, revision)
    finally:
        engine.dispose()


def write_golden() -> None:
    revision = revisions()[-1]
    GOLDEN.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as place,
        running_postgres() as server,
        server.database() as database,
    ):
        for dialect, url in (("sqlite", f"{place}/empty.sqlite3"), ("postgresql", database)):
            golden_file(revision, dialect).write_text(dump_of(url, revision), encoding="utf-8")
            print(f"wrote {golden_file(revision, dialect)}")


if __name__ == "__main__":
    write_golden()
