"""Sessions by the start of their ids: shown, renamed, put away, continued, deleted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest

from holdfast.checkpoints.ports import CheckpointFailed, Leftovers, NoCheckpoints
from holdfast.usecases.checkpoints.ports import Worktrees
from holdfast.usecases.garbage import delete_session as deleting
from holdfast.usecases.garbage.delete_session import (
    SessionNotRemoved,
    SessionRemoved,
    delete_session,
)
from holdfast.usecases.sessions.session import (
    SessionRefused,
    archive_session,
    last_session,
    rename_session,
    show_session,
)
from holdfast.usecases.sessions.session_records import (
    EVERY_SESSION,
    AnnounceDeleted,
    DeletedRows,
    NewSession,
    SessionQuery,
    SessionState,
    SessionSummary,
    TurnRunning,
    TurnSummary,
)
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.vocab.events import SessionDeleted
from holdfast.vocab.owned_event import OwnedEvent

ONE = SessionSummary("aa1", "one", "holdfast", "1", 2, 1, "done", updated_at="2")
TWO = replace(ONE, id="ab2", title="two", updated_at="3")


@dataclass
class Records:
    """Sessions in memory (port `SessionRecords`)."""

    sessions: dict[str, SessionSummary]
    roots: tuple[str, ...] = ()
    deleted: DeletedRows | TurnRunning | None = None
    archived: list[str] = field(default_factory=list)
    forgotten: bool = False
    events: list[OwnedEvent] = field(default_factory=list)

    def list(self, query: SessionQuery = EVERY_SESSION) -> tuple[SessionSummary, ...]:
        if self.forgotten:
            return ()
        return tuple(each for each in self.sessions.values() if query.id in {None, each.id})

    def find(self, wanted: str) -> tuple[str, ...]:
        return tuple(name for name in self.sessions if name.startswith(wanted))[:2]

    def worktrees(self, session: str) -> tuple[str, ...]:
        return self.roots

    def delete(self, session: str, announce: AnnounceDeleted) -> DeletedRows | TurnRunning | None:
        if isinstance(self.deleted, DeletedRows):
            self.events += announce(self.deleted.event)
        return self.deleted

    def create(self, new: NewSession) -> str:
        raise NotImplementedError

    def choose(self, session: str, *, model: str | None, mode: str | None) -> None:
        raise NotImplementedError

    def rename(self, session: str, title: str) -> int | None:
        self.sessions[session] = replace(self.sessions[session], title=title)
        return 1

    def archive(self, session: str, *, archived: bool) -> int | None:
        self.archived.append(session)
        self.sessions[session] = replace(self.sessions[session], archived=archived)
        return 1

    def turn(self, turn: str) -> TurnSummary | None:
        return None


def records(*sessions: SessionSummary) -> Records:
    return Records({each.id: each for each in sessions})


def message_of(outcome: object) -> tuple[str, str]:
    assert isinstance(outcome, SessionRefused)
    return outcome.reason, outcome.message


def test_an_id_must_mean_exactly_one_session() -> None:
    here = records(ONE, TWO)
    assert show_session("aa", here) == ONE
    assert message_of(show_session("a", here)) == (
        "ambiguous",
        "a: several sessions start with this; type more of the id.",
    )
    assert message_of(show_session("b", here)) == (
        "not_found",
        (
            "b: there is no such session in this project; `holdfast sessions list` shows those that "
            "there are."
        ),
    )


def test_a_session_that_is_deleted_meanwhile_is_not_shown() -> None:
    here = records(ONE)
    here.forgotten = True
    assert message_of(show_session("aa1", here)) == (
        "not_found",
        "aa1: another command has deleted it.",
    )


def test_a_title_is_one_line_of_at_most_200_characters() -> None:
    here = records(ONE, TWO)
    assert rename_session("aa", " new\n title ", here) == replace(ONE, title="new title")
    renamed = rename_session("aa", "x" * 201, here)
    assert renamed == replace(ONE, title="x" * 200)
    assert message_of(rename_session("aa", " \n", here)) == (
        "malformed",
        "the title is empty; write one.",
    )
    assert message_of(rename_session("a", "other", here))[0] == "ambiguous"
    assert here.sessions["ab2"] == TWO


@pytest.mark.parametrize("state", ["running", "waiting"])
def test_a_session_with_a_turn_at_work_can_be_put_back_and_not_away(state: SessionState) -> None:
    here = records(replace(ONE, state=state))
    assert message_of(archive_session("aa1", here)) == (
        "conflict",
        "session aa1: a turn is running; wait for its end, or stop it with `holdfast cancel aa1`.",
    )
    assert here.archived == []
    here = records(replace(ONE, state=state, archived=True))
    assert archive_session("aa1", here, archived=False) == replace(ONE, state=state)


def test_a_session_is_put_away_once() -> None:
    here = records(ONE)
    for _ in range(2):
        assert archive_session("aa1", here) == replace(ONE, archived=True)
    assert here.archived == ["aa1"]
    assert message_of(archive_session("b", here))[0] == "not_found"


def test_the_session_to_continue_has_the_latest_turn_and_is_not_put_away() -> None:
    unbegun = replace(ONE, id="ac3", turns=0, updated_at="9")
    away = replace(ONE, id="ad4", archived=True, updated_at="8")
    assert last_session(records(ONE, TWO, unbegun, away)) == TWO
    assert message_of(last_session(records(unbegun, away))) == (
        "not_found",
        "there is no session here to continue; begin one with a prompt.",
    )


# ---- deletion


@dataclass
class Refs:
    """The checkpoints at a folder (part of the ports `Worktrees` and `Worktree`)."""

    left: Leftovers = field(default_factory=Leftovers)
    locked: Exception | None = None
    failing: bool = False
    removed: list[Leftovers] = field(default_factory=list)

    @contextmanager
    def hold(self, *, make: bool) -> Iterator[Refs]:
        assert not make
        if self.locked is not None:
            raise self.locked
        yield self

    def leftovers(self, sessions: set[str]) -> Leftovers:
        assert sessions == {"aa1"}
        return self.left

    def remove_leftovers(self, leftovers: Leftovers) -> None:
        if self.failing:
            raise CheckpointFailed("git refused.")
        self.removed.append(leftovers)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the worktrees that are settled: what dead processes leave is another test's."""
    done: list[object] = []

    def settle(worktree: object, _: object) -> Settled:
        done.append(worktree)
        return NOTHING_LEFT

    monkeypatch.setattr(deleting, "settle_worktree", settle)
    return done


