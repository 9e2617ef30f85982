"""The directories of a worktree: their permissions, and which are empty. Git stores neither.

What a directory has in it is remembered with the directory's time, so that only directories that
changed are read again.
"""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.git_command import to_bytes, to_text
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_VERSION = 1
Entry: TypeAlias = "list[Any]"
"""The time of a directory, the names of the directories in it, and whether it is empty."""


@dataclass(slots=True)
class ScannedDirectories:
    """The mode of each directory, the empty ones, those that cannot be read, and repositories."""

    modes: dict[str, int] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)
    repositories: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    def unusual(self, usual: int) -> dict[str, int]:
        """Return the directories with other permissions than the usual ones."""
        return {path: mode for path, mode in self.modes.items() if mode != usual}

    def most_common(self) -> Counter[int]:
        """Return how often each mode occurs."""
        return Counter(self.modes.values())


class WorktreeDirectories:
    """The directories of one worktree, under its lock."""

    def __init__(self, root: Path, cache: Path) -> None:
        """Remember what was read in this file."""
        self._root = root
        self._cache = cache

    def scan(self, left_out: frozenset[str], newer_than: int) -> ScannedDirectories:
        """Return all directories but those in `left_out`, repositories inside, and what is below.

        A directory that changed after `newer_than` is read again the next time.
        """
        known = self._read()
        now: dict[str, Entry] = {}
        scanned = ScannedDirectories()
        pending = [""]
        while pending:
            path = pending.pop()
            entry = self._visit(path, known.get(path), scanned)
            if entry is None:
                continue
            now[path] = entry
            if entry[0] >= newer_than:
                now[path] = [0, *entry[1:]]
            prefix = f"{path}/" if path else ""
            for name in entry[1]:
                child = f"{prefix}{name}"
                if child not in left_out:
                    pending.append(child)
        if now != known:
            fields = {"version": _VERSION, "directories": now}
            atomic_write.put(self._cache, json.dumps(fields).encode("ascii"), sync=False)
        scanned.empty.sort()
        return scanned

    def _visit(self, path: str, known: Entry | None, scanned: ScannedDirectories) -> Entry | None:
        location = f"{self._root}/{os.fsdecode(to_bytes(path))}"
        try:
            status = os.lstat(location)
        except OSError:
            return None
        if not stat.S_ISDIR(status.st_mode):
            return None
        entry = known
        if entry is None or entry[0] != status.st_mtime_ns:
            entry = self._read_directory(path, location, status.st_mtime_ns, scanned)
        if entry is None:
            return None
        if path:
            scanned.modes[path] = stat.S_IMODE(status.st_mode)
            if entry[2]:
                scanned.empty.append(path)
        return entry

    def _read_directory(
        self, path: str, location: str, time: int, scanned: ScannedDirectories
    ) -> Entry | None:
        """Return what is in a directory; None for a repository, or if it cannot be read."""
        names: list[str] = []
        empty = True
        try:
            with os.scandir(location) as entries:
                for each in entries:
                    empty = False
                    if each.name == ".git":
                        if path:
                            scanned.repositories.append(path)
                            return None
                        continue
                    if each.is_dir(follow_symlinks=False):
                        names.append(to_text(os.fsencode(each.name)))
        except PermissionError:
            scanned.unreadable.append(path)
            return None
        except OSError:
            return None
        return [time, names, empty]

    def _read(self) -> Mapping[str, Entry]:
        try:
            fields = json.loads(self._cache.read_bytes())
            if fields["version"] != _VERSION:
                return {}
            directories: dict[str, Entry] = fields["directories"]
            if not all(len(entry) == 3 for entry in directories.values()):
                return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}
        return directories
