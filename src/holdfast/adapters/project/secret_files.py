"""The files below a root that look like secrets, under all their names, for a sandbox to mask.

A second search reads only the directories that have changed: a new name in a directory changes the
time of that directory.
"""

from __future__ import annotations

import os
import stat
import time
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.guards.secrets import is_secret, is_secret_name
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_ENTRY_LIMIT = 500_000
_SECONDS = 5.0
_MASK_LIMIT = 400
"""How many files can be masked; each is a mount."""
_RACY_NS = 2_000_000_000
"""A directory that changed so shortly before it was read may have changed again at that time."""
_PEM_LIMIT = 2_000_000


@dataclass(frozen=True, slots=True)
class SecretFileList:
    """The real, absolute paths of secret-like files, sorted. `whole`: there are no others.

    `repositories` are the `.git` of repositories inside the root, `sockets` the socket files,
    whether or not something listens there.
    """

    paths: tuple[str, ...]
    whole: bool = True
    repositories: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()


@dataclass(slots=True)
class _Directory:
    """What was in a directory at a time: its directories, secrets and links, and how many names.

    `others` are neither files, directories nor links.
    """

    time: int
    directories: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    has_git: bool = False
    size: int = 0


class SecretFinder:
    """The search for secret-like files below one root. It follows no symlink to a directory."""

    def __init__(self, root: str) -> None:
        """Search nothing yet."""
        self._root = os.path.realpath(root)
        self._known: dict[str, _Directory] = {}

    def find(self) -> SecretFileList:
        """Return the secret-like files as they are now."""
        until = time.monotonic() + _SECONDS
        now: dict[str, _Directory] = {}
        queue = [self._root]
        entries = 0
        while queue:
            path = queue.pop()
            found = self._read(path)
            now[path] = found
            entries += found.size
            if entries > _ENTRY_LIMIT or time.monotonic() > until:
                return replace(self._collect(now), whole=False)
            queue += [f"{path}/{name}" for name in found.directories]

        self._known = now
        return self._collect(now)

    def _read(self, path: str) -> _Directory:
        """Return what is in a directory; from memory if it has not changed."""
        begun = time.time_ns()
        try:
            changed = os.lstat(path).st_mtime_ns
        except OSError:
            return _Directory(0)

        known = self._known.get(path)
        if known is not None and known.time == changed:
            return known

        if changed > begun - _RACY_NS:
            changed = 0

        found = _Directory(changed)
        # In a directory such as .ssh every file counts.
        below = path[len(self._root) + 1 :]
        is_all = is_secret(f"{below}/file")
        folder = below.rpartition("/")[2].casefold()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    name = entry.name.casefold()
                    _add(entry, found, is_secret=is_all or is_secret_name(name, folder))
        except OSError:
            # Removed meanwhile, or not readable: then it is not readable for a command either.
            return found

        return found

    def _collect(self, directories: dict[str, _Directory]) -> SecretFileList:
        paths: set[str] = set()
        linked: set[int] = set()
        for place, directory in directories.items():
            for name in directory.secrets:
                path = f"{place}/{name}"
                if _adds_inode(path, linked):
                    paths.add(path)
            for name in directory.links:
                target = os.path.realpath(f"{place}/{name}")
                if _adds_inode(target, linked):
                    paths.add(target)

        if linked:
            paths |= _names_of(linked, directories)

        inner = [f"{place}/.git" for place in directories if directories[place].has_git]
        repositories = [path for path in sorted(inner) if path != f"{self._root}/.git"]
        sockets = sorted(filter(_is_socket, _others_in(directories)))
        return SecretFileList(
            tuple(sorted(paths)[:_MASK_LIMIT]),
            whole=max(len(paths), len(repositories), len(sockets)) <= _MASK_LIMIT,
            repositories=tuple(repositories[:_MASK_LIMIT]),
            sockets=tuple(sockets[:_MASK_LIMIT]),
        )


def is_secret_file(root: str, path: str, at: str) -> bool:
    """Return whether a file holds secrets: by its name, its real path `at`, or another name of it.

    Both are below the root. Ask this before the text of a file goes to a model.
    """
    if is_secret(path) or is_secret(at):
        return True
    return is_linked_secret(root, at)


@cache
def _finder(root: str) -> SecretFinder:
    return SecretFinder(root)


def find_secret_files(root: str) -> SecretFileList:
    """Return the secret-like files below a root; all calls in this process share one memory."""
    return _finder(root).find()


def is_linked_secret(root: str, path: str) -> bool:
    """Return whether a file is a secret-like one under another name: a hard link to it."""
    try:
        place = os.path.realpath(f"{root}/{path}")
        status = os.lstat(place)
    except (OSError, ValueError):  # a path with NUL names no file
        return False

    if not stat.S_ISREG(status.st_mode) or status.st_nlink == 1:
        return False

    return place in find_secret_files(root).paths


def _add(entry: os.DirEntry[str], found: _Directory, *, is_secret: bool) -> None:
    """Add one entry to what was found in its directory."""
    found.size += 1
    if entry.name == ".git":
        found.has_git = True

    if entry.is_dir(follow_symlinks=False):
        # The objects of git are not files of the project.
        if entry.name != ".git":
            found.directories.append(entry.name)
        return

    is_link = entry.is_symlink()
    if not is_link and not entry.is_file(follow_symlinks=False):
        found.others.append(entry.name)
    elif is_secret and is_link:
        found.links.append(entry.name)
    elif is_secret:
        found.secrets.append(entry.name)


def _others_in(directories: Mapping[str, _Directory]) -> Iterator[str]:
    for place, directory in directories.items():
        for name in directory.others:
            yield f"{place}/{name}"


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.lstat(path).st_mode)
    except OSError:
        return False


def _adds_inode(path: str, linked: set[int]) -> bool:
    """Return whether the path is a file that holds secrets; add its inode if it has more names."""
    try:
        status = os.lstat(path)
    except OSError:
        return False

    if not stat.S_ISREG(status.st_mode) or _is_certificate(path, status.st_size):
        return False

    if status.st_nlink > 1:
        linked.add(status.st_ino)

    return True


def _is_certificate(path: str, size: int) -> bool:
    """Return whether a PEM file has no private key, such as the authorities that TLS needs."""
    if not path.endswith(".pem") or size > _PEM_LIMIT:
        return False
    try:
        return b"PRIVATE KEY" not in Path(path).read_bytes()
    except OSError:
        return False


def _names_of(inodes: set[int], directories: Iterable[str]) -> set[str]:
    """Return every path of these inodes in the directories."""
    paths: set[str] = set()
    for place in directories:
        try:
            with os.scandir(place) as entries:
                paths.update(entry.path for entry in entries if entry.inode() in inodes)
        except OSError:
            # Removed meanwhile, or not readable.
            continue

    return paths
