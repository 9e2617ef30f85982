"""The checkpoints of a root."""

from __future__ import annotations

import os
import secrets
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.gone_checkpoints import find_gone_checkpoints
from holdfast.adapters.git.worktree import (
    GitWorktree,
    has_old_checkpoints,
    lock_worktree,
    look_at_worktree,
)
from holdfast.adapters.places.folder_id import settle_birth
from holdfast.adapters.places.place_records import (
    claim_place,
    find_place,
    find_worktree,
    has_other_worktrees,
)
from holdfast.adapters.processes.sandbox.private_objects import bring_left_objects_over
from holdfast.checkpoints.limits import (
    IGNORED_BUDGET,
    MEGABYTE,
    IgnoredBudget,
    SnapshotLimits,
)
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.config.settings import BadConfig
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.wiring.batch_roots import DiskBatchRoots
from holdfast.wiring.journals import journal_lock, look_at_journal
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.settings import settings_at
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.adapters.filesystem.journal import DiskJournal
    from holdfast.adapters.git.gone_checkpoints import GoneCheckpoint
    from holdfast.checkpoints.checkpoint import Checkpoint
    from holdfast.usecases.checkpoints.restore_ports import CheckpointElsewhere, Conversations
    from holdfast.usecases.sessions.ports import RunningTurns
    from holdfast.vocab.place import Place


@dataclass(frozen=True, slots=True)
class _Locked:
    """A locked worktree, its place, the place of the root, and the store."""

    git: GitWorktree
    worktree: Place
    project: Place
    store: LateStore


_STORE_SUFFIXES = ("-wal", "-shm", "-journal", ".lock")


