"""The log of changes keeps its promise: on SQLite, with SQLAlchemy and without, on PostgreSQL, and in memory."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from itertools import starmap
from pathlib import Path

import pytest
from sqlalchemy import update

from holdfast.adapters.store.change_log import StoredChanges, changes_at
from holdfast.adapters.store.database_url import SqliteFile
from holdfast.adapters.store.plain.plain_store import open_plain_store
from holdfast.adapters.store.queries.events import events_after
from holdfast.adapters.store.queries.projects import project_at
from holdfast.adapters.store.queries.sessions import remove_session
from holdfast.adapters.store.queries.turns import begin_turn
from holdfast.adapters.store.store import Store, open_store
from holdfast.adapters.store.tables import changes
from holdfast.changes.change import Change, RequestedEdits
from holdfast.changes.change_log import ChangeLog, ChangesUndone, LogUnavailable
from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.swaps import Content, Swap
from holdfast.usecases.events.event_to_json import event_to_json
from holdfast.vocab.change_events import ChangeMoved, ChangesRemoved
from holdfast.vocab.owned_event import OwnedEvent
from holdfast.vocab.place import Place
from holdfast.vocab.requests import (
    FileRequest,
    LineEdit,
    LineEdits,
    OneOf,
    Patch,
    Replace,
    WriteFile,
)
from holdfast.wiring.late_parts.plain_parts import either_changes
from tests.adapters.store.world import new_world
from tests.changes.memory_log import MemoryLog
from tests.places import place_of

ASKED = RequestedEdits(
    (
        FileRequest("a.py", "edit", Replace("a\0\udce9", "b", 3, every=True)),
        FileRequest("a.py", "edit", Patch("@@ -1 +1 @@\n", unwrap=True)),
        FileRequest(
            "a.py", "edit", LineEdits((LineEdit(1, 2, "x", "y"), LineEdit(3, 2, "z")), "shown\n")
        ),
        FileRequest("b.py", "create", WriteFile("\u2028\n")),
        FileRequest("c.py", "edit", OneOf((Replace("a", "b"), Replace("c", "d")))),
        FileRequest("d.py", "delete"),
        FileRequest("e.py", "rename", None, "f.py"),
    ),
    overwrite=True,
)
PLAN = ChangePlan(
    (
        FileLanded(
            "a.py",
            "rename",
            "similar",
            0.9,
            "-\0\udce9\n+b\n",
            "b.py",
            ("careful",),
            ("real/a.py", "b.py"),
        ),
    ),
    (
        Swap("real/a.py", Content(b"\x00\xff", 0o640), None),
        Swap("b.py", None, Content(b"", None)),
        Swap("c", Content(b"x", 0o644), Content(b"x", 0o755), modes=True),
    ),
    ("new", "new/deep"),
)


def change(name: str, **values: object) -> Change:
    return replace(Change(name, "proposed", "proposal", ASKED, PLAN), **values)  # type: ignore[arg-type]


def nothing(_: Sequence[str]) -> Sequence[OwnedEvent]:
    return ()


PARTS = tuple(
    change(name, origin="split", requested=RequestedEdits(part_of="whole"))
    for name in ("part", "rest")
)


OpenLog = Callable[[Place], ChangeLog]


@contextmanager
def opened_log(kind: str, store: Store) -> Iterator[OpenLog]:
    """The changes of a place: those of the whole store, or of the store without SQLAlchemy."""

    def stored(place: Place) -> ChangeLog:
        return StoredChanges(store, place)

    if kind == "stored":
        yield stored
        return
    if not isinstance(store.address, SqliteFile):
        pytest.skip("only a SQLite file is used without SQLAlchemy")
    plain = open_plain_store(store.address)
    assert plain is not None
    with closing(plain):
        yield lambda place: either_changes(plain, place, lambda: False, stored)


@pytest.fixture(params=["stored", "plain"])
def open_log(request: pytest.FixtureRequest, store: Store) -> Iterator[OpenLog]:
    with opened_log(request.param, store) as opened:
        yield opened


@pytest.fixture(params=["stored", "plain", "memory"])
def log(request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> Iterator[ChangeLog]:
    if request.param == "memory":
        yield MemoryLog()
        return
    with opened_log(request.param, store) as opened:
        yield opened(place_of(tmp_path))


def test_a_change_is_read_as_it_was_written(log: ChangeLog) -> None:
    added = log.add(change("one"), nothing).change
    assert replace(added, seq=0, created_at="", worktree="") == change("one")
    assert (added.seq, bool(added.created_at)) == (1, True)
    assert log.get("one") == added
    assert log.get("two") is None
    assert bool(
        log.add(change("seen", state="applied", origin="observed"), nothing).change.settled_at
    )


def test_changes_are_listed_newest_first_and_by_question(log: ChangeLog) -> None:
    for name, origin in (("one", "apply"), ("two", "proposal"), ("three", "apply")):
        log.add(change(name, origin=origin), nothing)
    log.move("two", "proposed", "rejected", [])
    assert log.ids() == ("three", "two", "one")
    assert [each.id for each in log.list()] == ["three", "two", "one"]
    assert [each.id for each in log.list(state="proposed")] == ["three", "one"]
    assert log.marks("proposed") == (("three", 3), ("one", 1))
    assert [each.id for each in log.list(origin="apply", limit=1)] == ["three"]
    assert [each.id for each in log.list(after=1)] == ["three", "two"]


def test_a_move_is_made_only_from_the_state_that_is_named(log: ChangeLog) -> None:
    log.add(change("one"), nothing)
    assert log.move("one", "applied", "rewound", []) is None
    assert log.move("one", "proposed", "applied", []) is not None
    assert log.move("one", "proposed", "applied", []) is None
    assert log.move("none", "proposed", "applied", []) is None
    moved = log.get("one")
    assert moved
    assert (moved.state, bool(moved.settled_at)) == ("applied", True)


def test_several_changes_are_moved_in_order_or_none_of_them(log: ChangeLog) -> None:
    for name in ("one", "two", "three"):
        log.add(change(name), nothing)
    log.move("two", "proposed", "rejected", [])
    assert log.move_together(["one", "two"], "proposed", "applied", []) is None
    assert [each.id for each in log.list(state="applied")] == []
    assert log.move_together(["three", "one"], "proposed", "applied", []) is not None
    assert [each.id for each in log.list(state="applied")] == ["one", "three"]


def test_changes_are_listed_by_the_paths_they_swap(log: ChangeLog) -> None:
    log.add(change("one"), nothing)
    other = replace(PLAN, swaps=(Swap("b.py.bak", None, Content(b"")),))
    log.add(change("two", plan=other), nothing)
    strange = replace(PLAN, swaps=(Swap("odd/%_\udce9", None, Content(b"")),))
    log.add(change("three", plan=strange), nothing)
    assert [each.id for each in log.list(touching=["b.py"])] == ["one"]
    assert [each.id for each in log.list(touching=["b.py.bak", "odd/%_\udce9"])] == ["three", "two"]
    assert log.list(touching=["odd/%_", "real"]) == ()
    assert log.list(touching=[]) == ()
    log.revise("two", PLAN, [])
    assert [each.id for each in log.list(touching=["b.py"])] == ["two", "one"]


def test_what_was_undone_last_can_be_redone_until_something_else_is_applied(log: ChangeLog) -> None:
    def move(name: str, state: str, group: str | None = None) -> list[OwnedEvent]:
        return [OwnedEvent(ChangeMoved(name, state, group=group))]  # type: ignore[arg-type]

    for name in ("one", "two", "three"):
        log.add(change(name), nothing)
        log.move(name, "proposed", "applied", move(name, "applied"))
    assert log.last_undo() is None
    log.move("three", "applied", "rewound", move("three", "rewound"))
    both = [*move("two", "rewound", "g"), *move("one", "rewound", "g")]
    log.move_together(["two", "one"], "applied", "rewound", both)
    assert log.last_undo() == ChangesUndone(("one", "two"))
    both = [*move("one", "applied", "g"), *move("two", "applied", "g")]
    log.move_together(["one", "two"], "rewound", "applied", both)
    assert log.last_undo() == ChangesUndone(("three",))
    log.add(change("four"), lambda _: move("four", "proposed"))
    assert log.last_undo() == ChangesUndone(("three",))
    log.move("four", "proposed", "applied", move("four", "applied"))
    assert log.last_undo() is None


def test_what_is_applied_becomes_the_latest(log: ChangeLog) -> None:
    log.add(change("one"), nothing)
    log.add(change("two"), nothing)
    log.move("one", "proposed", "applied", [])
    assert log.ids() == ("one", "two")
    seq = log.list()[0].seq
    log.move("one", "applied", "rewound", [])
    assert log.list()[0].seq == seq


def test_only_a_proposed_change_is_revised(log: ChangeLog) -> None:
    log.add(change("one"), nothing)
    other = ChangePlan((), (Swap("x", None, Content(b"y")),), ())
    assert log.revise("one", other, []) is not None
    revised = log.get("one")
    assert revised
    assert revised.plan == other
    log.move("one", "proposed", "applied", [])
    assert log.revise("one", PLAN, []) is None


def test_a_split_rejects_the_whole_and_the_rest_takes_its_place(log: ChangeLog) -> None:
    log.add(change("whole"), nothing)
    log.add(change("above"), nothing)
    parts = log.split("whole", PARTS[0], PARTS[1], [])
    assert parts
    assert [parts.accepted.id, parts.rest.id] == ["part", "rest"]
    assert [parts.accepted.requested.part_of, parts.rest.requested.part_of] == ["whole", "whole"]
    assert [each.id for each in log.list(state="proposed")] == ["part", "above", "rest"]
    assert [each.id for each in log.list(state="rejected")] == ["whole"]
    assert log.split("whole", change("a"), change("b"), []) is None
    assert len(log.ids()) == 4


def test_a_split_that_is_taken_back_was_never_made(log: ChangeLog) -> None:
    log.add(change("whole"), nothing)
    log.add(change("above"), nothing)
    before = log.list()
    log.split("whole", PARTS[0], PARTS[1], [])
    assert log.join("whole", ["part", "rest"], []) is not None
    assert log.list() == before
    assert log.join("whole", ["part", "rest"], []) is None


def test_a_split_is_not_taken_back_once_something_is_decided_or_is_no_part_of_it(
    log: ChangeLog,
) -> None:
    log.add(change("whole"), nothing)
    log.add(change("above"), nothing)
    log.split("whole", PARTS[0], PARTS[1], [])
    assert log.join("whole", ["part", "above"], []) is None
    assert log.join("whole", ["part", "none"], []) is None
    assert log.join("none", ["part", "rest"], []) is None
    assert log.move("part", "proposed", "applied", []) is not None
    before = log.list()
    assert log.join("whole", ["part", "rest"], []) is None
    assert log.list() == before


def test_only_the_latest_of_what_is_settled_is_kept_and_all_that_is_proposed(
    log: ChangeLog,
) -> None:
    for name in ("waits", "applied", "rejected", "rewound", "latest"):
        log.add(change(name), nothing)
    log.move("rewound", "proposed", "applied", [])
    log.move("rewound", "applied", "rewound", [])
    log.move("applied", "proposed", "applied", [])
    log.move("rejected", "proposed", "rejected", [])
    log.move("latest", "proposed", "applied", [])
    assert log.prune(4, nothing).ids == ()
    assert sorted(log.prune(2, nothing).ids) == ["rejected", "rewound"]
    assert log.ids() == ("latest", "applied", "waits")
    assert sorted(log.prune(0, nothing).ids) == ["applied", "latest"]
    assert log.ids() == ("waits",)
    assert log.add(change("next"), nothing).change.seq == 2


def test_the_oldest_settled_change_goes_when_there_are_more_than_are_kept(
    log: ChangeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (
        "holdfast.adapters.store.change_log",
        "holdfast.adapters.store.plain.plain_changes",
        "tests.changes.memory_log",
    ):
        monkeypatch.setattr(f"{module}.KEPT", 2)
    for name in ("waits", "one", "two", "three"):
        log.add(change(name, state="proposed" if name == "waits" else "applied"), nothing)
    assert log.ids() == ("three", "two", "waits")


def test_a_change_belongs_to_its_session_and_its_turn(
    store: Store, open_log: OpenLog, tmp_path: Path
) -> None:
    log = open_log(place_of(tmp_path))
    world = store.run(new_world, tmp_path)
    first, second = (store.run(begin_turn, world.chat.id).id for _ in range(2))
    session = world.session.id
    mine = log.add(change("mine", session=session, turn=first), nothing).change
    log.add(change("next", session=session, turn=second), nothing)
    log.add(change("nobody's"), nothing)
    assert (mine.session, mine.turn) == (session, first)
    assert log.get("mine") == mine
    assert [each.id for each in log.list(session=session)] == ["next", "mine"]
    assert [each.id for each in log.list(turn=first)] == ["mine"]
    assert log.list(session=session, turn="another") == ()


def test_events_are_published_in_the_transaction_of_the_call(
    store: Store, open_log: OpenLog, tmp_path: Path
) -> None:
    log = open_log(place_of(tmp_path))

    def moved(state: str) -> list[OwnedEvent]:
        return [OwnedEvent(ChangeMoved("one", state), "s", "t")]  # type: ignore[arg-type]

    added = log.add(change("one"), lambda _: moved("proposed"))
    assert added.event_seq == 1
    assert log.move("one", "applied", "rewound", moved("rewound")) is None
    assert log.move("one", "proposed", "applied", moved("applied")) == 2
    removed = log.prune(0, lambda ids: [OwnedEvent(ChangesRemoved(tuple(ids)))])
    assert (removed.ids, removed.event_seq) == (("one",), 3)
    project = store.run(project_at, place_of(tmp_path))
    rows = store.query(events_after, project.id)
    assert [(row.seq, row.session_id, row.turn_id, row.body) for row in rows] == [
        (1, "s", "t", event_to_json(ChangeMoved("one", "proposed"))),
        (2, "s", "t", event_to_json(ChangeMoved("one", "applied"))),
        (3, None, None, event_to_json(ChangesRemoved(("one",)))),
    ]


def test_an_event_that_cannot_be_made_leaves_no_change(open_log: OpenLog, tmp_path: Path) -> None:
    log = open_log(place_of(tmp_path))

    def fail(_: Sequence[str]) -> Sequence[OwnedEvent]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        log.add(change("one"), fail)
    assert log.ids() == ()


@pytest.mark.parametrize("owner", [{"session": "gone"}, {"turn": "gone"}])
def test_an_owner_that_is_not_there_is_said_and_nothing_is_recorded(
    store: Store, open_log: OpenLog, tmp_path: Path, owner: dict[str, str]
) -> None:
    log = open_log(place_of(tmp_path))
    with pytest.raises(
        LogUnavailable, match=f"{next(iter(owner))} gone: it is no longer in the store"
    ):
        log.add(change("mine", **owner), nothing)
    assert log.ids() == ()


def test_the_changes_of_a_session_that_is_removed_stay(
    store: Store, open_log: OpenLog, tmp_path: Path
) -> None:
    log = open_log(place_of(tmp_path))
    world = store.run(new_world, tmp_path)
    turn = store.run(begin_turn, world.chat.id).id
    log.add(change("mine", session=world.session.id, turn=turn), nothing)
    store.run(remove_session, world.session.id)
    left = log.get("mine")
    assert left
    assert (left.session, left.turn) == (None, None)


@pytest.fixture
def other(store: Store, url: str) -> Iterator[Store]:
    with open_store(url) as opened:
        yield opened


def test_of_two_processes_one_moves_the_change(
    open_log: OpenLog, other: Store, tmp_path: Path
) -> None:
    mine, theirs = (
        open_log(place_of(tmp_path)),
        StoredChanges(other, place_of(tmp_path)),
    )
    mine.add(change("one"), nothing)
    moved = [log.move("one", "proposed", "applied", []) for log in (mine, theirs)]
    assert [each is not None for each in moved] == [True, False]


def test_each_root_has_changes_of_its_own(open_log: OpenLog, tmp_path: Path) -> None:
    here, there = (
        open_log(place_of(tmp_path / "here")),
        open_log(place_of(tmp_path / "there")),
    )
    here.add(change("one"), nothing)
    assert (there.ids(), there.list(), there.get("one")) == ((), (), None)
    assert there.move("one", "proposed", "applied", []) is None
    assert there.split("one", change("a"), change("b"), []) is None
    assert there.add(change("two"), nothing).change.seq == 1


def test_a_store_that_cannot_be_opened_is_said_in_the_words_of_the_port(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database\n" * 100)
    with ExitStack() as opened:
        with pytest.raises(LogUnavailable, match="this is not a SQLite file"):
            changes_at(
                lambda: opened.enter_context(open_store(str(tmp_path / "file"))), place_of(tmp_path)
            )
        with pytest.raises(LogUnavailable, match="PostgreSQL or SQLite only"):
            changes_at(lambda: opened.enter_context(open_store("mysql://x/y")), place_of(tmp_path))


def test_a_log_has_the_changes_of_its_worktree_and_on_request_those_of_all(
    open_log: OpenLog,
) -> None:
    main = Place("p", "/main", "p", "/main")
    linked = Place("p", "/main", "w", "/linked")
    here, there = open_log(main), open_log(linked)
    here.add(change("one"), nothing)
    there.add(change("two"), nothing)
    for log, other, own in ((here, "two", "one"), (there, "one", "two")):
        assert [each.id for each in log.list()] == [own]
        assert [each_id for each_id, _ in log.marks("proposed")] == [own]
        assert [each.id for each in log.list(everywhere=True)] == ["two", "one"]
        assert log.ids() == ("two", "one")
        found = log.get(other)
        assert found
        assert (found.is_here, found.seq) == (False, 2 if other == "two" else 1)
    found = here.get("two")
    assert found
    assert found.worktree == "/linked"


def test_a_change_of_an_older_store_belongs_to_the_main_worktree(
    store: Store, open_log: OpenLog
) -> None:
    main = Place("p", "/main", "p", "/main")
    linked = Place("p", "/main", "w", "/linked")
    open_log(main).add(change("one"), nothing)
    store.run(lambda connection: connection.execute(update(changes).values(worktree_id=None)))
    assert [each.id for each in open_log(main).list()] == ["one"]
    assert open_log(linked).list() == ()
    found = open_log(linked).get("one")
    assert found
    assert (found.is_here, found.worktree) == (False, "/main")


def test_a_row_is_the_same_with_sqlalchemy_and_without(store: Store, tmp_path: Path) -> None:
    if not isinstance(store.address, SqliteFile):
        pytest.skip("only a SQLite file is used without SQLAlchemy")
    world = store.run(new_world, tmp_path)
    turn = store.run(begin_turn, world.chat.id).id
    plain = open_plain_store(store.address)
    assert plain is not None
    with closing(plain):
        logs = {
            "a": StoredChanges(store, place_of(tmp_path / "a")),
            "b": either_changes(plain, place_of(tmp_path / "b"), lambda: False, _refuse),
        }
        for name, log in logs.items():
            log.add(change(f"{name}1", session=world.session.id, turn=turn), nothing)
            log.add(change(f"{name}2"), lambda _: [OwnedEvent(ChangeMoved("x", "proposed"))])
            log.move(f"{name}1", "proposed", "applied", [OwnedEvent(ChangesRemoved(("é",)), "s")])

    rows = {name: _rows(store.address.path, name) for name in logs}
    assert rows["a"] == rows["b"]
    assert [len(each) for each in rows["a"].values()] == [1, 1, 2, 2]


def _refuse(_: Place) -> ChangeLog:
    raise AssertionError


def _rows(file: Path, name: str) -> dict[str, list[tuple[object, ...]]]:
    """All that a project has in the file, without what differs by chance: ids, moments, roots."""
    with closing(sqlite3.connect(file)) as connection:
        connection.row_factory = sqlite3.Row
        (project,) = connection.execute(
            "SELECT id FROM projects WHERE root LIKE ?", (f"%/{name}",)
        ).fetchone()
        found = {}
        for table, column in (
            ("projects", "id"),
            ("worktrees", "project_id"),
            ("changes", "project_id"),
            ("events", "project_id"),
        ):
            query = f"SELECT * FROM {table} WHERE {column} = ? ORDER BY 1, 2"  # noqa: S608 - our own names
            rows = map(dict, connection.execute(query, (project,)).fetchall())
            found[table] = [tuple(starmap(_plainly, row.items())) for row in rows]
    return found


def _plainly(column: str, value: object) -> object:
    if column in {"id", "project_id", "worktree_id", "identity", "root", "path"}:
        return type(value)
    if isinstance(value, str):
        return re.sub(r"[0-9]", "0", value) if column.endswith("_at") else value
    return value
