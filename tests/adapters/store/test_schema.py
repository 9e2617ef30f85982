"""The schema: made from nothing, the same as it was released, and never opened by older code."""

from __future__ import annotations

import re
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Table, func, select, text

from holdfast.adapters.store.database_url import SqliteFile, parse_address
from holdfast.adapters.store.engine import make_engine
from holdfast.adapters.store.plain.plain_store import open_plain_store
from holdfast.adapters.store.plain.revisions import NEWEST_SCHEMA, revisions
from holdfast.adapters.store.queries.checkpoints import add_checkpoint, checkpoint_by_id
from holdfast.adapters.store.queries.projects import all_projects, project_at
from holdfast.adapters.store.schema import migrate, revision
from holdfast.adapters.store.store import open_store
from holdfast.adapters.store.store_errors import NotAStore, StoreNewer
from holdfast.adapters.store.tables import metadata
from tests.adapters.store.newest_schema import newest_schema
from tests.adapters.store.schema_dump import dump, dump_of, golden_file
from tests.places import place_of

pytestmark = pytest.mark.integration


def _execute(connection: Connection, statement: str) -> None:
    connection.execute(text(statement))


def test_each_schema_is_what_its_golden_file_says(empty_url: str) -> None:
    dialect = "postgresql" if "://" in empty_url else "sqlite"
    if dialect == "sqlite":
        Path(empty_url).parent.mkdir()
    # One after the other in the same database, each from the one before.
    made = {number: dump_of(empty_url, number) for number in revisions()}
    expected = {
        number: golden_file(number, dialect).read_text(encoding="utf-8") for number in revisions()
    }
    assert made == expected, (
        "a released schema never changes: write a migration; "
        "for a schema that is not released yet, run `python -m tests.adapters.store.schema_dump`"
    )


def test_opening_an_empty_place_makes_the_newest_schema(empty_url: str) -> None:
    with open_store(empty_url) as store:
        assert store.query(revision) == revisions()[-1]
        dialect = store.query(lambda connection: connection.dialect.name)
        golden = golden_file(revisions()[-1], dialect).read_text(encoding="utf-8")
        assert unordered(store.query(dump)) == unordered(golden)
        rows = [store.query(_count, table) for table in metadata.sorted_tables]
        assert rows == [0] * len(rows)


def unordered(schema: str) -> list[list[str]]:
    """Return the words of each statement, sorted: a column that was added later is written elsewhere."""
    statements = schema.replace('"', "").split(";")
    return [sorted(re.findall(r"[^\s,()]+", each)) for each in statements]


def _count(connection: Connection, table: Table) -> int:
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


def test_the_schema_that_is_made_without_sqlalchemy_is_the_newest(tmp_path: Path) -> None:
    written = NEWEST_SCHEMA.read_text("utf-8").split(";\n\n")
    assert sorted(written) == sorted(newest_schema().split(";\n\n")), (
        "run `python -m tests.adapters.store.newest_schema`"
    )
    address = SqliteFile(tmp_path / "store.sqlite3")
    plain = open_plain_store(address)
    assert plain is not None
    plain.close()
    with open_store(str(address.path)) as store:
        golden = golden_file(revisions()[-1], "sqlite").read_text(encoding="utf-8")
        assert unordered(store.query(dump)) == unordered(golden)
        assert store.query(revision) == revisions()[-1]


def test_a_database_that_is_older_or_another_programs_is_left_to_sqlalchemy(tmp_path: Path) -> None:
    for name, statement in (
        ("old", "CREATE TABLE alembic_version (version_num); "),
        ("strange", "CREATE TABLE projects (id)"),
    ):
        file = tmp_path / name
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(statement)
            connection.commit()
        assert open_plain_store(SqliteFile(file)) is None
    with pytest.raises(NotAStore, match="there is a table projects"), open_store(str(file)):
        pass