class GitWorktrees:
    """The checkpoints of one root (port `Worktrees`)."""

    def __init__(
        self,
        root: Path,
        state: Path,
        say: Callable[[str], None],
        store: LateStore | None = None,
    ) -> None:
        """Join a root and the state directory.

        `say` receives progress. A `store` of the caller is used and left open; without it one is
        opened if needed, while the worktree is locked.
        """
        self._root = root
        self._state = state
        self._say = say
        self._store = store
        self._locked: _Locked | None = None
        # Where the whole worktree is, once it was locked: the root may be a folder in it.
        self._worktree: Place | None = None

    @contextmanager
    def hold(self, *, make: bool) -> Iterator[GitWorktree]:
        """Lock the worktree; with `make`, create a private repository in a folder without git."""
        if make:
            with suppress(OSError):
                settle_birth(self._root)

        problem = bring_left_objects_over(str(self._root), str(self._state))
        if problem:
            self._say(problem)

        limits = replace(SnapshotLimits(), ignored=_ignored_budget(self._root))
        lock = journal_lock(self._state, self._say)
        locked = lock_worktree(
            self._root,
            self._state,
            limits,
            self._say,
            lock,
            create=make,
            excluded=_store_files(),
        )
        with locked as worktree, LateStore(self._state) as opened:
            _exclude_from_checkpoints(self._state, worktree.root)
            # Not before: where no checkpoint may be taken, nothing is recorded.
            place = self._place(self._root, claim=make)
            self._worktree = place
            if str(worktree.root) != place.worktree_root:
                self._worktree = self._place(worktree.root, claim=make)
            self._locked = _Locked(worktree, self._worktree, place, self._store or opened)
            try:
                yield worktree
            finally:
                self._locked = None

    def _place(self, root: Path, *, claim: bool) -> Place:
        """Return the place of a root; with `claim`, record where it is."""
        with suppress(OSError):
            if claim:
                return claim_place(root, self._state)
        # A full state directory is no reason to take no checkpoint in the user's repository.
        with _disk_errors_as_failures():
            return find_place(root, self._state)

    @contextmanager
    def look(self, *, files: bool = False) -> Iterator[GitWorktree]:
        """Return the worktree to read its checkpoints, without its lock.

        With `files`, the files as they are can be captured too; nothing of that is kept.
        """
        if has_old_checkpoints(self._root, self._state, SnapshotLimits()):
            with self.hold(make=False):
                # Their place is another now; that they are moved is all that is to be done.
                pass

        journal = look_at_journal(self._state, self._root)
        limits = SnapshotLimits()
        if files:
            limits = replace(limits, ignored=_ignored_budget(self._root))

        looked = look_at_worktree(
            self._root, self._state, limits, journal, files=files, excluded=_store_files()
        )
        with looked as worktree:
            yield worktree

    def adopt(self, wanted: str) -> bool:
        """Record a checkpoint of a worktree that is gone here; return whether there is one."""
        found = self._gone(wanted)
        if len(found) != 1:
            return False
        with self.hold(make=True) as worktree:
            worktree.adopt(found[0])
        return True

    def copy(self, source: GoneCheckpoint) -> str:
        """Record a checkpoint of another worktree here, its files only; return its new id."""
        new_id = self.new_id()
        with self.hold(make=True) as worktree:
            worktree.adopt(source, new_id)
        return new_id

    def gone(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints that `adopt` can record, the latest first."""
        found = [each.checkpoint for each in self._gone("")]
        return tuple(sorted(found, key=lambda each: each.draft.created_at, reverse=True))

    def _gone(self, beginning: str) -> tuple[GoneCheckpoint, ...]:
        deadline = time.monotonic() + SnapshotLimits().seconds
        with _disk_errors_as_failures():
            return find_gone_checkpoints(beginning, self._root, self._state, deadline)

    @property
    def journal(self) -> DiskJournal:
        """The journal of the worktree, while it is locked."""
        return self._while_locked().git.journal

    @property
    def batch_roots(self) -> DiskBatchRoots:
        """The roots of batches that dead processes left in this worktree, while it is locked."""
        locked = self._while_locked()
        return DiskBatchRoots(locked.project, self._state, locked.store)

    @property
    def conversations(self) -> Conversations:
        """The conversations of sessions, while the worktree is locked."""
        locked = self._while_locked()
        return locked.store.conversations(locked.worktree, locked.project)

    def _while_locked(self) -> _Locked:
        assert self._locked is not None  # noqa: S101 - a use case locks the worktree first
        return self._locked

    def elsewhere(self) -> tuple[CheckpointElsewhere, ...]:
        """Return the checkpoints of the project's other worktrees, the latest first."""
        place = self._place(self._root, claim=False)
        if not has_other_worktrees(place, self._state):
            return ()

        with LateStore(self._state) as opened:
            conversations = (self._store or opened).conversations(place, place)
            found = conversations.transcript.elsewhere()

        return tuple(_located(each, place) for each in found)

    @contextmanager
    def running_turns(self) -> Iterator[RunningTurns]:
        """Return the turns that work on the files of the worktree."""
        worktree = self._worktree or self._place(self._root, claim=False)
        if self._locked is not None:
            yield self._locked.store.running_turns(worktree)
            return
        with LateStore(self._state) as opened:
            yield (self._store or opened).running_turns(worktree)

    @property
    def prefix(self) -> str:
        """What the paths of the worktree below this root begin with, while it is locked."""
        below = os.path.relpath(os.path.realpath(self._root), self._while_locked().git.root)
        if below == os.curdir:
            return ""
        return f"{below}/"

    def new_id(self) -> str:
        """Return an id that no other checkpoint has."""
        return secrets.token_hex(6)

    def now(self) -> str:
        """Return the time as ISO 8601 in UTC."""
        return datetime.now(UTC).isoformat(timespec="seconds")


def open_worktrees(
    root: Path,
    say: Callable[[str], None] = lambda _: None,
    *,
    store: LateStore | None = None,
) -> GitWorktrees:
    """Return the checkpoints of a root; nothing is read before the first `hold`.

    A `store` that the caller uses too is not opened a second time.
    """
    return GitWorktrees(root, state_directory(), say, store)


@contextmanager
def open_running_turns(root: Path) -> Iterator[RunningTurns]:
    """Return the turns that work on the files of a root; close the store afterwards."""
    with LateStore(state_directory()) as store:
        yield store.running_turns(find_place(root, state_directory()))


def _located(other: CheckpointElsewhere, place: Place) -> CheckpointElsewhere:
    """Return a checkpoint of another worktree with the path where that one is now."""
    path = find_worktree(other.worktree_id, other.worktree, place)
    if path is None:
        return replace(other, is_gone=True)
    return replace(other, worktree=path)


@contextmanager
def _disk_errors_as_failures() -> Iterator[None]:
    """Raise `CheckpointFailed` for an error of the disk."""
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise CheckpointFailed(
            f"the disk refused: {error.strerror}{where}; fix this, and try again."
        ) from error


def _ignored_budget(root: Path) -> IgnoredBudget:
    """Return which ignored files are kept; the defaults, if the settings cannot be read."""
    settings = settings_at(root)
    if isinstance(settings, BadConfig):
        return IGNORED_BUDGET

    return IgnoredBudget(
        settings["ignored_file_kilobytes"] * 1024,
        settings["ignored_files"],
        settings["ignored_megabytes"] * MEGABYTE,
        IGNORED_BUDGET.folders.union(settings["build_folders"]),
    )


def _store_files() -> list[Path]:
    """Return the files of a SQLite store outside the state directory."""
    address = os.environ.get("HOLDFAST_DATABASE_URL", "").removeprefix("sqlite:///")
    if not address or "://" in address:
        return []
    file = Path(address).expanduser().absolute()
    return [file, *(file.with_name(f"{file.name}{end}") for end in _STORE_SUFFIXES)]


def _exclude_from_checkpoints(state: Path, root: Path) -> None:
    """Ignore a state directory inside the project, so that no restore brings an old store back."""
    place = Path(os.path.realpath(state))
    if root not in place.parents or not place.is_dir():
        return
    rules = place / ".gitignore"
    if not rules.exists():
        atomic_write.put(rules, b"*\n", sync=False)
