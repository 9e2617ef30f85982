"""The directories of a worktree: their permissions, and which are empty. Git stores neither.

What a directory has in it is remembered with the directory's times. So only directories that
changed are read again; and where none has changed, there is no new file for git to look for.
"""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.git_command import to_bytes, to_text
from holdfast.checkpoints.selection import Listing
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_VERSION = 3
_GIT = b".git"
_RULES = b".gitignore"
Times: TypeAlias = "list[int]"
"""When the content, and when anything of a file or directory changed; zeros if that is unknown."""
_UNKNOWN: Times = [0, 0]


@dataclass(slots=True)
class ScannedDirectories:
    """The mode of each directory, the empty ones, and those that cannot be read.

    The root has no name. `special` are pipes, sockets and devices. `repositories` are inside, and
    were not left out: git may have captured files in them.
    """

    modes: dict[str, int] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    repositories: list[str] = field(default_factory=list)
    special: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether the times of the directories tell of every new file."""
        return not self.unreadable and not self.repositories

    def unusual(self, usual: int) -> dict[str, int]:
        """Return the directories with other permissions than the usual ones, and the root."""
        return {path: mode for path, mode in self.modes.items() if mode != usual or not path}

    def most_common(self) -> Counter[int]:
        """Return how often each mode occurs."""
        return Counter(mode for path, mode in self.modes.items() if path)


@dataclass(frozen=True, slots=True)
class UnchangedDirectories:
    """All directories are as they were, and so are the paths that no snapshot has captured."""

    scanned: ScannedDirectories
    uncaptured: Listing


@dataclass(slots=True)
class _Directory:
    """A directory: its times, the names of directories in it, and the times of its ignore rules.

    `special` are the names of pipes, sockets and devices in it.
    """

    times: Times
    names: list[str]
    empty: bool
    rules: Times | None = None
    special: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Memory:
    """What is remembered. `left_out` has the times of directories that were not read.

    `uncaptured` is what git lists besides the captured files; None if that is not known.
    """

    directories: dict[str, _Directory] = field(default_factory=dict)
    left_out: dict[str, Times] = field(default_factory=dict)
    excluded: list[str] = field(default_factory=list)
    uncaptured: Listing | None = None


class WorktreeDirectories:
    """The directories of one worktree, under its lock."""

    def __init__(self, root: Path, cache: Path, excluded: Iterable[str]) -> None:
        """Remember what was read in this file. `excluded` are paths of Holdfast."""
        self._excluded = sorted(excluded)
        self._prefix = os.fsencode(root) + b"/"
        self._cache = cache
        self._memory: _Memory | None = None
        self._now = _Memory()

    # ----------------------------------------------------------------------------------- recheck

    def recheck(self) -> UnchangedDirectories | None:
        """Return what is remembered, if no directory and no ignore rule has changed; else None."""
        memory = self._remembered()
        if memory.uncaptured is None or memory.excluded != self._excluded:
            return None

        scanned = ScannedDirectories()
        for path, directory in memory.directories.items():
            mode = self._mode_if_unchanged(path, directory)
            if mode is None:
                return None
            if directory.special:
                scanned.special += _below(path, directory.special)
            scanned.modes[path] = mode
            if path and directory.empty:
                scanned.empty.append(path)

        for path, times in memory.left_out.items():
            if self._times_of(to_bytes(path)) != times:
                return None

        scanned.empty.sort()
        self._now = memory
        return UnchangedDirectories(scanned, memory.uncaptured)

    def _mode_if_unchanged(self, path: str, directory: _Directory) -> int | None:
        # No `Path`: every directory is visited in every snapshot.
        name = to_bytes(path)
        try:
            status = os.lstat(self._prefix + name)
        except OSError:
            return None

        if [status.st_mtime_ns, status.st_ctime_ns] != directory.times:
            return None
        if directory.rules is not None and self._rules_in(name) != directory.rules:
            return None

        return stat.S_IMODE(status.st_mode)

    def _times_of(self, name: bytes) -> Times | None:
        try:
            status = os.lstat(self._prefix + name)
        except OSError:
            return None
        return [status.st_mtime_ns, status.st_ctime_ns]

    def _mode_of(self, name: bytes) -> int:
        try:
            return os.lstat(self._prefix + name).st_mode
        except OSError:
            return 0

    def _rules_in(self, directory: bytes) -> Times | None:
        """Return the times of the ignore rules in a directory, None without any."""
        if directory:
            return self._times_of(directory + b"/" + _RULES)
        return self._times_of(_RULES)

    # -------------------------------------------------------------------------------------- scan

    def scan(self, left_out: Iterable[str], newer_than: int) -> ScannedDirectories:
        """Return all directories but these, repositories inside, and what is below.

        A directory that changed after `newer_than` is read again the next time.
        """
        known = self._remembered().directories
        self._now = _Memory(excluded=self._excluded)
        scanned = ScannedDirectories()
        closed = {*left_out, *self._excluded}
        pending = [""]
        while pending:
            path = pending.pop()
            directory = self._visit(path, known.get(path), scanned)
            if directory is None:
                continue
            self._now.directories[path] = directory
            children = _below(path, directory.names)
            if directory.special:
                scanned.special += _below(path, directory.special)
            pending += [child for child in children if child not in closed]

        for path in left_out:
            # A file that is left out is looked at in every snapshot.
            if stat.S_ISDIR(self._mode_of(to_bytes(path))):
                self._now.left_out[path] = self._times_of(to_bytes(path)) or _UNKNOWN

        self._forget_recent(newer_than)
        scanned.empty.sort()
        return scanned

    def _forget_recent(self, newer_than: int) -> None:
        for directory in self._now.directories.values():
            if max(directory.times) >= newer_than:
                directory.times = _UNKNOWN
            if directory.rules is not None and max(directory.rules) >= newer_than:
                directory.rules = _UNKNOWN

        for path, times in self._now.left_out.items():
            if max(times) >= newer_than:
                self._now.left_out[path] = _UNKNOWN

    def _visit(
        self, path: str, known: _Directory | None, scanned: ScannedDirectories
    ) -> _Directory | None:
        name = to_bytes(path)
        try:
            status = os.lstat(self._prefix + name)
        except OSError:
            return None

        if not stat.S_ISDIR(status.st_mode):
            return None

        times = [status.st_mtime_ns, status.st_ctime_ns]
        directory = self._read_directory(path, times, known, scanned)
        if directory is None:
            return None

        scanned.modes[path] = stat.S_IMODE(status.st_mode)
        if path and directory.empty:
            scanned.empty.append(path)

        return directory

    def _read_directory(
        self, path: str, times: Times, known: _Directory | None, scanned: ScannedDirectories
    ) -> _Directory | None:
        """Return what is in a directory; None for a repository, or if it cannot be read."""
        name = to_bytes(path)
        if known is not None and known.times == times:
            rules = known.rules
            if rules is not None:
                rules = self._rules_in(name)
            return _Directory(times, known.names, known.empty, rules, known.special)

        try:
            with os.scandir(self._prefix + name) as entries:
                listed = list(entries)
        except PermissionError:
            scanned.unreadable.append(path)
            return None
        except OSError:
            return None

        names = [each.name for each in listed]
        if path and _GIT in names:
            scanned.repositories.append(path)
            return None

        # Most are files: only what is none is asked for more.
        others = [each for each in listed if not each.is_file(follow_symlinks=False)]
        directories = [each.name for each in others if each.is_dir(follow_symlinks=False)]
        inner = [to_text(each) for each in directories if each != _GIT]
        rules = None
        if _RULES in names:
            rules = self._rules_in(name)

        special = [to_text(each.name) for each in others if _is_special(each)]
        return _Directory(times, inner, not listed, rules, special)

    # ------------------------------------------------------------------------------------ memory

    def save(self, uncaptured: Listing | None) -> None:
        """Remember what was read last, and what git lists besides the captured files.

        To be called when these are in the index: what is not would never be looked for again.
        """
        now = replace(self._now, uncaptured=uncaptured)
        if now != self._remembered():
            self._memory = now
            atomic_write.put(self._cache, _encode(now), sync=False)

    def _remembered(self) -> _Memory:
        if self._memory is None:
            self._memory = self._read()
        return self._memory

    def _read(self) -> _Memory:
        try:
            return _decode(json.loads(self._cache.read_bytes()))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return _Memory()


def _below(path: str, names: Iterable[str]) -> list[str]:
    prefix = f"{path}/" if path else ""
    return [f"{prefix}{name}" for name in names]


def _is_special(entry: os.DirEntry[bytes]) -> bool:
    """Return whether an entry that is no file is a pipe, a socket or a device."""
    return not entry.is_symlink() and not entry.is_dir(follow_symlinks=False)


def _encode(memory: _Memory) -> bytes:
    directories = {
        path: [each.times, each.names, each.empty, each.rules, each.special]
        for path, each in memory.directories.items()
    }
    fields: dict[str, Any] = {
        "version": _VERSION,
        "directories": directories,
        "left_out": memory.left_out,
        "excluded": memory.excluded,
        "uncaptured": None,
    }
    if memory.uncaptured is not None:
        fields["uncaptured"] = [memory.uncaptured.new, memory.uncaptured.ignored]

    return json.dumps(fields).encode("ascii")


def _decode(fields: Mapping[str, Any]) -> _Memory:
    if fields["version"] != _VERSION:
        return _Memory()

    memory = _Memory(left_out=dict(fields["left_out"]), excluded=list(fields["excluded"]))
    for path, entry in fields["directories"].items():
        memory.directories[path] = _Directory(*entry)

    if fields["uncaptured"] is not None:
        new, ignored = fields["uncaptured"]
        memory.uncaptured = Listing((), (), tuple(new), tuple(ignored))

    return memory
