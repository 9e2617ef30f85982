"""The numbers of schemas: those that this code knows, and where a store has its own."""

from __future__ import annotations

from pathlib import Path

SCRIPTS = Path(__file__).parents[1] / "migrations"
"""Where the migrations are."""
NEWEST_SCHEMA = Path(__file__).with_name("newest_schema.sql")
"""The statements that make the newest schema in an empty SQLite file."""
VERSION_TABLE = "alembic_version"
READ_VERSION = f"SELECT version_num FROM {VERSION_TABLE}"  # noqa: S608 - a constant


def revisions() -> tuple[str, ...]:
    """Return the numbers of the schemas this code knows, oldest first."""
    scripts = (SCRIPTS / "versions").glob("[0-9][0-9][0-9][0-9]_*.py")
    return tuple(sorted(script.name[:4] for script in scripts))
