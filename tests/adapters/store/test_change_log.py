"""The log of changes keeps its promise: on SQLite, on PostgreSQL, and the one in memory that other tests use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.adapters.store.blocking import BlockingStore, blocking_store
from holdfast.adapters.store.change_log import StoredChanges, open_changes
from holdfast.changes.apply import FileLanded, Plan
from holdfast.changes.batch import Content, Swap
from holdfast.changes.change import Asked, Change
from holdfast.changes.log import ChangeLog, LogUnavailable
from holdfast.vocab.requests import FileRequest, LineEdit, LineEdits, OneOf, Patch, Replace, WriteFile
from tests.changes.memory_log import MemoryLog

ASKED = Asked(
    (
        FileRequest("a.py", "edit", Replace("a\0\udce9", "b", 3, every=True)),
        FileRequest("a.py", "edit", Patch("@@ -1 +1 @@\n", unwrap=True)),
        FileRequest("a.py", "edit", LineEdits((LineEdit(1, 2, "x", "y"), LineEdit(3, 2, "z")), "shown\n")),
        FileRequest("b.py", "create", WriteFile("\u2028\n")),
        FileRequest("c.py", "edit", OneOf((Replace("a", "b"), Replace("c", "d")))),
        FileRequest("d.py", "delete"),
        FileRequest("e.py", "rename", None, "f.py"),
    ),
    overwrite=True,
)
PLAN = Plan(
    (FileLanded("a.py", "rename", "similar", 0.9, "-\0\udce9\n+b\n", "b.py", ("careful",), ("real/a.py", "b.py")),),
    (
        Swap("real/a.py", Content(b"\x00\xff", 0o640), None),
        Swap("b.py", None, Content(b"", None)),
        Swap("c", Content(b"x", 0o644), Content(b"x", 0o755), modes=True),
    ),
    ("new", "new/deep"),
)


def change(name: str, **values: object) -> Change:
    return replace(Change(name, "proposed", "proposal", ASKED, PLAN), **values)  # type: ignore[arg-type]


@pytest.fixture(params=["stored", "memory"])
def log(request: pytest.FixtureRequest, store: BlockingStore, tmp_path: Path) -> ChangeLog:
    return MemoryLog() if request.param == "memory" else StoredChanges(store, tmp_path)


def test_a_change_is_read_as_it_was_written(log: ChangeLog) -> None:
    added = log.add(change("one"))
    assert replace(added, seq=0, created_at="") == change("one")
    assert (added.seq, bool(added.created_at)) == (1, True)
    assert log.get("one") == added
    assert log.get("two") is None
    assert bool(log.add(change("seen", state="applied", origin="observed")).settled_at)


def test_changes_are_listed_newest_first_and_by_question(log: ChangeLog) -> None:
    for name, origin in (("one", "apply"), ("two", "proposal"), ("three", "apply")):
        log.add(change(name, origin=origin))
    log.move("two", "proposed", "rejected")
    assert log.ids() == ("three", "two", "one")
    assert [each.id for each in log.list()] == ["three", "two", "one"]
    assert [each.id for each in log.list(state="proposed")] == ["three", "one"]
    assert [each.id for each in log.list(origin="apply", limit=1)] == ["three"]
    assert [each.id for each in log.list(after=1)] == ["three", "two"]


def test_a_move_is_made_only_from_the_state_that_is_named(log: ChangeLog) -> None:
    log.add(change("one"))
    assert not log.move("one", "applied", "rewound")
    assert log.move("one", "proposed", "applied")
    assert not log.move("one", "proposed", "applied")
    assert not log.move("none", "proposed", "applied")
    moved = log.get("one")
    assert moved
    assert (moved.state, bool(moved.settled_at)) == ("applied", True)


def test_what_is_applied_becomes_the_latest(log: ChangeLog) -> None:
    log.add(change("one"))
    log.add(change("two"))
    log.move("one", "proposed", "applied")
    assert log.ids() == ("one", "two")
    seq = log.list()[0].seq
    log.move("one", "applied", "rewound")
    assert log.list()[0].seq == seq


def test_only_a_proposed_change_is_revised(log: ChangeLog) -> None:
    log.add(change("one"))
    other = Plan((), (Swap("x", None, Content(b"y")),), ())
    assert log.revise("one", other)
    revised = log.get("one")
    assert revised
    assert revised.plan == other
    log.move("one", "proposed", "applied")
    assert not log.revise("one", PLAN)


def test_a_split_rejects_the_whole_and_the_rest_takes_its_place(log: ChangeLog) -> None:
    log.add(change("whole"))
    log.add(change("above"))
    parts = log.split("whole", change("part", origin="split"), change("rest", origin="split"))
    assert parts
    assert [part.id for part in parts] == ["part", "rest"]
    assert [each.id for each in log.list(state="proposed")] == ["part", "above", "rest"]
    assert [each.id for each in log.list(state="rejected")] == ["whole"]
    assert log.split("whole", change("a"), change("b")) is None
    assert len(log.ids()) == 4


@pytest.fixture
def other(store: BlockingStore, url: str) -> Iterator[BlockingStore]:
    with blocking_store(url) as opened:
        yield opened


def test_of_two_processes_one_moves_the_change(store: BlockingStore, other: BlockingStore, tmp_path: Path) -> None:
    mine, theirs = StoredChanges(store, tmp_path), StoredChanges(other, tmp_path)
    mine.add(change("one"))
    assert [log.move("one", "proposed", "applied") for log in (mine, theirs)] == [True, False]


def test_each_root_has_changes_of_its_own(store: BlockingStore, tmp_path: Path) -> None:
    here, there = StoredChanges(store, tmp_path / "here"), StoredChanges(store, tmp_path / "there")
    here.add(change("one"))
    assert (there.ids(), there.list(), there.get("one")) == ((), (), None)
    assert not there.move("one", "proposed", "applied")
    assert there.split("one", change("a"), change("b")) is None
    assert there.add(change("two")).seq == 1


def test_a_store_that_cannot_be_opened_is_said_in_the_words_of_the_port(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database\n" * 100)
    with (
        pytest.raises(LogUnavailable, match="this is not a SQLite file"),
        open_changes(str(tmp_path / "file"), tmp_path),
    ):
        pass
    with pytest.raises(LogUnavailable, match="PostgreSQL or SQLite only"), open_changes("mysql://x/y", tmp_path):
        pass
