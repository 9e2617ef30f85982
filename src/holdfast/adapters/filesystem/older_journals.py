"""The journals of release 0.1: one for each root, and one in each git directory."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.filesystem.journal_format import read_batch, read_restore
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from holdfast.changes.ports import PendingBatch
    from holdfast.checkpoints.ports import PendingRestore

_BATCH_VERSION = 2
_RESTORE_VERSION = 1


@dataclass(frozen=True, slots=True)
class OlderEntry:
    """A file with a batch or a restore, and when it was written."""

    file: Path
    written: int

    def read(self) -> PendingBatch | PendingRestore | None:
        """Return what is in the file; raise `JournalDamaged`."""
        if self.file.suffix == ".json":
            return read_restore(self.file, 0, _RESTORE_VERSION)
        pending = read_batch(self.file, _BATCH_VERSION)
        if pending is None:
            return None
        return replace(pending, committed=self.file.name == "committed")

    def remove(self) -> None:
        """Remove the file, durably."""
        atomic_write.drop(self.file, sync=True)


class OlderJournals:
    """Where release 0.1 wrote the journals of one root and of the worktree around it."""

    def __init__(self, state: Path, root: Path, worktree: Path) -> None:
        """Set the state directory, the root that is used, and the worktree around it."""
        named = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
        whole = hashlib.sha256(os.fsencode(worktree)).hexdigest()[:32]
        self._batches = state / "roots" / named
        self._restores = (
            state / "private" / f"{whole}.git" / "holdfast" / "restores",
            _git_directory(worktree) / "holdfast" / "restores",
        )

    def is_there(self) -> bool:
        """Return whether release 0.1 has written below the root."""
        return self._batches.is_dir()

    def entries(self) -> list[OlderEntry]:
        """Return what is open, in the order in which it was written."""
        found = [OlderEntry(file, file.stat().st_mtime_ns) for file in self._files()]
        return sorted(found, key=lambda entry: entry.written)

    def _files(self) -> Iterator[Path]:
        for name in ("committed", "prepared"):
            file = self._batches / name
            if file.exists():
                yield file
        for directory in self._restores:
            yield from directory.glob("*.json")


def _git_directory(worktree: Path) -> Path:
    """Return the git directory of a worktree, which need not exist."""
    marker = worktree / ".git"
    try:
        named = marker.read_bytes()
    except OSError:
        return marker
    return worktree / os.fsdecode(named.removeprefix(b"gitdir: ").rstrip(b"\n"))
