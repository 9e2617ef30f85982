"""The engines of stores: what they share."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, select
from sqlalchemy.engine.interfaces import CacheStats

from holdfast.adapters.store.store import open_store
from holdfast.adapters.store.tables import chats


def test_a_statement_is_compiled_for_the_first_store_of_a_process_only(tmp_path: Path) -> None:
    def look(connection: Connection) -> CacheStats:
        found = connection.execute(select(chats.c.title, chats.c.id).where(chats.c.title == "x"))
        assert found.all() == []
        return found.context.cache_hit

    with open_store(str(tmp_path / "one.sqlite3")) as store:
        assert store.query(look) is CacheStats.CACHE_MISS
    with open_store(str(tmp_path / "other.sqlite3")) as store:
        assert store.query(look) is CacheStats.CACHE_HIT