def test_a_new_store_is_made_without_alembic(tmp_path: Path) -> None:
    file = str(tmp_path / "store.sqlite3")
    code = f"""
import sys
from holdfast.adapters.store.store import open_store
with open_store({file!r}):
    print("alembic" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout == "False\n"


def test_the_tables_in_the_code_are_those_the_migrations_make(empty_url: str) -> None:
    if "://" not in empty_url:
        Path(empty_url).parent.mkdir()
    engine = make_engine(parse_address(empty_url))
    with engine.begin() as connection:
        migrate(connection)
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        differences: Any = compare_metadata(context, metadata)
    engine.dispose()
    assert differences == []


def test_opening_again_changes_nothing(url: str, tmp_path: Path) -> None:
    with open_store(url) as store:
        project = store.run(project_at, place_of(tmp_path))
    with open_store(url) as store:
        assert store.query(all_projects) == (project,)


def test_a_store_of_the_first_schema_keeps_its_checkpoints(empty_url: str) -> None:
    if "://" not in empty_url:
        Path(empty_url).parent.mkdir()
    engine = make_engine(parse_address(empty_url))
    with engine.begin() as connection:
        migrate(connection, "0001")
        for statement in (
            "INSERT INTO projects VALUES ('p', '/work', '2026-01-01')",
            "INSERT INTO sessions VALUES ('s', 'p', '', 'open', '{}', '2026-01-01')",
            "INSERT INTO chats VALUES ('c', 's', '', '2026-01-01')",
            "INSERT INTO checkpoints VALUES ('k', 'c', 's', NULL, NULL, 3, 'a', 'l', 'turn', 7, '2026-01-01')",
        ):
            connection.exec_driver_sql(statement)
    engine.dispose()
    with open_store(empty_url) as store:
        kept = store.query(checkpoint_by_id, "k")
        added = store.run(
            add_checkpoint, checkpoint_id="n", commit_sha="b", kind="turn", chat_id="c"
        )
    assert kept is not None
    assert (kept.chat_id, kept.session_id, kept.message_seq, kept.label, kept.seq) == (
        "c",
        "s",
        3,
        "l",
        7,
    )
    assert added.seq == 8


def test_a_store_that_is_up_to_date_is_opened_without_what_it_does_not_need(tmp_path: Path) -> None:
    file = str(tmp_path / "store.sqlite3")
    with open_store(file):
        pass
    code = f"""
import sys
from holdfast.adapters.store.store import open_store
with open_store({file!r}):
    heavy = ("alembic", "greenlet", "psycopg", "sqlalchemy.dialects.postgresql", "sqlalchemy.orm")
    print([name for name in heavy if name in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("[]\n", "")


def test_a_store_of_a_newer_holdfast_is_refused_and_left_alone(empty_url: str) -> None:
    with open_store(empty_url) as store:
        store.run(_execute, "UPDATE alembic_version SET version_num = '9999'")
        shown = str(store.address)
    with pytest.raises(StoreNewer) as refused, open_store(empty_url):
        pass
    assert str(refused.value) == (
        f"{shown}: a newer Holdfast has written this store (schema 9999, this one knows up to {revisions()[-1]}); "
        "upgrade Holdfast, or name another store with HOLDFAST_DATABASE_URL."
    )


def test_a_database_with_tables_of_another_program_is_refused(empty_url: str) -> None:
    with open_store(empty_url) as store:
        store.run(_execute, "DROP TABLE alembic_version")
    with (
        pytest.raises(NotAStore, match=r"there is a table \w+ in it that is not Holdfast's"),
        open_store(empty_url),
    ):
        pass


def test_a_database_that_another_program_migrates_is_refused(empty_url: str) -> None:
    with open_store(empty_url) as store:
        store.run(_execute, "UPDATE alembic_version SET version_num = 'ae1027a6acf'")
    with (
        pytest.raises(NotAStore, match="another program keeps its tables here"),
        open_store(empty_url),
    ):
        pass


def test_a_file_that_is_no_database_is_refused_and_keeps_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(b"these are notes, not a database\n" * 200)
    with pytest.raises(NotAStore) as refused, open_store(str(file)):
        pass
    assert str(refused.value) == (
        f"{file}: this is not a SQLite file; move it away, or name another with HOLDFAST_DATABASE_URL."
    )
    assert file.read_bytes() == b"these are notes, not a database\n" * 200


def test_a_sqlite_store_is_closed_to_other_users(tmp_path: Path) -> None:
    file = tmp_path / "state" / "holdfast.sqlite3"
    with open_store(str(file)) as store:
        store.run(project_at, place_of(tmp_path))
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in file.parent.iterdir()}
    assert modes == {
        "holdfast.sqlite3": 0o600,
        "holdfast.sqlite3-shm": 0o600,
        "holdfast.sqlite3-wal": 0o600,
        "holdfast.sqlite3.lock": 0o600,
        "holdfast.sqlite3.queue": 0o600,
    }


def test_a_sqlite_store_is_in_wal_mode_checks_foreign_keys_and_syncs_each_commit(
    tmp_path: Path,
) -> None:
    def pragmas(connection: Connection) -> dict[str, Any]:
        names = ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
        return {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names}

    with open_store(str(tmp_path / "store.sqlite3")) as store:
        wanted = {
            "journal_mode": "wal",
            "foreign_keys": 1,
            "synchronous": 2,
            "busy_timeout": 60_000,
        }
        assert store.run(pragmas) == wanted
        assert store.query(pragmas) == wanted
