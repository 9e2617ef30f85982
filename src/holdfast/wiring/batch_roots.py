"""The roots in a worktree below which dead processes have left batches."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.adapters.places.place_records import find_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from holdfast.changes.change_log import ChangeLog
    from holdfast.vocab.owned_event import OwnedEvent
    from holdfast.vocab.place import Place
    from holdfast.wiring.late_store import LateStore


class DiskBatchRoot:
    """One root on the disk (port `BatchRoot`)."""

    def __init__(
        self, files: DiskFiles, place: Place, store: LateStore, secrets: tuple[str, ...]
    ) -> None:
        """Join the files below a root and a store, which is opened at its first use."""
        self.tree = files
        self.secrets = secrets
        self._place = place
        self._store = store

    @property
    def log(self) -> ChangeLog:
        """The log of the project's changes; raises `LogUnavailable`."""
        return self._store.change_log(self._place)


class DiskBatchRoots:
    """All roots in the worktree around one (port `BatchRoots`)."""

    def __init__(
        self, place: Place, state: Path, store: LateStore, secrets: tuple[str, ...] = ()
    ) -> None:
        """Publish in the log of this place."""
        self._place = place
        self._state = state
        self._store = store
        self._secrets = secrets

    @contextmanager
    def at(self, root: str) -> Iterator[DiskBatchRoot | None]:
        """Open the root of a batch; None if there is no such folder any more."""
        try:
            opened = DiskFiles(root)
        except (FileNotFoundError, NotADirectoryError):
            yield None
            return

        with closing(opened) as files:
            place = find_place(files.root, self._state)
            yield DiskBatchRoot(files, place, self._store, self._secrets)

    def publish(self, events: Sequence[OwnedEvent]) -> None:
        """Publish events in a transaction of their own; raises `EventsUnavailable`."""
        self._store.event_log(self._place).publish(events)
