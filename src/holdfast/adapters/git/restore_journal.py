"""The journal of restores: a small file for each one under way.

It is on the disk before the first file changes.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from holdfast.adapters.filesystem import atomic_write
from holdfast.checkpoints.ports import UnfinishedRestore

if TYPE_CHECKING:
    from pathlib import Path

_VERSION = 1
_TEXT_FIELDS = ("undo_id", "undo_commit", "target_id", "target_commit", "verb", "phase", "tree")
_LIST_FIELDS = ("orphans", "kept", "lost")


class RestoreJournal:
    """The restores under way in one worktree."""

    def __init__(self, directory: Path) -> None:
        """Store entries in this directory, which need not exist."""
        self._directory = directory

    def read_all(self) -> tuple[UnfinishedRestore, ...]:
        """Return the restores that dead processes left unfinished, the oldest first."""
        try:
            files = [file for file in self._directory.iterdir() if file.suffix == ".json"]
        except FileNotFoundError:
            return ()
        files.sort(key=lambda file: (file.stat().st_mtime_ns, file.name))
        entries = [_read(file) for file in files]
        return tuple(entry for entry in entries if entry is not None)

    def write(self, unfinished: UnfinishedRestore) -> None:
        """Write an entry durably."""
        if not self._directory.is_dir():
            self._directory.mkdir(0o700)
            atomic_write.sync_directory(self._directory.parent)
        fields = asdict(unfinished) | {"version": _VERSION}
        atomic_write.put(self._file_of(unfinished), json.dumps(fields).encode("ascii"), sync=True)

    def remove(self, unfinished: UnfinishedRestore) -> None:
        """Remove an entry."""
        atomic_write.drop(self._file_of(unfinished), sync=True)

    def _file_of(self, unfinished: UnfinishedRestore) -> Path:
        return self._directory / f"{unfinished.undo_id}.json"


def _read(file: Path) -> UnfinishedRestore | None:
    """Parse an entry; return None if it is damaged.

    `atomic_write.put` leaves no such file, unless the disk itself lost data.
    """
    try:
        fields: Any = json.loads(file.read_bytes())
        if fields.pop("version") != _VERSION:
            return None
        for name in _LIST_FIELDS:
            fields[name] = tuple(fields[name])
        if not _has_valid_types(fields):
            return None
        return UnfinishedRestore(**fields)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _has_valid_types(fields: dict[str, Any]) -> bool:
    texts = [fields[name] for name in _TEXT_FIELDS]
    for name in _LIST_FIELDS:
        texts.extend(fields[name])
    return all(isinstance(text, str) for text in texts)
