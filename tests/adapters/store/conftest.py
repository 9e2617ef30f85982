"""Each test of the store runs twice: on a SQLite file and on a real PostgreSQL.

`url` names a store at the newest schema, `empty_url` a place where there is none yet, `store` is the first one, open.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from holdfast.adapters.store.store import Store, open_store
from tests.adapters.store.postgres import CannotStart, Postgres, empty, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with ExitStack() as stack:
        try:
            server = stack.enter_context(running_postgres())
        except CannotStart as error:
            pytest.skip(str(error))
        yield server


# To start a server takes seconds, and each statement more than in this process: `make quick` does without.
DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]


@pytest.fixture(scope="session", params=DATABASES)
def ready(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path | str]:
    """A store at the newest schema: to migrate, or only to make a database, for each test would take most of the time."""
    if request.param == "sqlite":
        file = tmp_path_factory.mktemp("ready") / "ready.sqlite3"
        with open_store(str(file)):
            pass
        yield file
        return
    server: Postgres = request.getfixturevalue("postgres")
    with server.database() as url:
        with open_store(url):
            pass
        yield url


@pytest.fixture
def url(ready: Path | str, tmp_path: Path) -> str:
    if isinstance(ready, Path):
        return str(shutil.copy(ready, tmp_path / "store.sqlite3"))
    empty(ready)
    return ready


@pytest.fixture(params=DATABASES)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "state" / "holdfast.sqlite3")
        return
    server: Postgres = request.getfixturevalue("postgres")
    with server.database() as made:
        yield made


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url) as opened:
        yield opened
