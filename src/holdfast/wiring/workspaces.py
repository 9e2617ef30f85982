"""The files below a root, with their journal and their change log."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Self

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.adapters.filesystem.journal import DiskJournal, lock_journal, place_of
from holdfast.adapters.places.places import claim_place, find_place, is_known
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from holdfast.changes.change_log import ChangeLog
    from holdfast.vocab.place import Place


class DiskWorkspace:
    """One root on the disk (port `Workspace`)."""

    def __init__(self, files: DiskFiles, state: Path) -> None:
        """Join the files below a root and the state directory."""
        self.files = files
        self.tree = files
        self.secrets: tuple[str, ...] = ()
        self.store = LateStore(state)
        self._state = state
        self._log: ChangeLog | None = None
        self._place: Place | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()
        self.files.close()

    @property
    def log(self) -> ChangeLog:
        """The log of the project's changes, opened at its first use; raises `LogUnavailable`."""
        if self._log is None:
            self._log = self.store.change_log(self.place)
        return self._log

    @property
    def place(self) -> Place:
        """The project and the worktree of this root."""
        if self._place is None:
            self._place = find_place(self.files.root, self._state)
        return self._place

    def claim(self) -> Place:
        """Return the place, and record in the state directory where it is."""
        self._place = claim_place(self.files.root, self._state)
        return self._place

    def hold(self) -> AbstractContextManager[DiskJournal]:
        """Lock the root, and return its journal."""
        self.claim()
        return lock_journal(self._state, self.files.root)

    def has_journal(self) -> bool:
        """Return whether anything was ever written below this root, or in the project."""
        if place_of(self._state, self.files.root).is_dir():
            return True
        return is_known(self.place, self._state)

    def new_id(self) -> str:
        """Return an id that no other batch has."""
        return secrets.token_hex(6)


def open_workspace(root: Path) -> DiskWorkspace:
    """Open the root, to be closed by leaving its `with`.

    Raise OSError if the root is not a directory or cannot be read.
    """
    return DiskWorkspace(DiskFiles(str(root)), state_directory())
