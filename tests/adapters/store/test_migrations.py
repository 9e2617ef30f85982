"""A store of the first released schema, with rows in every table, comes up to the newest one and loses nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Connection, select, text

from holdfast.adapters.store.column_types import Moment
from holdfast.adapters.store.database_url import parse_address
from holdfast.adapters.store.engine import make_engine
from holdfast.adapters.store.queries.checkpoints import checkpoint_by_id
from holdfast.adapters.store.queries.events import events_after
from holdfast.adapters.store.queries.left_rows import (
    TurnRows,
    bring_back,
    left_messages,
    take_out,
)
from holdfast.adapters.store.schema import migrate
from holdfast.adapters.store.store import Store, open_store
from holdfast.adapters.store.tables import metadata
from tests.adapters.store.schema_dump import GOLDEN

pytestmark = pytest.mark.integration

Rows = dict[str, list[dict[str, Any]]]
GOLDEN_ROWS: Rows = json.loads((GOLDEN / "0001.rows.json").read_text(encoding="utf-8"))


@pytest.fixture
def migrated(empty_url: str) -> Iterator[Store]:
    """The golden store, opened by the code of today."""
    if "://" not in empty_url:
        Path(empty_url).parent.mkdir()
    engine = make_engine(parse_address(empty_url))
    with engine.begin() as connection:
        migrate(connection, "0001")
        for table, rows in GOLDEN_ROWS.items():
            for row in rows:
                _insert(connection, table, row)
    engine.dispose()
    with open_store(empty_url) as store:
        yield store


def _insert(connection: Connection, table: str, row: dict[str, Any]) -> None:
    names = ", ".join(row)
    places = ", ".join(f":{name}" for name in row)
    plain = {name: _plain(value) for name, value in row.items()}
    if connection.dialect.name == "sqlite":
        # As SQLAlchemy writes it there: without the zone.
        plain = {name: _without_zone(name, value) for name, value in plain.items()}
    statement = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608 - golden names
    connection.execute(text(statement), plain)


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value


def _without_zone(name: str, value: Any) -> Any:
    return value.removesuffix("+00:00") if name.endswith("_at") and value else value


def _rows(connection: Connection, name: str) -> list[dict[str, Any]]:
    table = metadata.tables[name]
    query = select(table).order_by(table.c.id)
    if "left_with" in table.c:
        query = query.where(table.c.left_with.is_(None))
    return [dict(row) for row in connection.execute(query).mappings()]


def _expected(name: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return a golden row as the store reads it."""
    columns = metadata.tables[name].c
    read = dict(row)
    for column in row:
        kind = columns[column].type
        if isinstance(kind, Moment) and read[column]:
            read[column] = datetime.fromisoformat(read[column])
    if name == "projects" and row["id"] == "p2":
        read["root"] = "/work/\udce9"
    return read


def test_the_golden_store_has_a_row_in_every_table_of_its_schema() -> None:
    # Of later schemas: only tables that begin empty.
    assert {*GOLDEN_ROWS, "approvals", "queued_messages", "rejections"} == {
        *metadata.tables,
        "trash",
    }
    assert all(GOLDEN_ROWS.values())


def test_every_row_is_still_there_as_it_was(migrated: Store) -> None:
    found, expected = {}, {}
    for name in sorted(set(GOLDEN_ROWS) - {"events", "checkpoints", "trash"}):
        kept = sorted(GOLDEN_ROWS[name], key=lambda row: row["id"])
        found[name] = repr(migrated.query(_rows, name))
        expected[name] = repr([_in_order(name, row) for row in kept])
    assert found == expected


def _in_order(name: str, row: dict[str, Any]) -> dict[str, Any]:
    read = _expected(name, row)
    return {
        column.name: read.get(column.name, _added(column)) for column in metadata.tables[name].c
    }


def _added(column: Column[Any]) -> Any:
    """Return what a row of the golden store has in a column that a later schema has added."""
    return {"agent": "holdfast", "generation": 0}.get(column.name)


def test_checkpoints_stay_and_belong_to_the_project_of_their_chat(migrated: Store) -> None:
    projects = {"k1": "p1", "k2": "p1", "k3": "p2"}
    kept = sorted(GOLDEN_ROWS["checkpoints"], key=lambda row: row["id"])
    assert migrated.query(_rows, "checkpoints") == [
        _in_order("checkpoints", row) | {"project_id": projects[row["id"]]} for row in kept
    ]


def test_all_events_stay_in_one_sequence_for_each_project(migrated: Store) -> None:
    found = [
        (row.session_id, row.turn_id, row.kind, row.body, row.created_at)
        for row in migrated.query(events_after, "p1")[:-1]
    ]
    order = [("s2", 1), ("s1", 1), ("s1", 2), ("s2", 2), ("s1", 3)]
    by_number = {(row["session_id"], row["seq"]): row for row in GOLDEN_ROWS["events"]}
    assert found == [
        (
            session,
            None,
            by_number[session, seq]["kind"],
            by_number[session, seq]["body"],
            datetime.fromisoformat(by_number[session, seq]["created_at"]),
        )
        for session, seq in order
    ]
    for project in ("p1", "p2", "p3"):
        seqs = [row.seq for row in migrated.query(events_after, project)]
        assert seqs == list(range(1, len(seqs) + 1))


