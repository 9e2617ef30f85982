"""The store of a command: without SQLAlchemy until something needs the whole of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.adapters.store.queries.events import events_after
from holdfast.adapters.store.queries.projects import project_at
from holdfast.adapters.store.turn_fence import TurnFence
from holdfast.changes.change import Change, RequestedEdits
from holdfast.changes.change_log import ChangeLog, LogUnavailable
from holdfast.changes.plan import ChangePlan
from holdfast.changes.swaps import Content, Swap
from holdfast.vocab.cancellation import TurnStopped
from holdfast.vocab.change_events import ChangeMoved
from holdfast.vocab.owned_event import OwnedEvent
from holdfast.vocab.requests import FileRequest, WriteFile
from holdfast.wiring.late_store import LateStore
from tests.places import place_of


def change(name: str) -> Change:
    asked = RequestedEdits((FileRequest("a.py", "create", WriteFile("x\n")),))
    plan = ChangePlan((), (Swap("a.py", None, Content(b"x\n")),), ())
    return Change(name, "proposed", "apply", asked, plan)


def add(log: ChangeLog, name: str) -> int:
    return log.add(change(name), lambda _: [OwnedEvent(ChangeMoved(name, "proposed"))]).event_seq


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state directory with a store in it."""
    with LateStore(tmp_path / "state") as store:
        add(store.change_log(place_of(tmp_path)), "first")
    return tmp_path / "state"


def test_a_store_that_is_not_there_yet_is_made(state: Path) -> None:
    assert (state / "holdfast.sqlite3").stat().st_size > 0


def test_the_whole_store_is_opened_when_it_is_needed_and_has_the_same_records(
    state: Path, tmp_path: Path
) -> None:
    place = place_of(tmp_path)
    with LateStore(state) as store:
        log = store.change_log(place)
        assert add(log, "second") == 2
        assert not store._is_open()
        assert log.ids() == ("second", "first")
        assert store._is_open()
        assert add(log, "third") == 3
        project = store.open().run(project_at, place).id
        events = store.open().query(events_after, project)
    assert [(each.seq, each.body["change_id"]) for each in events] == [
        (1, "first"),
        (2, "second"),
        (3, "third"),
    ]


def test_what_a_stopped_turn_would_record_is_refused_also_by_a_log_that_was_opened_before(
    state: Path, tmp_path: Path
) -> None:
    with LateStore(state) as store:
        log = store.change_log(place_of(tmp_path))
        add(log, "before")
        store.open().fence = TurnFence("gone")
        with pytest.raises(TurnStopped, match="another command has ended this turn"):
            add(log, "after")
        assert log.ids() == ("before", "first")


def test_a_store_that_cannot_be_used_is_said_in_the_words_of_the_port(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (state / "holdfast.sqlite3").write_text("no database\n" * 100)
    with LateStore(state) as store, pytest.raises(LogUnavailable, match="not a SQLite file"):
        store.change_log(place_of(tmp_path))
    (state / "holdfast.sqlite3").write_text("")
    with LateStore(state) as store, pytest.raises(LogUnavailable, match="the store is empty"):
        store.change_log(place_of(tmp_path))
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", "mysql://x/y")
    with LateStore(state) as store, pytest.raises(LogUnavailable, match="PostgreSQL or SQLite"):
        store.change_log(place_of(tmp_path))
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", "mysql:x")
    with LateStore(state) as store, pytest.raises(LogUnavailable, match="cannot be read"):
        store.change_log(place_of(tmp_path))
