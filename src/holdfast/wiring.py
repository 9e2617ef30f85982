"""The composition root: the only place where a port meets an adapter."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Self

from holdfast.adapters.files import DiskFiles
from holdfast.adapters.journal import hold, place_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from holdfast.adapters.journal import DiskJournal


class DiskWorkspace:
    """One root on the disk (port `Workspace`)."""

    def __init__(self, files: DiskFiles, state: Path) -> None:
        """Join the files below a root and the state directory."""
        self.files = files
        self.tree = files
        self._state = state

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.files.close()

    def hold(self) -> AbstractContextManager[DiskJournal]:
        """Wait for the root's lock, and give its journal."""
        return hold(self._state, self.files.root)

    def has_journal(self) -> bool:
        """Whether anything was ever written below this root."""
        return place_of(self._state, self.files.root).is_dir()

    def new_id(self) -> str:
        """Give a name that no other batch has."""
        return secrets.token_hex(6)


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
