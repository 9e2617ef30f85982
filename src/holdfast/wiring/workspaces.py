"""What is at a root: the workspace, its checkpoints, the store; and where the state directory is."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.adapters.filesystem.journal import hold, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from holdfast.adapters.filesystem.journal import DiskJournal
    from holdfast.adapters.git.worktree import GitWorktree
    from holdfast.adapters.store.store import Store
    from holdfast.changes.change_log import ChangeLog
    from holdfast.usecases.checkpoints.conversation import Conversations


class DiskWorkspace:
    """One root on the disk (port `Workspace`)."""

    def __init__(self, files: DiskFiles, state: Path) -> None:
        """Join the files below a root and the state directory."""
        self.files = files
        self.tree = files
        self.store = LateStore(state)
        self._state = state
        self._log: ChangeLog | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()
        self.files.close()

    @property
    def log(self) -> ChangeLog:
        """The record of the project's changes, opened when first asked for; raises `LogUnavailable`."""
        if self._log is None:
            # Not above: a check, a refused reply and `--help` do without a database.
            from holdfast.adapters.store.change_log import changes_at  # noqa: PLC0415

            self._log = changes_at(self.store.open, self.files.root)
        return self._log

    def hold(self) -> AbstractContextManager[DiskJournal]:
        """Wait for the root's lock, and give its journal."""
        return hold(self._state, self.files.root)

    def has_journal(self) -> bool:
        """Whether anything was ever written below this root."""
        return place_of(self._state, self.files.root).is_dir()

    def new_id(self) -> str:
        """Give a name that no other batch has."""
        return secrets.token_hex(6)


class GitWorktrees:
    """Where the checkpoints of one root are (port `Worktrees`)."""

    def __init__(
        self,
        root: Path,
        state: Path,
        say: Callable[[str], None],
        evict: Callable[[str], bool],
        store: LateStore | None = None,
    ) -> None:
        """Join a root and the state directory; `say` is told what goes on, `evict` stops a session in this process.

        A `store` that is given is used, and left open; else one is opened if need be, while the worktree is held.
        """
        self._root = root
        self._state = state
        self._say = say
        self._evict = evict
        self._store = store
        self._held: tuple[Path, LateStore] | None = None

    @contextmanager
    def hold(self, *, make: bool) -> Iterator[GitWorktree]:
        """Wait for the worktree's lock; with `make`, a folder without git gets a private repository."""
        from holdfast.adapters.git.worktree import lock_worktree  # noqa: PLC0415 - most commands do without git
        from holdfast.checkpoints.limits import SnapshotLimits  # noqa: PLC0415

        with (
            lock_worktree(
                self._root, self._state, SnapshotLimits(), self._say, create=make
            ) as worktree,
            LateStore(self._state) as opened,
        ):
            _hide(self._state, worktree.root)
            self._held = worktree.root, self._store or opened
            yield worktree

    @property
    def conversations(self) -> Conversations:
        """What belongs to sessions besides files, while the worktree is held; the store is opened at the first call."""
        # Not above: what is without sessions does without a database.
        from holdfast.adapters.store.agent_eviction import StoredAgents  # noqa: PLC0415
        from holdfast.adapters.store.transcript import StoredTranscript  # noqa: PLC0415
        from holdfast.usecases.checkpoints.conversation import Conversations  # noqa: PLC0415

        assert self._held is not None  # noqa: S101 - a use case holds the worktree first
        root, store = self._held
        return Conversations(
            StoredTranscript(store.open, root), StoredAgents(store.open, self._evict)
        )

    def new_id(self) -> str:
        """Give a name that no other checkpoint has."""
        return secrets.token_hex(6)

    def now(self) -> str:
        """Give the time, for people."""
        return datetime.now(UTC).isoformat(timespec="seconds")


class LateStore:
    """The chosen store, opened when first asked for: most commands do without."""

    def __init__(self, state: Path) -> None:
        """Join nothing yet."""
        self._state = state
        self._store: Store | None = None
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store, if it was opened."""
        self._opened.close()

    def open(self) -> Store:
        """Give the store; raises a `StoreError` if it cannot be opened."""
        if self._store is None:
            # Not above: a database takes longer to import than git takes for a checkpoint.
            from holdfast.adapters.store.database_url import chosen_url  # noqa: PLC0415
            from holdfast.adapters.store.store import open_store  # noqa: PLC0415

            self._store = self._opened.enter_context(open_store(chosen_url(self._state)))
        return self._store


def open_worktrees(
    root: Path,
    say: Callable[[str], None] = lambda _: None,
    *,
    evict: Callable[[str], bool] = lambda _: False,
    store: LateStore | None = None,
) -> GitWorktrees:
    """Give the checkpoints of a root; nothing is looked at before the first `hold`.

    `evict` stops what this process does for a session, and says whether that was anything. A `store` that the caller
    uses too is not opened a second time.
    """
    return GitWorktrees(root, state_directory(), say, evict, store)


def open_workspace(root: Path) -> DiskWorkspace:
    """Open the root; raises OSError if it is no directory that can be read. Close it by leaving its `with`."""
    return DiskWorkspace(DiskFiles(str(root)), state_directory())


def state_directory() -> Path:
    """Say where journals are: `HOLDFAST_STATE_DIR`, or the user's state directory."""
    named = os.environ.get("HOLDFAST_STATE_DIR")
    if named:
        # Git is called at other places than this one.
        return Path(named).absolute()
    # Not above: it takes longer to import than `holdfast --help` may.
    from platformdirs import user_state_path  # noqa: PLC0415

    return user_state_path("holdfast")


def _hide(state: Path, root: Path) -> None:
    """Keep a state directory that is in the project out of its checkpoints: no restore may bring an old store back."""
    place = Path(os.path.realpath(state))
    rules = place / ".gitignore"
    if root in place.parents and place.is_dir() and not rules.exists():
        from holdfast.adapters.filesystem import atomic_write  # noqa: PLC0415 - most commands do without git

        atomic_write.put(rules, b"*\n", sync=False)
