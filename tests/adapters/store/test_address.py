"""Where the store is: what a URL may look like, and what is shown of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.store.database_url import (
    PostgresDatabase,
    SqliteFile,
    chosen_url,
    parse_address,
)
from holdfast.adapters.store.store import open_store
from holdfast.adapters.store.store_errors import BadAddress, StoreUnavailable
from tests.adapters.store.postgres import Postgres

NEXT_STEP = (
    "write HOLDFAST_DATABASE_URL as postgresql://USER:PASSWORD@HOST:PORT/DATABASE "
    "(with %40 for @ and %2F for / in the password), or as the path of a SQLite file."
)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_each_way_to_write_postgresql_is_understood(scheme: str) -> None:
    address = parse_address(f"{scheme}://ann:s3cret@db.example:5433/holdfast")
    assert isinstance(address, PostgresDatabase)
    assert str(address) == "postgresql://db.example:5433/holdfast"
    rendered = address.url().render_as_string(hide_password=False)
    assert rendered == "postgresql+psycopg://ann:s3cret@db.example:5433/holdfast"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/var/lib/holdfast.sqlite3", "/var/lib/holdfast.sqlite3"),
        ("notes/holdfast.db", "notes/holdfast.db"),
        ("sqlite:////var/lib/holdfast.sqlite3", "/var/lib/holdfast.sqlite3"),
        ("sqlite:///holdfast.db", "holdfast.db"),
        ("sqlite:////a%20b/c d.db", "/a b/c d.db"),
        ("/odd %name?x=1#y", "/odd %name?x=1#y"),
    ],
)
def test_a_path_is_a_sqlite_file(url: str, path: str) -> None:
    assert parse_address(url) == SqliteFile(Path(path))


def test_a_file_with_an_odd_name_is_opened_under_that_name(tmp_path: Path) -> None:
    file = tmp_path / "odd %20 name?mode=ro#x.db"
    with open_store(str(file)):
        pass
    assert {each.name for each in tmp_path.iterdir()} == {file.name, f"{file.name}.lock"}


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (
            "mysql://ann:s3cret@db/holdfast",
            f"mysql: Holdfast keeps its store in PostgreSQL or SQLite only; {NEXT_STEP}",
        ),
        (
            "postgres://ann:s3cret@db:port/x",
            f"postgres: the database URL cannot be read; {NEXT_STEP}",
        ),
        ("postgres://ann:s3cret@[::/x", f"postgres: the database URL cannot be read; {NEXT_STEP}"),
        (
            "postgres://ann:s3@cret@db/x",
            f"postgres: the database URL has more than one @; {NEXT_STEP}",
        ),
        ("postgres:/ann:s3cret@db/x", f"the database URL cannot be read; {NEXT_STEP}"),
        (
            "postgresql://ann:s3cret@db",
            f"postgresql: the database URL names no database; {NEXT_STEP}",
        ),
        (
            "s3 cret://x",
            f"the database URL: Holdfast keeps its store in PostgreSQL or SQLite only; {NEXT_STEP}",
        ),
        ("sqlite://", f"sqlite: the store must be a file with a name; {NEXT_STEP}"),
        ("sqlite:///:memory:", f"sqlite: the store must be a file with a name; {NEXT_STEP}"),
        ("", f"sqlite: the store must be a file with a name; {NEXT_STEP}"),
        (
            "sqlite:///a.db?mode=ro",
            f"sqlite: only a path can follow sqlite:/// (four slashes for an absolute one); {NEXT_STEP}",
        ),
    ],
)
def test_a_bad_url_is_refused_with_the_next_step(url: str, sentence: str) -> None:
    with pytest.raises(BadAddress) as refused:
        parse_address(url)
    assert str(refused.value) == sentence
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


@given(
    password=st.text("ab@/:?#%&=[]", max_size=12)
    | st.text(st.characters(codec="utf-8"), max_size=12),
    before=st.sampled_from(
        [
            "postgres://ann:",
            "postgresql://:",
            "mysql://ann:",
            "postgres:/ann:",
            "postgres:ann:",
            "ann:",
        ]
    ),
)
def test_no_part_of_a_password_is_ever_shown(password: str, before: str) -> None:
    try:
        shown = repr(parse_address(f"{before}Zq9{password}9qZ@db.example/holdfast"))
    except BadAddress as error:
        shown = str(error)
    assert "Zq9" not in shown
    assert "9qZ" not in shown


def test_a_server_that_does_not_answer_is_named_without_the_password(tmp_path: Path) -> None:
    url = f"postgresql://ann:s3cret@/holdfast?host={tmp_path}&password=other5ecret"
    with pytest.raises(StoreUnavailable) as refused, open_store(url):
        pass
    said = str(refused.value)
    assert said.startswith(f"postgresql://{tmp_path}/holdfast: the database cannot be reached (")
    assert said.endswith("); start it, or correct HOLDFAST_DATABASE_URL.")
    assert "s3cret" not in said
    assert "other5ecret" not in said


def test_a_database_that_is_not_there_is_named_without_the_password(postgres: Postgres) -> None:
    reason = r"the database cannot be reached \(.*does not exist\)"
    with (
        pytest.raises(StoreUnavailable, match=reason) as refused,
        open_store(postgres.url("no_such")),
    ):
        pass
    assert "unused-secret" not in str(refused.value)


def _run_without(module: str, url: str) -> subprocess.CompletedProcess[str]:
    """Open a store in a process that cannot import a module."""
    code = f"""
import sys
sys.modules[{module!r}] = None
from holdfast.adapters.store.store_errors import StoreError
from holdfast.adapters.store.store import open_store
try:
    with open_store({url!r}):
        print("open")
except StoreError as error:
    print(error)
"""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_without_the_driver_a_postgresql_url_names_the_extra_that_brings_it() -> None:
    ran = _run_without("psycopg", "postgresql://ann:s3cret@db.example/holdfast")
    assert ran.stderr == ""
    assert ran.stdout == (
        "postgresql://db.example/holdfast: PostgreSQL needs its driver, which is not installed; "
        "run pip install 'holdfast[postgres]'.\n"
    )


def test_a_sqlite_store_needs_no_driver_of_postgresql(tmp_path: Path) -> None:
    ran = _run_without("psycopg", str(tmp_path / "store.sqlite3"))
    assert (ran.stdout, ran.stderr) == ("open\n", "")


def test_the_store_is_in_the_state_directory_unless_a_url_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HOLDFAST_DATABASE_URL", raising=False)
    assert chosen_url(Path("/state")) == "/state/holdfast.sqlite3"
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", "")
    assert chosen_url(Path("/state")) == "/state/holdfast.sqlite3"
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", "postgres://db/holdfast")
    assert chosen_url(Path("/state")) == "postgres://db/holdfast"
