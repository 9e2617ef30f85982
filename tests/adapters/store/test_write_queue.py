"""The queue of the writers of a SQLite file."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.adapters.store.plain.write_queue import QueueStuck, wait_in_line
from holdfast.adapters.store.queries.projects import all_projects, project_at
from holdfast.adapters.store.store import open_store
from holdfast.adapters.store.store_errors import StoreUnavailable
from tests.places import place_of
from tests.waiting import wait_until


@contextmanager
def another_writer(file: Path) -> Iterator[None]:
    """Be somebody else who writes and does not end."""
    lock = os.open(file.with_name(f"{file.name}.queue"), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(lock)


def is_free(file: Path) -> bool:
    try:
        with wait_in_line(file, 0):
            return True
    except QueueStuck:
        return False


def test_who_waits_for_too_long_records_nothing_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite3"
    with open_store(str(file), queue_seconds=0.05) as store:
        with another_writer(file), pytest.raises(StoreUnavailable) as refused:
            store.run(project_at, place_of(tmp_path))
        assert str(refused.value) == (
            f"{file}: another process has held it for too long, nothing was recorded; end that "
            "one, or wait."
        )
        assert store.query(all_projects) == ()


def test_who_has_given_up_waiting_does_not_keep_others_out_later(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite3"
    with another_writer(file):
        for _ in range(3):
            with pytest.raises(QueueStuck), wait_in_line(file, 0.01):
                pass
    assert wait_until(lambda: is_free(file))


def test_who_reads_does_not_wait_in_line(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite3"
    with open_store(str(file), queue_seconds=0) as store, another_writer(file):
        assert store.query(all_projects) == ()