def test_the_last_event_of_each_project_says_what_the_tables_have(migrated: Store) -> None:
    (*_, first), (*_, second), (third,) = (
        migrated.query(events_after, project) for project in ("p1", "p2", "p3")
    )
    assert [each.kind for each in (first, second, third)] == ["baseline"] * 3
    assert first.body == {
        "sessions": ["s1", "s2"],
        "chats": [
            {"chat_id": "c1", "message_ids": ["m1", "m2"]},
            {"chat_id": "c2", "message_ids": ["m3"]},
        ],
        "changes": [
            {"change_id": "h2", "state": "proposed"},
            {"change_id": "h1", "state": "applied"},
        ],
        "checkpoints": [
            {"checkpoint_id": "k1", "chat_id": "c1", "trashed": False},
            {"checkpoint_id": "k2", "chat_id": "c1", "trashed": False},
        ],
        "turns": [{"turn_id": "t1", "status": "done"}, {"turn_id": "t2", "status": "cancelled"}],
        "kind": "baseline",
    }
    assert second.body["changes"] == [{"change_id": "h3", "state": "rewound"}]
    assert second.body["chats"] == [{"chat_id": "c3", "message_ids": []}]
    assert second.body["checkpoints"] == [
        {"checkpoint_id": "k9", "chat_id": "c3", "trashed": True},
        {"checkpoint_id": "k3", "chat_id": "c3", "trashed": False},
    ]
    assert third.body["sessions"] == []


def test_what_was_in_the_trash_is_in_its_table_and_comes_back_with_its_project(
    migrated: Store,
) -> None:
    assert migrated.query(left_messages, "k3") == ("m9",)
    assert migrated.query(checkpoint_by_id, "k9") is None
    migrated.run(bring_back, "k3")
    back = migrated.query(checkpoint_by_id, "k9")
    assert back is not None
    assert (back.chat_id, back.project_id, back.message_seq) == ("c3", "p2", 1)
    (message,) = (row for row in migrated.query(_rows, "messages") if row["id"] == "m9")
    golden = GOLDEN_ROWS["trash"][0]["body"]
    assert message == _in_order("messages", golden)


def test_a_message_that_had_the_number_of_one_in_the_trash_comes_after_it(empty_url: str) -> None:
    if "://" not in empty_url:
        Path(empty_url).parent.mkdir()
    engine = make_engine(parse_address(empty_url))
    with engine.begin() as connection:
        migrate(connection, "0003")
        for table, row in _A_CHAT_THAT_WENT_ON:
            _insert(connection, table, row)
    engine.dispose()
    with open_store(empty_url) as store:
        assert _transcript(store) == [("m1", 1), ("new", 4)]
        places = {"t2": 2, "u": 2, "t4": 4}
        assert {
            row["id"]: row["message_seq"] for row in store.query(_rows, "checkpoints")
        } == places
        store.run(take_out, "c", 2, ["t4"], "v")
        assert store.run(bring_back, "u") == TurnRows(("m2", "m3"), (), ("t3",))
        assert _transcript(store) == [("m1", 1), ("m2", 2), ("m3", 3)]
        third = store.query(checkpoint_by_id, "t3")
        assert third is not None
        assert third.message_seq == 3


def _transcript(store: Store) -> list[tuple[str, int]]:
    return sorted(
        ((row["id"], row["seq"]) for row in store.query(_rows, "messages")), key=lambda row: row[1]
    )


def _message(name: str, seq: int, minute: int) -> dict[str, Any]:
    moment = f"2026-03-02T10:{minute:02}:00+00:00"
    return {
        "id": name,
        "chat_id": "c",
        "seq": seq,
        "role": "assistant",
        "status": "done",
        "metadata": {},
        "created_at": moment,
    }


def _checkpoint(name: str, message: str, place: int, seq: int) -> dict[str, Any]:
    return {
        "id": name,
        "chat_id": "c",
        "session_id": "s",
        "worktree_id": None,
        "message_id": message,
        "message_seq": place,
        "commit_sha": "b",
        "label": "",
        "kind": "turn",
        "seq": seq,
        "created_at": "2026-03-02T10:00:00+00:00",
        "project_id": "p",
    }


def _trashed(name: str, kind: str, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    moment = "2026-03-02T10:09:00+00:00"
    row = {"id": name, "undo_checkpoint_id": "u", "kind": kind, "body": body, "created_at": moment}
    return "trash", row


_MOMENT = "2026-03-02T10:00:00+00:00"
# Two messages left, and another was said in their place, with the number of the first of them.
_A_CHAT_THAT_WENT_ON: list[tuple[str, dict[str, Any]]] = [
    ("projects", {"id": "p", "root": "/work", "created_at": _MOMENT}),
    (
        "sessions",
        {
            "id": "s",
            "project_id": "p",
            "title": "",
            "status": "open",
            "metadata": {},
            "created_at": _MOMENT,
        },
    ),
    ("chats", {"id": "c", "session_id": "s", "title": "", "created_at": _MOMENT}),
    ("messages", _message("m1", 1, 1)),
    ("messages", _message("new", 2, 5)),
    ("checkpoints", _checkpoint("t2", "m2", 2, 1)),
    ("checkpoints", _checkpoint("u", "m2", 2, 3)),
    ("checkpoints", _checkpoint("t4", "new", 2, 4)),
    _trashed("x1", "message", _message("m2", 2, 2)),
    _trashed("x2", "message", _message("m3", 3, 3)),
    _trashed("x3", "checkpoint", _checkpoint("t3", "m3", 3, 2)),
]
