"""The schema of a store, and how it gets to the newest one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError

from holdfast.adapters.store.engine import for_reading
from holdfast.adapters.store.plain.revisions import (
    READ_VERSION,
    SCRIPTS,
    VERSION_TABLE,
    revisions,
)
from holdfast.adapters.store.store_errors import NotAStore, StoreNewer
from holdfast.adapters.store.tables import metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from holdfast.adapters.store.database_url import DatabaseUrl

# As Alembic creates it.
_CREATE_VERSION = (
    f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL, "
    f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
)
# Any number will do, as long as all processes take the same one.
_MIGRATION_LOCK = 0x686F_6C64


def bring_up_to_date(engine: Engine, address: DatabaseUrl) -> None:
    """Migrate the store to the newest schema, all or nothing; raises `StoreNewer` or `NotAStore`.

    An empty database gets the newest schema at once, which needs no Alembic.

    Two processes may do this at once: the second waits, and finds it done.
    """
    # The common case: no lock, and no Alembic to import.
    if _is_up_to_date(engine):
        return

    with engine.begin() as connection:
        # On SQLite the transaction itself is the lock: it began with BEGIN IMMEDIATE.
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
        _judge(connection, address)
        if revision(connection) is None:
            _create_newest(connection)
        else:
            migrate(connection)


def _is_up_to_date(engine: Engine) -> bool:
    """Return whether the store has the newest schema, by one query."""
    with engine.connect() as connection:
        for_reading(connection)
        try:
            found = connection.exec_driver_sql(READ_VERSION).scalar()
        except DBAPIError:
            # There is no such table yet; any other error comes again where it is explained.
            return False

    return found == revisions()[-1]


def revision(connection: Connection) -> str | None:
    """Return which schema the store has; None if it has none yet."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.exec_driver_sql(READ_VERSION).scalar()


def _create_newest(connection: Connection) -> None:
    """Create the tables as the scripts would leave them, and record that."""
    metadata.create_all(connection, checkfirst=False)
    connection.exec_driver_sql(_CREATE_VERSION)
    statement = text(f"INSERT INTO {VERSION_TABLE} VALUES (:newest)")  # noqa: S608 - a constant
    connection.execute(statement, {"newest": revisions()[-1]})


def migrate(connection: Connection, to: str = "head") -> None:
    """Run the scripts up to a revision, inside the transaction of the connection."""
    # Not above: an up-to-date store needs no Alembic, and it takes long to import.
    from alembic import command  # noqa: PLC0415 - only for a migration
    from alembic.config import Config  # noqa: PLC0415 - only for a migration

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    command.upgrade(config, to)


def _judge(connection: Connection, address: DatabaseUrl) -> None:
    """Refuse a store that is newer than this code, and a database that is somebody else's."""
    found = revision(connection)
    newest = revisions()[-1]
    if found is None:
        strange = sorted(set(inspect(connection).get_table_names()) & set(metadata.tables))
        if strange:
            raise NotAStore(
                f"{address}: there is a table {strange[0]} in it that is not Holdfast's; "
                "give Holdfast a database of its own."
            )
        return
    if found in revisions():
        return
    if not found.isdecimal():
        raise NotAStore(
            f"{address}: another program keeps its tables here; give Holdfast a database of its "
            "own."
        )

    raise StoreNewer(
        f"{address}: a newer Holdfast has written this store (schema {found}, this one knows up "
        f"to {newest}); "
        "upgrade Holdfast, or name another store with HOLDFAST_DATABASE_URL."
    )
