"""What dead processes left, settled in memory: batches finished, rolled back, or dropped with their texts kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from holdfast.changes.change import AT_ONCE, Change, RequestedEdits
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import ChangePlan
from holdfast.changes.ports import PendingBatch
from holdfast.changes.swaps import Batch, Content, Swap
from holdfast.checkpoints.ports import PendingRestore, UnfinishedRestore
from holdfast.usecases.events.ports import EventsUnavailable
from holdfast.usecases.open_journal_entries import OpenEntry, open_entries
from holdfast.usecases.settle_outcome import Settled
from holdfast.usecases.settle_worktree import drop_outdated, settle
from holdfast.vocab.change_events import Recovered
from holdfast.vocab.owned_event import OwnedEvent
from tests.changes.memory_log import MemoryLog

SWAP = Swap("a.py", Content(b"1\n"), Content(b"2\n"))
BATCH = Batch("x1", (SWAP,))
NOW = "2026-11-17T05:00:00+00:00"


class Scene:
    """A worktree with batches of dead processes (ports `WorktreeJournal`, `BatchRoots`, `Tree`)."""

    secrets = ()
    nested = False

    def __init__(self) -> None:
        self.log = MemoryLog()
        plan = ChangePlan((), (SWAP,), ())
        self.log.add(Change("x1", "proposed", AT_ONCE, RequestedEdits(), plan), lambda _: ())
        self.tree = self
        self.pending = [PendingBatch(BATCH, committed=True, root="/root", number=3, begun_at=NOW)]
        self.left: tuple[PendingRestore, ...] = ()
        self.last = 0
        self.files = {"a.py": b"1\n"}
        self.gone = False
        self.away = ""
        self.done: list[str] = []
        self.events: list[Any] = []

    # ---- the journal

    def batches(self) -> tuple[PendingBatch, ...]:
        return tuple(self.pending)

    def restores(self) -> tuple[PendingRestore, ...]:
        return self.left

    def last_restore(self) -> int:
        return self.last

    def at(self, place: Any) -> Any:
        if isinstance(place, PendingBatch):
            return self
        return self._root()

    @contextmanager
    def _root(self) -> Iterator[Scene | None]:
        yield None if self.gone else self

    def commit(self) -> None:
        self.done.append("commit")

    def finish(self, batch: Batch) -> None:
        self.done.append("finish")

    def drop(self) -> None:
        self.done.append("drop")

    def save(self, batch: Batch, swaps: Sequence[Swap]) -> str:
        self.done.append(f"save {len(tuple(swaps))}")
        return "/saved"

    def publish(self, events: Sequence[OwnedEvent]) -> None:
        if self.away:
            raise EventsUnavailable(self.away)
        self.events += [each.event for each in events]

    # ---- the files

    def side(self, swap: Swap) -> str:
        present = self.files.get(swap.path)
        sides = {swap.before.data if swap.before else None: "before"}
        sides[swap.after.data if swap.after else None] = "after"
        return sides.get(present, "neither")

    def make(self, directory: str, mode: int | None = None) -> None:
        self.done.append(f"make {directory}")

    def set_mode(self, directory: str, mode: int) -> None:
        self.done.append(f"mode {directory} {mode:o}")

    def clear(self, directory: str) -> None:
        self.done.append(f"clear {directory}")

    def stage(self, swap: Swap, sibling: str) -> None:
        self.done.append("stage")

    def put(self, swap: Swap, sibling: str) -> bool:
        if self.side(swap) == "neither":
            return False
        self.files[swap.path] = swap.after.data if swap.after else b""
        return True

    def discard(self, sibling: str) -> None:
        self.done.append(f"discard {sibling}")

    def settle(self, batch: Batch) -> None:
        self.done.append("settle")

    def run(self) -> Settled:
        return settle(cast("Any", self), cast("Any", self), self._recover)

    def _recover(self, pending: PendingRestore, *, outdated: bool) -> Settled:
        name = pending.restore.target_id
        self.done.append(f"{name} {'outdated' if outdated else 'finished'}")
        return Settled((Recovered("restore", name, "finished", f"{name}."),))

    def state(self) -> str:
        change = self.log.get("x1")
        assert change is not None
        return change.state


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_a_committed_batch_is_finished_and_its_change_applied(scene: Scene) -> None:
    settled = scene.run()
    assert settled.notes == (
        "an earlier command here was stopped halfway: it is now finished (1 file).",
    )
    assert (scene.files, scene.state()) == ({"a.py": b"2\n"}, "applied")
    assert scene.done[-2:] == ["settle", "finish"]
    # The event is published with the change, and not once more.
    assert scene.events == []


def test_a_batch_of_no_change_on_record_is_published_alone(scene: Scene) -> None:
    scene.pending = [replace(scene.pending[0], batch=replace(BATCH, id="x9"))]
    scene.run()
    assert [event.outcome for event in scene.events] == ["finished"]


def test_a_batch_that_was_not_committed_is_rolled_back(scene: Scene) -> None:
    two = replace(BATCH, swaps=(SWAP, replace(SWAP, path="b.py")))
    scene.pending = [replace(scene.pending[0], committed=False, batch=two)]
    settled = scene.run()
    assert settled.notes == (
        "an earlier command here was stopped before it changed a file: it is dropped (2 files).",
    )
    assert (scene.files, scene.state()) == ({"a.py": b"1\n"}, "proposed")
    assert [event.outcome for event in scene.events] == ["rolled_back"]
    assert not [step for step in scene.done if step.startswith("save")]


def test_a_batch_that_finds_another_text_is_stopped_and_refuses_edits(scene: Scene) -> None:
    scene.files = {"a.py": b"by hand\n"}
    settled = scene.run()
    assert settled.stopped is not None
    assert settled.notes[0].endswith("could not be finished (1 file). Run this one again.")
    assert [event.outcome for event in scene.events] == ["stopped"]
    assert scene.files == {"a.py": b"by hand\n"}


KEPT = "(1 file). Its old and new texts are kept in /saved."


def test_a_batch_whose_folder_is_gone_is_dropped_and_its_texts_are_kept(scene: Scene) -> None:
    scene.gone = True
    settled = scene.run()
    assert settled.notes == (
        (
            "an earlier command here was stopped halfway, and the folder of its files is gone: it "
            f"is dropped {KEPT}"
        ),
    )
    assert (scene.done, len(scene.events)) == (["save 1", "drop"], 1)
    scene.away = "the log is away."
    assert scene.run().notes == settled.notes


@pytest.mark.parametrize(("last", "outcome"), [(2, "finished"), (3, "finished"), (4, "dropped")])
def test_a_batch_is_dropped_only_if_files_were_restored_after_it(
    scene: Scene, last: int, outcome: str
) -> None:
    scene.last = last
    settled = scene.run()
    assert [each.outcome for each in settled.recovered] == [outcome]
    if outcome == "dropped":
        assert settled.notes[0].endswith(f"and files were restored since: it is dropped {KEPT}")
        assert (scene.state(), scene.files) == ("rejected", {"a.py": b"1\n"})
        assert scene.done == ["save 1", "discard .holdfast-x1-0.tmp", "drop"]
        assert scene.events == []


@pytest.mark.parametrize("batch", [replace(BATCH, rewinds=True), replace(BATCH, id="x9")])
def test_a_dropped_undo_leaves_its_change_as_the_restore_has_left_it(
    scene: Scene, batch: Batch
) -> None:
    scene.last = 4
    scene.pending = [replace(scene.pending[0], batch=batch)]
    scene.run()
    assert scene.state() == "proposed"
    assert [event.outcome for event in scene.events] == ["dropped"]


def test_after_a_restore_only_what_is_older_is_dropped(scene: Scene) -> None:
    scene.last = 4
    newer = replace(scene.pending[0], number=5, batch=replace(BATCH, id="x2"))
    scene.pending.append(newer)
    dropped = drop_outdated(cast("Any", scene), cast("Any", scene))
    assert [each.id for each in dropped.recovered] == ["x1"]
    scene.last = 3
    assert [
        each.id for each in drop_outdated(cast("Any", scene), cast("Any", scene)).recovered
    ] == ["x1"]


def test_what_the_log_cannot_record_is_left_to_the_next_command(scene: Scene) -> None:
    def away(*_: object) -> None:
        raise LogUnavailable("the store is away.")

    scene.log.get = away  # type: ignore[method-assign,assignment]
    settled = scene.run()
    assert settled.unrecorded is not None
    assert settled.notes == (
        ("an earlier command here was stopped halfway, and cannot be settled: the store is away."),
    )
    scene.last = 4
    assert drop_outdated(cast("Any", scene), cast("Any", scene)) == Settled()


def pending(number: int, target: str, phase: Any) -> PendingRestore:
    left = UnfinishedRestore("u", "uc", target, "tc", "restore", True, True, phase)
    return PendingRestore(number, NOW, left)


def test_restores_come_before_batches_the_newest_whose_files_are_missing_first(
    scene: Scene,
) -> None:
    scene.left = (
        pending(1, "t1", "talk"),
        pending(2, "f2", "files"),
        pending(4, "f4", "files"),
        pending(5, "t5", "talk"),
    )
    scene.last = 4
    scene.run()
    assert scene.done[:4] == ["f4 finished", "f2 outdated", "t1 finished", "t5 finished"]
    assert scene.done[4] == "save 1"
    assert [event.id for event in scene.events] == ["f4", "f2", "t1", "t5"]


def test_what_is_under_way_belongs_to_a_caller_with_the_lock(scene: Scene) -> None:
    scene.nested = True
    assert (scene.run(), scene.done) == (Settled(), [])


def test_a_command_that_only_looks_names_what_is_open(scene: Scene) -> None:
    scene.pending.append(replace(scene.pending[0], batch=replace(BATCH, id="x2", rewinds=True)))
    scene.left = (pending(1, "c1", "files"), pending(2, "c2", "talk"))
    scene.left = (
        scene.left[0],
        replace(scene.left[1], restore=replace(scene.left[1].restore, verb="undo")),
    )
    entries = open_entries(cast("Any", scene))
    assert [(each.kind, each.id) for each in entries] == [
        ("batch", "x1"),
        ("batch", "x2"),
        ("restore", "c1"),
        ("restore", "c2"),
    ]
    assert isinstance(entries[0], OpenEntry)
    words = [each.message.partition(", begun at")[0] for each in entries]
    assert words == ["an apply", "an undo", "a restore of c1", "an undo of a restore"]
