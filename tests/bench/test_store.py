"""The benchmark of the store runs, and both sides write the same rows; the times are not tested."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from bench.store.__main__ import main
from bench.store.turn import open_plain, plain_transactions, record_turn, steps, write_plain
from holdfast.adapters.store.store import open_store

TABLES = (
    "projects",
    "sessions",
    "chats",
    "messages",
    "message_parts",
    "turns",
    "events",
    "changes",
)


def _counts(file: Path) -> dict[str, int]:
    connection = sqlite3.connect(file)
    counts = {}
    for table in TABLES:
        query = f"SELECT count(*) FROM {table}"  # noqa: S608 - the names are above
        counts[table] = connection.execute(query).fetchone()[0]
    connection.close()
    return counts


def test_both_sides_write_the_same_rows(tmp_path: Path) -> None:
    ours, plain = tmp_path / "ours.sqlite3", tmp_path / "plain.sqlite3"
    with open_store(str(ours)) as store:
        record_turn(store, tmp_path, tmp_path / "state", steps(10))
    with open_store(str(plain)):
        pass
    connection = open_plain(plain)
    write_plain(connection, plain_transactions(tmp_path, steps(10)))
    connection.close()
    assert _counts(ours) == _counts(plain)
    assert _counts(ours)["events"] == 41


@pytest.mark.slow
def test_the_ratio_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rounds", "1", "--no-limits"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("| 145 | ")


@pytest.mark.slow
def test_what_several_writers_wait_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--writers", "2", "--transactions", "3", "--no-limits"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("| 2 | the store | ")


@pytest.mark.slow
def test_the_size_after_some_turns_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", "set by the bench")
    assert main(["--turns", "2"]) == 0
    cells = capsys.readouterr().out.splitlines()[-1].split("|")
    turns, store, _, events, *_, repository = (float(each.replace(",", "")) for each in cells[1:-1])
    assert turns == 2
    assert min(store, events, repository) > 0