GONE = DeletedRows(SessionDeleted("aa1", turn_ids=("t1",), change_ids=("c1",)), 7)


def delete(here: Records, folders: dict[str, Refs]) -> SessionRemoved | SessionNotRemoved:
    return delete_session("aa1", here, lambda root: cast("Worktrees", folders[str(root)]))


def folders_in(place: Path, **refs: Refs) -> dict[str, Refs]:
    for name in refs:
        (place / name).mkdir()
    return {str(place / name): each for name, each in refs.items()}


def test_the_refs_of_all_folders_that_are_there_are_removed(
    tmp_path: Path, settled: list[object]
) -> None:
    first, second = Refs(Leftovers(("r1", "r2"), 10)), Refs(Leftovers(("r3",), 5))
    without = Refs(locked=NoCheckpoints("none."))
    failing = Refs(Leftovers(("r4",), 100), failing=True)
    folders = folders_in(tmp_path, a=first, b=without, c=failing, d=second)
    away = str(tmp_path / "gone")
    here = replace(records(ONE), roots=(away, *folders), deleted=GONE)
    kept = (away, str(tmp_path / "c"))
    assert delete(here, folders) == SessionRemoved("aa1", ("t1",), ("c1",), 3, 15, kept, 7)
    assert (first.removed, second.removed) == ([first.left], [second.left])
    assert settled == [first, failing, second]
    assert here.events == [OwnedEvent(GONE.event, "aa1")]


@pytest.mark.parametrize(
    ("deleted", "message"),
    [
        (None, "session aa1: another command has deleted it."),
        (
            TurnRunning("aa1", "t2"),
            (
                "session aa1: turn t2 is running; wait for its end, or stop it with `holdfast cancel "
                "aa1`."
            ),
        ),
    ],
)
def test_a_session_that_is_gone_or_at_work_loses_no_ref(
    tmp_path: Path, settled: list[object], deleted: TurnRunning | None, message: str
) -> None:
    refs = Refs(Leftovers(("r1",), 10))
    folders = folders_in(tmp_path, a=refs)
    here = replace(records(ONE), roots=tuple(folders), deleted=deleted)
    assert delete(here, folders) == SessionNotRemoved(message)
    assert (refs.removed, len(settled)) == ([], 1)


def test_no_row_is_deleted_while_a_folder_cannot_be_locked(tmp_path: Path) -> None:
    folders = folders_in(tmp_path, a=Refs(locked=CheckpointFailed("somebody has the lock.")))
    here = replace(records(ONE), roots=tuple(folders), deleted=GONE)
    assert delete(here, folders) == SessionNotRemoved("somebody has the lock.")
    assert here.events == []
