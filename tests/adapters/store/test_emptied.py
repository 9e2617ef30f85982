"""A SQLite file that was emptied is not taken for a new store."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.adapters.store.store import open_store
from holdfast.adapters.store.store_errors import NotAStore


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "state" / "holdfast.sqlite3"
    with open_store(str(made)):
        pass
    return made


def test_a_store_that_was_emptied_is_refused_with_the_cure_and_stays_as_it_is(file: Path) -> None:
    file.write_bytes(b"")
    for _ in range(2):
        with pytest.raises(NotAStore) as raised, open_store(str(file)):
            pass
        assert str(raised.value) == (
            f"{file}: the store is empty, and it was not; something else has emptied the file. "
            "Bring it back from a backup, or remove the file to begin with a new store."
        )
        assert file.read_bytes() == b""


def test_a_store_that_was_removed_is_made_anew(file: Path) -> None:
    file.unlink()
    with open_store(str(file)):
        pass
    assert file.stat().st_size > 0
    file.write_bytes(b"")
    with (
        pytest.raises(NotAStore, match="something else has emptied the file"),
        open_store(str(file)),
    ):
        pass


def test_an_empty_file_that_never_was_a_store_becomes_one(tmp_path: Path) -> None:
    file = tmp_path / "holdfast.sqlite3"
    file.write_bytes(b"")
    with open_store(str(file)):
        pass
    assert file.stat().st_size > 0


def test_a_process_that_died_while_it_made_the_store_is_in_nobodys_way(file: Path) -> None:
    """It had made the file, and no table."""
    file.unlink()
    file.write_bytes(b"")
    file.with_name(f"{file.name}.lock").write_bytes(b"")
    with open_store(str(file)):
        pass
