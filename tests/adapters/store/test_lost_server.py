"""A PostgreSQL that goes away while it is used: a clear sentence, nothing recorded, and it works again when it is back."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from holdfast.adapters.store.queries.projects import all_projects, project_at
from holdfast.adapters.store.store import open_store
from holdfast.adapters.store.store_errors import StoreUnavailable
from tests.adapters.store.postgres import Postgres
from tests.places import place_of

pytestmark = pytest.mark.integration


def _lose_the_server(connection: Connection) -> None:
    project_at(connection, place_of(Path("/work/here")))
    connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))


def test_a_server_that_is_lost_in_a_transaction_is_named_and_nothing_is_recorded(
    postgres: Postgres,
) -> None:
    with postgres.database() as url, open_store(url) as store:
        with pytest.raises(StoreUnavailable) as refused:
            store.run(_lose_the_server)
        assert str(refused.value).startswith(f"{store.address}: the database cannot be reached (")
        assert store.query(all_projects) == ()
        assert store.run(project_at, place_of(Path("/work/here"))).root == "/work/here"


def test_a_connection_that_was_lost_between_two_transactions_is_made_anew(
    postgres: Postgres,
) -> None:
    with postgres.database() as url, open_store(url) as store:
        project = store.run(project_at, place_of(Path("/work/here")))
        postgres.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'holdfast'"
        )
        assert store.query(all_projects) == (project,)
