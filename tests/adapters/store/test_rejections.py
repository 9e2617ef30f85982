"""Rejections on record, and the index by which a page of a long session is read, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.store.event_log import StoredEventLog
from holdfast.adapters.store.queries.events import NewEvent, append_events
from holdfast.adapters.store.queries.projects import lock_project
from holdfast.adapters.store.sessions.rejections import StoredRejections, take_reasons
from holdfast.adapters.store.sessions.session_log import StoredSessions
from holdfast.adapters.store.store import Store
from holdfast.usecases.changes.ports import NewRejection
from holdfast.usecases.sessions.session_records import NewSession
from tests.places import place_of

pytestmark = pytest.mark.integration

PLACE = place_of(Path("/work/here"))


@pytest.fixture
def session(store: Store, tmp_path: Path) -> str:
    return StoredSessions(lambda: store, PLACE, TurnLocks(tmp_path)).create(NewSession("s"))


@pytest.fixture
def rejections(store: Store) -> StoredRejections:
    return StoredRejections(lambda: store, PLACE)


def test_what_waits_is_settled_once_with_an_event_each_time(
    store: Store, session: str, rejections: StoredRejections
) -> None:
    first = NewRejection("c1", (2,), ("a.py",), "no")
    rejections.add(session, first, waits=True)
    rejections.add(session, NewRejection("c2", (), ("b.py",)), waits=True)
    assert rejections.sessions_waiting() == (session,)
    waiting = rejections.waiting(session)
    assert [each.asked.change_id for each in waiting] == ["c1", "c2"]
    assert waiting[0].asked == first
    rejections.settle(waiting[:1])
    rejections.settle(waiting, "a.py has changed.")
    assert (rejections.waiting(session), rejections.sessions_waiting()) == ((), ())
    assert [(each.asked.change_id, each.why) for each in rejections.unsettled(session)] == [
        ("c2", "a.py has changed.")
    ]
    events = StoredEventLog(lambda: store, PLACE).latest(session, ["rejection_queued"])
    assert [(each.body["change_id"], each.body["state"]) for each in reversed(events)] == [
        ("c1", "waiting"),
        ("c2", "waiting"),
        ("c1", "done"),
        ("c2", "refused"),
    ]


def test_a_reason_is_untold_until_a_turn_has_told_it(
    store: Store, session: str, rejections: StoredRejections
) -> None:
    rejections.add(session, NewRejection("c1", (2,), ("a.py", "b.py"), "no"), waits=False)
    rejections.add(session, NewRejection("c2", (), ("b.py",)), waits=False)
    rejections.add(session, NewRejection("c3", (), ("c.py",), "later"), waits=True)
    (told,) = store.run(take_reasons, session, "t")
    assert str(told) == "The user has rejected some edits of a.py, b.py, and says: no"
    assert store.run(take_reasons, session, "t2") == ()


def test_the_events_of_a_turn_are_found_by_an_index(store: Store, session: str) -> None:
    store.run(_fill, session)
    plan = "\n".join(store.query(_plan))
    assert "ix_events_turn_id_seq" in plan, plan


def _fill(connection: Connection, session: str) -> None:
    project = lock_project(connection, PLACE)
    new = [
        NewEvent("text", {"text": "x"}, session, f"t{number // 10}", None)
        for number in range(3_000)
    ]
    append_events(connection, project.id, new)


def _plan(connection: Connection) -> list[str]:
    query = "SELECT * FROM events WHERE turn_id IN ('t7', 't8') AND kind NOT IN ('text')"
    if connection.dialect.name == "postgresql":
        connection.execute(text("ANALYZE events"))
        return [row[0] for row in connection.execute(text(f"EXPLAIN {query}"))]
    return [row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {query}"))]
