"""The journal of restores: one small file for each that is under way, on the disk before the first file changes."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from holdfast.adapters.filesystem import atomic_write
from holdfast.checkpoints.ports import UnfinishedRestore

_VERSION = 1
_WORDS = ("undo_id", "undo_commit", "target_id", "target_commit", "verb", "phase", "tree")


class RestoreJournal:
    """The restores under way in one worktree."""

    def __init__(self, directory: Path) -> None:
        """Keep them in this directory, which need not be there."""
        self._directory = directory

    def all(self) -> tuple[UnfinishedRestore, ...]:
        """Give what dead processes left, the oldest first."""
        try:
            entries = [entry for entry in self._directory.iterdir() if entry.suffix == ".json"]
        except FileNotFoundError:
            return ()
        entries.sort(key=lambda entry: (entry.stat().st_mtime_ns, entry.name))
        read = [_read(entry) for entry in entries]
        return tuple(each for each in read if each is not None)

    def write(self, unfinished: UnfinishedRestore) -> None:
        """Write one down, durably."""
        if not self._directory.is_dir():
            self._directory.mkdir(0o700)
            atomic_write.sync_directory(self._directory.parent)
        noted = asdict(unfinished) | {"version": _VERSION}
        atomic_write.put(self._place_of(unfinished), json.dumps(noted).encode("ascii"), sync=True)

    def clear(self, unfinished: UnfinishedRestore) -> None:
        """Forget one."""
        atomic_write.drop(self._place_of(unfinished), sync=True)

    def _place_of(self, unfinished: UnfinishedRestore) -> Path:
        return self._directory / f"{unfinished.undo_id}.json"


def _read(file: Path) -> UnfinishedRestore | None:
    """Read one; None if it was never whole. `durable.put` leaves none of these unless the disk itself lost it."""
    try:
        noted: Any = json.loads(file.read_bytes())
        if noted.pop("version") != _VERSION:
            return None
        for name in ("orphans", "kept", "lost"):
            noted[name] = tuple(noted[name])
        whole = all(isinstance(noted[name], str) for name in _WORDS)
        whole = whole and all(
            isinstance(path, str) for name in ("orphans", "kept", "lost") for path in noted[name]
        )
        return UnfinishedRestore(**noted) if whole else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
