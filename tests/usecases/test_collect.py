"""The collection of garbage: what goes, what stays with its reason, and that a dry run removes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from holdfast.checkpoints.ports import CheckpointFailed, Leftovers, NoCheckpoints
from holdfast.usecases.checkpoints.ports import Worktrees
from holdfast.usecases.garbage import collect as collecting
from holdfast.usecases.garbage.collect import (
    Collected,
    GarbagePlaces,
    GarbageRequest,
    collect_garbage,
)
from holdfast.usecases.garbage.ports import (
    DiskGarbage,
    GoneFolders,
    Kept,
    ProjectPlace,
    RowGarbage,
)
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled

ROWS = RowGarbage(2, 20, 3, 30)


@dataclass
class Store:
    """Two projects with rows to remove (port `GarbageStore`)."""

    places: tuple[ProjectPlace, ...]
    free: int = 1000
    turn: str | None = None
    removed: list[tuple[str, int]] = field(default_factory=list)
    shrunk: int = 0

    def projects(self) -> tuple[ProjectPlace, ...]:
        return self.places

    def deleted_sessions(self, project: str) -> frozenset[str]:
        return frozenset({f"session of {project}"})

    def rows(self, project: str, sessions: Collection[str]) -> RowGarbage:
        return ROWS

    def remove_rows(self, project: str, sessions: Collection[str], refs: int) -> RowGarbage:
        assert sessions == {f"session of {project}"}
        self.removed.append((project, refs))
        return ROWS

    def free_bytes(self) -> int:
        return self.free

    def running_turn(self) -> str | None:
        return self.turn

    def shrink(self) -> None:
        self.shrunk += 1


@dataclass
class Folders:
    """The state directory (port `StateFolders`)."""

    asked: list[tuple[bool, bool]] = field(default_factory=list)
    removed: list[DiskGarbage] = field(default_factory=list)

    def gone_folders(self, *, now: bool, mark: bool) -> GoneFolders:
        self.asked.append((now, mark))
        return GoneFolders(DiskGarbage((("/r", 7), ("/s", 8))), (Kept("/young", "too young"),))

    def old_files(self) -> DiskGarbage:
        return DiskGarbage((("/f", 5),))

    def remove(self, garbage: DiskGarbage) -> None:
        self.removed.append(garbage)


@dataclass
class Refs:
    """The checkpoints at a folder (part of the ports `Worktrees` and `Worktree`)."""

    left: Leftovers = field(default_factory=Leftovers)
    error: CheckpointFailed | None = None
    removed: list[Leftovers] = field(default_factory=list)

    @contextmanager
    def hold(self, *, make: bool) -> Iterator[Refs]:
        assert not make
        if self.error is not None:
            raise self.error
        yield self

    def leftovers(self, sessions: Collection[str]) -> Leftovers:
        assert sessions
        return self.left

    def remove_leftovers(self, leftovers: Leftovers) -> None:
        self.removed.append(leftovers)


class Scene:
    """A project with four folders, one of which is gone, and another project without any."""

    def __init__(self, place: Path) -> None:
        self.refs = {
            "a": Refs(Leftovers(("r1", "r2"), 10)),
            "b": Refs(error=NoCheckpoints("none.")),
            "c": Refs(error=CheckpointFailed("somebody has the lock.")),
            "d": Refs(Leftovers(("r3",), 5)),
        }
        for name in self.refs:
            (place / name).mkdir()
        folders = tuple(str(place / name) for name in ("gone", *self.refs))
        self.place = place
        self.store = Store((ProjectPlace("p", folders), ProjectPlace("q", ())))
        self.folders = Folders()
        self.settled: list[object] = []

    def collect(self, *, has_store: bool = True, **request: object) -> Collected:
        places = GarbagePlaces(
            self.store if has_store else None,
            self.folders,
            lambda folder: cast("Worktrees", self.refs[folder.name]),
        )
        return collect_garbage(GarbageRequest(**request), places)  # type: ignore[arg-type]


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    made = Scene(tmp_path)

    def settle(worktree: object, _: object) -> Settled:
        made.settled.append(worktree)
        return NOTHING_LEFT

    monkeypatch.setattr(collecting, "settle_worktree", settle)
    return made


EVERYTHING = {
    "refs": (3, 15),
    "changes": (4, 40),
    "events": (6, 60),
    "repositories": (2, 15),
    "files": (1, 5),
    "vacuum": (0, 1000),
}


def figures(collected: Collected) -> dict[str, tuple[int, int]]:
    return {kind: (collected.removed[kind], collected.freed[kind]) for kind in collected.removed}


def test_all_garbage_is_removed_and_counted(scene: Scene) -> None:
    collected = scene.collect()
    assert figures(collected) == EVERYTHING
    assert collected.size == 1135
    assert collected.kept == [
        Kept(str(scene.place / "c"), "somebody has the lock."),
        Kept("/young", "too young"),
    ]
    assert scene.store.removed == [("p", 3), ("q", 0)]
    assert [scene.refs[name].removed for name in "ad"] == [
        [scene.refs["a"].left],
        [scene.refs["d"].left],
    ]
    assert scene.settled == [scene.refs["a"], scene.refs["d"]]
    assert [garbage.size for garbage in scene.folders.removed] == [15, 5]
    assert (scene.folders.asked, scene.store.shrunk) == ([(False, True)], 1)


def test_a_dry_run_has_the_same_figures_and_removes_nothing(scene: Scene) -> None:
    assert figures(scene.collect(dry_run=True, now=True)) == EVERYTHING
    assert (scene.store.removed, scene.store.shrunk, scene.settled) == ([], 0, [])
    assert [scene.refs[name].removed for name in "ad"] == [[], []]
    assert (scene.folders.asked, scene.folders.removed) == ([(True, False)], [])


def test_of_one_project_only_that_is_collected(scene: Scene) -> None:
    collected = scene.collect(root=str(scene.place / "a"))
    assert figures(collected) == {
        "refs": (3, 15),
        "changes": (2, 20),
        "events": (3, 30),
        "repositories": (0, 0),
        "files": (0, 0),
        "vacuum": (0, 1000),
    }
    assert (scene.store.removed, scene.folders.asked) == ([("p", 3)], [])


def test_without_a_store_only_folders_are_collected(scene: Scene) -> None:
    collected = scene.collect(has_store=False)
    assert figures(collected) == {
        "refs": (0, 0),
        "changes": (0, 0),
        "events": (0, 0),
        "repositories": (2, 15),
        "files": (1, 5),
    }


def test_the_store_is_not_rewritten_while_a_turn_runs(scene: Scene) -> None:
    scene.store.turn = "t"
    collected = scene.collect()
    assert "vacuum" not in collected.removed
    assert collected.kept[-1] == Kept(
        "the store", "turn t is running, and would have to wait while the file is rewritten"
    )
    assert scene.store.shrunk == 0


def test_a_store_without_free_bytes_is_not_rewritten(scene: Scene) -> None:
    scene.store.free = 0
    scene.collect()
    assert scene.store.shrunk == 0
