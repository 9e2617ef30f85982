"""Write `newest_schema.sql` anew, after a change of the tables: python -m tests.adapters.store.newest_schema."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from holdfast.adapters.store.plain.revisions import NEWEST_SCHEMA
from holdfast.adapters.store.store import open_store


def newest_schema() -> str:
    """Return the statements with which SQLAlchemy makes a new store, in their order."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "store.sqlite3")
        with open_store(str(file)):
            pass
        with closing(sqlite3.connect(file)) as connection:
            rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
            statements = [_tidy(statement) for (statement,) in rows]
    return ";\n\n".join(statements) + ";\n"


def _tidy(statement: str) -> str:
    return "\n".join(line.rstrip() for line in statement.splitlines())


if __name__ == "__main__":
    NEWEST_SCHEMA.write_text(newest_schema())
