"""A running turn on record: who runs it, who asks it to stop, and what it can record then."""

from __future__ import annotations

import platform
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, update

from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.processes.process_identity import start_of, this_process
from holdfast.adapters.processes.turn_processes import TurnProcesses, find_marked
from holdfast.adapters.processes.watchdog import TURN_VARIABLE
from holdfast.adapters.store.change_log import StoredChanges
from holdfast.adapters.store.database_url import SqliteFile
from holdfast.adapters.store.queries.events import events_after
from holdfast.adapters.store.running_turns import StoredRunningTurns
from holdfast.adapters.store.store import Store, open_store
from holdfast.adapters.store.tables import turns as turns_table
from holdfast.adapters.store.transcript import StoredTranscript
from holdfast.adapters.store.turn_log import StoredTurnLog
from holdfast.changes.change import AT_ONCE, Change, RequestedEdits
from holdfast.changes.plan import ChangePlan
from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, WorktreeState
from holdfast.usecases.sessions.ports import RunningTurn, StopScope, TurnOwner
from holdfast.usecases.turns.ports import TurnBegun, TurnRequest
from holdfast.vocab.cancellation import TurnStopped
from holdfast.vocab.events import StepStarted, TurnEnded
from tests.adapters.store.queries import messages_of
from tests.adapters.store.talk import rows
from tests.places import place_of
from tests.waiting import FOREVER, LONGEST, wait_until

SENTENCE = "Stopped: checkpoint 41c3 was restored."
DONE = TurnEnded("done", "Done.", 1, 0, 0)
STOPPED = TurnEnded("cancelled", SENTENCE, 0, 0, 0, ended_by="stop")
GO = TurnRequest("Go.", "m", "s", "t")


class Scene:
    """A turn that runs, and the view of another process on it."""

    def __init__(self, store: Store, url: str, place: Path) -> None:
        self.store = store
        self.root = place / "root"
        self.root.mkdir()
        self.state = place / "state"
        self.log = StoredTurnLog(store, place_of(self.root), TurnLocks(self.state))
        self.begun = self.begin()
        self.other_store = open_store(url)

    def begin(self, request: TurnRequest = GO) -> TurnBegun:
        begun = self.log.begin(request, lambda _: ())
        assert isinstance(begun, TurnBegun)
        return begun

    def seen_by(self, store: Store, root: Path | None = None) -> StoredRunningTurns:
        locks, processes = TurnLocks(self.state), TurnProcesses(self.state)
        return StoredRunningTurns(lambda: store, place_of(root or self.root), locks, processes)

    def row(self) -> dict[str, Any]:
        (row,) = self.store.query(rows, turns_table)
        return row

    def kinds(self) -> list[str]:
        return [event.kind for event in self.store.query(events_after, self.begun.project)]

    def change(self, change_id: str) -> Change:
        return Change(
            change_id,
            "proposed",
            AT_ONCE,
            RequestedEdits(()),
            ChangePlan((), (), ()),
            session=self.begun.session,
            turn=self.begun.turn,
        )


@pytest.fixture
def scene(store: Store, url: str, tmp_path: Path) -> Scene:
    return Scene(store, url, tmp_path)


@pytest.fixture
def other(scene: Scene) -> Iterator[StoredRunningTurns]:
    with scene.other_store as store:
        yield scene.seen_by(store)


def turn_of(scene: Scene) -> RunningTurn:
    return RunningTurn(scene.begun.turn, scene.begun.session, this_process())


def test_the_process_that_runs_a_turn_is_on_record(scene: Scene) -> None:
    row = scene.row()
    assert TurnOwner.parse(row["owner"]) == this_process()
    assert (row["generation"], row["stop_asked_at"], row["stop_message"]) == (0, None, None)


def test_a_turn_that_is_asked_to_stop_reads_the_sentence_and_can_begin_nothing(
    scene: Scene, other: StoredRunningTurns
) -> None:
    changes = StoredChanges(scene.store, place_of(scene.root))
    changes.add(scene.change("c1"), lambda _: ())
    with scene.log.looking(scene.begun) as look:
        assert look() is None
        other.ask_to_stop([turn_of(scene)], SENTENCE)
        assert look() == SENTENCE
    before = scene.kinds()
    begun = scene.begun
    draft = CheckpointDraft("k", "turn", "now", "", begun.session, begun.chat, begun.message)
    taken = Checkpoint(draft, WorktreeState("t"), 1, "c", "main")
    attempts: list[Callable[[], object]] = [
        lambda: scene.log.keep(begun, [StepStarted(1)]),
        lambda: changes.add(scene.change("c2"), lambda _: ()),
        lambda: StoredTranscript(lambda: scene.store, place_of(scene.root)).record(taken, []),
    ]
    for attempt in attempts:
        with pytest.raises(TurnStopped, match=SENTENCE):
            attempt()
    assert (scene.kinds(), changes.ids()) == (before, ("c1",))


