"""The composition root: the only place where a port meets an adapter."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from holdfast.adapters.files import DiskFiles
from holdfast.adapters.journal import hold, place_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from holdfast.adapters.git.worktree import GitWorktree
    from holdfast.adapters.journal import DiskJournal
    from holdfast.changes.log import ChangeLog


class DiskWorkspace:
    """One root on the disk (port `Workspace`)."""

    def __init__(self, files: DiskFiles, state: Path) -> None:
        """Join the files below a root and the state directory."""
        self.files = files
        self.tree = files
        self._state = state
        self._log: ChangeLog | None = None
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()
        self.files.close()

    @property
    def log(self) -> ChangeLog:
        """The record of the project's changes, opened when first asked for; raises `LogUnavailable`."""
        if self._log is None:
            # Not above: a check, a refused reply and `--help` do without a database.
            from holdfast.adapters.store.address import chosen_url  # noqa: PLC0415
            from holdfast.adapters.store.change_log import open_changes  # noqa: PLC0415

            opened = open_changes(chosen_url(self._state), self.files.root)
            self._log = self._opened.enter_context(opened)
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

    def __init__(self, root: Path, state: Path, say: Callable[[str], None]) -> None:
        """Join a root and the state directory; `say` is told what goes on."""
        self._root = root
        self._state = state
        self._say = say

    def hold(self, *, make: bool) -> AbstractContextManager[GitWorktree]:
        """Wait for the worktree's lock; with `make`, a folder without git gets a private repository."""
        from holdfast.adapters.git.worktree import hold_worktree  # noqa: PLC0415 - most commands do without git
        from holdfast.checkpoints.budget import Budget  # noqa: PLC0415

        return hold_worktree(self._root, self._state, Budget(), self._say, make=make)

    def new_id(self) -> str:
        """Give a name that no other checkpoint has."""
        return secrets.token_hex(6)

    def now(self) -> str:
        """Give the time, for people."""
        return datetime.now(UTC).isoformat(timespec="seconds")


def open_worktrees(root: Path, say: Callable[[str], None] = lambda _: None) -> GitWorktrees:
    """Give the checkpoints of a root; nothing is looked at before the first `hold`."""
    return GitWorktrees(root, state_directory(), say)


def open_workspace(root: Path) -> DiskWorkspace:
    """Open the root; raises OSError if it is no directory that can be read. Close it by leaving its `with`."""
    return DiskWorkspace(DiskFiles(str(root)), state_directory())


def state_directory() -> Path:
    """Say where journals are: `HOLDFAST_STATE_DIR`, or the user's state directory."""
    named = os.environ.get("HOLDFAST_STATE_DIR")
    if named:
        return Path(named)
    # Not above: it takes longer to import than `holdfast --help` may.
    from platformdirs import user_state_path  # noqa: PLC0415

    return user_state_path("holdfast")
