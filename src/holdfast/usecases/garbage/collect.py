"""Remove what nothing leads to any more, and say how much space that frees.

Each step removes one thing as a whole and looks for what to remove by itself, so a run that is
killed anywhere is finished by the next one.
"""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.checkpoints.ports import CheckpointFailed, Leftovers, NoCheckpoints
from holdfast.usecases.checkpoints.restore_recovery import settle_worktree
from holdfast.usecases.garbage.ports import Kept, RowGarbage
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.garbage.ports import GarbageStore, ProjectPlace, StateFolders


@dataclass(frozen=True, slots=True)
class GarbageRequest:
    """What to collect. `now`: do not wait until a folder has been gone for long.

    `root`: only the project that has this folder.
    """

    dry_run: bool = False
    now: bool = False
    root: str | None = None


@dataclass(frozen=True, slots=True)
class GarbagePlaces:
    """Where to look: the store (None: there is none), the state directory, and the worktrees."""

    store: GarbageStore | None
    folders: StateFolders
    open_worktrees: Callable[[Path], Worktrees]


@dataclass(slots=True)
class Collected:
    """How many things of each kind were removed, the bytes that frees, and what stays.

    In a dry run nothing was removed: the figures are those of a run. `recovered` is what was done
    about commands that had died.
    """

    dry_run: bool
    removed: dict[str, int] = field(default_factory=dict)
    freed: dict[str, int] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)
    recovered: Settled = NOTHING_LEFT

    @property
    def size(self) -> int:
        """All bytes that are freed."""
        return sum(self.freed.values())

    def add(self, kind: str, count: int, size: int) -> None:
        """Count things of a kind."""
        self.removed[kind] = self.removed.get(kind, 0) + count
        self.freed[kind] = self.freed.get(kind, 0) + size


def collect_garbage(request: GarbageRequest, places: GarbagePlaces) -> Collected:
    """Remove refs, rows, private repositories and files that nothing leads to any more."""
    collected = Collected(request.dry_run)
    for kind in ("refs", "changes", "events", "repositories", "files"):
        collected.add(kind, 0, 0)

    free = 0
    store = places.store
    if store is not None:
        free = store.free_bytes()
        for project in store.projects():
            if request.root is None or request.root in project.folders:
                _collect_project(project, store, places, collected)

    if request.root is None:
        _collect_folders(request, places.folders, collected)

    if store is not None:
        _shrink(free, store, collected)

    return collected


def _collect_project(
    project: ProjectPlace, store: GarbageStore, places: GarbagePlaces, collected: Collected
) -> None:
    sessions = store.deleted_sessions(project.id)
    refs = 0
    for folder in project.folders:
        left = _collect_refs(Path(folder), sessions, places, collected)
        refs += len(left.refs)
        collected.add("refs", len(left.refs), left.size)

    if collected.dry_run:
        rows = store.rows(project.id, sessions)
    else:
        rows = store.remove_rows(project.id, sessions, refs)

    _count_rows(rows, collected)


def _count_rows(rows: RowGarbage, collected: Collected) -> None:
    collected.add("changes", rows.changes, rows.changes_size)
    collected.add("events", rows.events, rows.events_size)


def _collect_refs(
    folder: Path, sessions: Collection[str], places: GarbagePlaces, collected: Collected
) -> Leftovers:
    """Remove the refs of a worktree that nothing leads to, under its lock."""
    if not folder.is_dir():
        return Leftovers()

    worktrees = places.open_worktrees(folder)
    try:
        with worktrees.hold(make=False) as worktree:
            if not collected.dry_run:
                settled = settle_worktree(worktree, worktrees)
                collected.recovered = collected.recovered.followed_by(settled)
            left = worktree.leftovers(sessions)
            if not collected.dry_run:
                worktree.remove_leftovers(left)
            return left
    except NoCheckpoints:
        return Leftovers()
    except CheckpointFailed as error:
        collected.kept.append(Kept(str(folder), str(error)))
        return Leftovers()


def _collect_folders(request: GarbageRequest, folders: StateFolders, collected: Collected) -> None:
    gone = folders.gone_folders(now=request.now, mark=not request.dry_run)
    collected.kept += gone.kept
    old = folders.old_files()
    for kind, garbage in (("repositories", gone.garbage), ("files", old)):
        collected.add(kind, len(garbage.paths), garbage.size)
        if not request.dry_run:
            folders.remove(garbage)


def _shrink(free: int, store: GarbageStore, collected: Collected) -> None:
    """Return free bytes to the disk, unless a turn would have to wait for that."""
    turn = store.running_turn()
    if turn is not None:
        reason = f"turn {turn} is running, and would have to wait while the file is rewritten"
        collected.kept.append(Kept("the store", reason))
        return

    collected.add("vacuum", 0, free)
    if not collected.dry_run and store.free_bytes():
        store.shrink()