def test_a_turn_that_is_asked_to_stop_records_what_is_done_and_its_end(
    scene: Scene, other: StoredRunningTurns
) -> None:
    changes = StoredChanges(scene.store, place_of(scene.root))
    changes.add(scene.change("c1"), lambda _: ())
    other.ask_to_stop([turn_of(scene)], SENTENCE)
    assert changes.move("c1", "proposed", "applied", []) is not None
    scene.log.end(scene.begun, [StepStarted(1)], STOPPED)
    assert scene.kinds() == ["step_started", "turn_ended"]
    row = scene.row()
    assert (row["status"], row["stop_reason"], row["generation"]) == ("cancelled", "cancelled", 0)
    assert other.end(turn_of(scene), STOPPED) is False
    assert scene.kinds() == ["step_started", "turn_ended"]


def test_a_turn_that_another_process_has_ended_records_nothing_at_all(
    scene: Scene, other: StoredRunningTurns
) -> None:
    changes = StoredChanges(scene.store, place_of(scene.root))
    changes.add(scene.change("c1"), lambda _: ())
    assert other.end(turn_of(scene), STOPPED) is True
    assert (scene.row()["status"], scene.row()["generation"]) == ("cancelled", 1)
    attempts: list[Callable[[], object]] = [
        lambda: scene.log.keep(scene.begun, [StepStarted(1)]),
        lambda: changes.add(scene.change("c2"), lambda _: ()),
        lambda: changes.move("c1", "proposed", "applied", []),
    ]
    for attempt in attempts:
        with pytest.raises(TurnStopped, match="another command has ended this turn"):
            attempt()
    scene.log.end(scene.begun, [StepStarted(1)], DONE)
    assert scene.kinds() == ["turn_ended"]
    (prompt, answer) = scene.store.query(messages_of, scene.begun.chat)
    assert (prompt.role, answer.status) == ("user", "running")


def test_a_request_that_is_withdrawn_is_forgotten(scene: Scene, other: StoredRunningTurns) -> None:
    other.ask_to_stop([turn_of(scene)], SENTENCE)
    other.withdraw([turn_of(scene)])
    with scene.log.looking(scene.begun) as look:
        assert look() is None
    scene.log.keep(scene.begun, [StepStarted(1)])
    assert scene.kinds() == ["step_started"]


def test_the_store_of_a_turn_that_has_ended_serves_the_next_turn(
    scene: Scene, other: StoredRunningTurns
) -> None:
    other.ask_to_stop([turn_of(scene)], SENTENCE)
    scene.log.end(scene.begun, [], STOPPED)
    again = scene.begin()
    scene.log.keep(again, [StepStarted(1)])
    assert scene.kinds()[-1] == "step_started"


@pytest.mark.parametrize(
    ("folder", "files", "found"),
    [
        ("root", True, True),
        ("root/sub", True, True),
        ("elsewhere", True, False),
        ("root", False, False),
    ],
)
def test_a_turn_is_at_work_on_the_files_of_its_root(
    scene: Scene,
    other: StoredRunningTurns,
    tmp_path: Path,
    *,
    folder: str,
    files: bool,
    found: bool,
) -> None:
    there = scene.seen_by(scene.store, tmp_path / folder)
    wanted = (turn_of(scene),) if found else ()
    assert there.at_work(StopScope(None, worktree=files)) == wanted
    assert other.at_work(StopScope(scene.begun.session)) == (turn_of(scene),)
    assert other.at_work(StopScope("another")) == ()
    scene.log.end(scene.begun, [], DONE)
    assert other.at_work(StopScope(scene.begun.session, worktree=True)) == ()


def test_a_turn_whose_process_has_died_is_not_at_work(
    scene: Scene, other: StoredRunningTurns
) -> None:
    TurnLocks(scene.state).drop(scene.begun.turn)
    assert other.at_work(StopScope(scene.begun.session)) == ()
    assert other.wait([turn_of(scene)], LONGEST) == ()


def test_of_a_turn_on_another_machine_only_the_record_tells_whether_it_runs(
    scene: Scene, other: StoredRunningTurns
) -> None:
    far = TurnOwner(f"not-{platform.node()}", 1, "1")
    scene.store.run(_set_owner, str(far))
    turn = RunningTurn(scene.begun.turn, scene.begun.session, far)
    TurnLocks(scene.state).drop(scene.begun.turn)
    # No two machines share a SQLite file: there the lock tells, whatever the machine was called.
    on_one_machine = isinstance(scene.store.address, SqliteFile)
    assert other.wait([turn], 0.1) == (() if on_one_machine else (turn,))
    other.end_owner(turn)
    assert other.end(turn, STOPPED) is True
    assert other.wait([turn], LONGEST) == ()


@pytest.mark.parametrize(
    ("agent", "session", "worktree", "ended"),
    [
        ("qwen", "same", False, True),
        ("qwen", "another", False, False),
        ("qwen", "another", True, True),
        ("holdfast", "same", False, False),
        ("holdfast", "same", True, True),
    ],
)
def test_what_remembers_the_session_or_writes_to_its_files_is_ended(
    scene: Scene,
    other: StoredRunningTurns,
    *,
    agent: str,
    session: str,
    worktree: bool,
    ended: bool,
) -> None:
    scene.log.end(scene.begun, [], DONE)
    begun = scene.begin(replace(GO, agent=agent))
    named = begun.session if session == "same" else session
    marked = {TURN_VARIABLE: begun.turn}
    with subprocess.Popen(FOREVER.split(), start_new_session=True, env=marked) as process:
        try:
            # For a moment a new program has no variables: `Popen` returns before the kernel has set them.
            assert wait_until(
                lambda: process.pid in {each.pid for each in find_marked(TURN_VARIABLE)}
            )
            pids = other.end_left_processes(StopScope(named, worktree=worktree))
            assert pids == ((process.pid,) if ended else ())
        finally:
            process.kill()


def test_a_process_is_ended_for_the_last_of_its_turns_only(
    scene: Scene, other: StoredRunningTurns
) -> None:
    second = scene.begin()
    with subprocess.Popen(FOREVER.split(), start_new_session=True) as process:
        owner = TurnOwner(platform.node(), process.pid, start_of(process.pid) or "")
        scene.store.run(_set_owner, str(owner))
        turn = RunningTurn(scene.begun.turn, scene.begun.session, owner)
        other.end_owner(turn)
        assert process.poll() is None
        scene.log.end(second, [], DONE)
        other.end_owner(replace(turn, owner=replace(owner, started="0")))
        assert process.poll() is None
        other.end_owner(turn)
        assert process.wait(LONGEST) == -signal.SIGTERM


def test_turns_that_record_while_they_are_asked_to_stop_never_block_each_other(
    scene: Scene, url: str
) -> None:
    """Each thread has a store of its own, as each process has."""
    failures: list[BaseException] = []
    sentences: list[str] = []

    def record() -> None:
        try:
            with open_store(url) as store:
                log = StoredTurnLog(store, place_of(scene.root), TurnLocks(scene.state))
                for _ in range(3):
                    begun = log.begin(GO, lambda _: ())
                    assert isinstance(begun, TurnBegun)
                    try:
                        for step in range(10_000):
                            log.keep(begun, [StepStarted(step)])
                    except TurnStopped as stopped:
                        sentences.append(str(stopped))
                    log.end(begun, [], STOPPED)
        except BaseException as error:
            failures.append(error)
            raise

    def stop() -> None:
        with open_store(url) as store:
            turns = scene.seen_by(store)
            while any(thread.is_alive() for thread in threads):
                at_work = turns.at_work(StopScope(None, worktree=True))
                turns.ask_to_stop(at_work, SENTENCE)

    threads = [threading.Thread(target=record) for _ in range(3)]
    for thread in threads:
        thread.start()
    stop()
    assert failures == []
    assert sentences == [SENTENCE] * 9


def _set_owner(connection: Connection, owner: str) -> None:
    connection.execute(update(turns_table).values(owner=owner))
