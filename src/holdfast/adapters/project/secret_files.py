"""The files below a root that look like secrets, under all their names, for a sandbox to mask.

A second search reads only the directories that have changed: a new name in a directory changes the
time of that directory. That is the time of its status, which no process can set.
"""

from __future__ import annotations

import os
import stat
import time
from dataclasses import field, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.guards.secrets import SECRETS_IN_FOLDERS, is_secret, is_secret_name
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_ENTRY_LIMIT = 500_000
_SECONDS = 5.0
_MASK_LIMIT = 400
"""How many files can be masked; each is a mount, and bubblewrap takes a second for so many."""
_RACY_NS = 2_000_000_000
"""A directory that changed so shortly before it was read may have changed again at that time."""
_PEM_LIMIT = 2_000_000
_FRESH_SECONDS = 2.0
_FILES_OF_FOLDER = 10_000
_GIT_NAMES = frozenset({"HEAD", "objects", "refs"})
"""What is in the folder of every repository."""
_TOO_LARGE = "the project has too many files to find those with secrets in time"


@dataclass(frozen=True, slots=True)
class SecretFileList:
    """The real, absolute paths of secret-like files, and of folders that hold nothing else.

    `gap` is why a sandbox cannot mask all of them, or "". `repositories` are the `.git` of those
    inside the root, `sockets` the socket files, whether or not something listens there.
    """

    paths: frozenset[str]
    gap: str = ""
    repositories: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()

    @property
    def masks(self) -> Sequence[str]:
        """The paths to mask, as many as can be."""
        return sorted(self.paths)[:_MASK_LIMIT]

    def holds(self, path: str) -> bool:
        """Return whether a real path is one of these, or in a folder of these.

        >>> [SecretFileList(frozenset({"/a/b"})).holds(path) for path in ("/a/b/c", "/a/bc")]
        [True, False]
        """
        while path not in self.paths and path:
            path = path.rpartition("/")[0]
        return bool(path)


@dataclass(slots=True)
class _Directory:
    """What was in a directory at a time: its directories, secrets and links, and how many names.

    `links` are the links with the name of a secret, `other_links` the rest. `others` are neither
    files, directories nor links. `is_closed`: we cannot look at what is in it, but its owner, who a
    command runs as, can change its permissions; nothing else is known then.
    """

    time: int
    directories: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    other_links: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    has_git: bool = False
    is_closed: bool = False
    size: int = 0


class SecretFinder:
    """The search for secret-like files below one root. It follows no symlink to a directory."""

    def __init__(self, root: str) -> None:
        """Search nothing yet."""
        self._root = os.path.realpath(root)
        self._known: dict[str, _Directory] = {}
        self._latest = SecretFileList(frozenset())
        self._found_at = -_FRESH_SECONDS

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
                return self._remember(replace(self._collect(now), gap=_TOO_LARGE))
            queue += [f"{path}/{name}" for name in found.directories]

        self._known = now
        return self._remember(self._collect(now))

    def recent(self) -> SecretFileList:
        """Return the secret-like files as they were a moment ago."""
        if time.monotonic() - self._found_at < _FRESH_SECONDS:
            return self._latest
        return self.find()

    def _remember(self, found: SecretFileList) -> SecretFileList:
        self._latest = found
        self._found_at = time.monotonic()
        return found

    def _read(self, path: str) -> _Directory:
        """Return what is in a directory; from memory if it has not changed."""
        begun = time.time_ns()
        try:
            changed = os.lstat(path).st_ctime_ns
        except FileNotFoundError:
            return _Directory(0)

        known = self._known.get(path)
        if known is not None and known.time == changed:
            return known

        if changed > begun - _RACY_NS:
            changed = 0

        if not os.access(path, os.R_OK | os.X_OK, effective_ids=True):
            return _Directory(changed, is_closed=True)

        try:
            return self._list(path, changed)
        except (FileNotFoundError, NotADirectoryError):
            # Removed meanwhile.
            return _Directory(0)
        except OSError:
            return _Directory(0, is_closed=True)

    def _list(self, path: str, changed: int) -> _Directory:
        found = _Directory(changed)
        # In a directory such as .ssh every file counts.
        below = path[len(self._root) + 1 :]
        is_all = is_secret(f"{below}/file")
        folder = below.rpartition("/")[2].casefold()
        with os.scandir(path) as scanned:
            entries = list(scanned)
        names = frozenset(entry.name for entry in entries)
        for entry in entries:
            name = entry.name.casefold()
            # A repository without a worktree has any name; keys are in its settings.
            is_settings = name == "config" and names >= _GIT_NAMES
            is_secret_here = is_all or is_settings or is_secret_name(name, folder)
            _add(entry, found, is_secret=is_secret_here)

        return found

    def _collect(self, directories: dict[str, _Directory]) -> SecretFileList:
        paths: set[str] = set()
        linked: set[int] = set()
        for place, directory in directories.items():
            for name in directory.secrets:
                path = f"{place}/{name}"
                if _adds_inode(path, linked):
                    paths.add(path)

        gap = ""
        if directories[self._root].is_closed:
            gap = "the folder of the project cannot be listed"
        paths |= {place for place in directories if directories[place].is_closed} - {self._root}
        for path in _targets_of_links(directories):
            if _is_below(self._root, path):
                gap = "a link with the name of a folder with secrets leads to the project itself"
            elif Path(path).is_dir() or _adds_inode(path, linked):
                paths.add(path)

        if linked:
            paths |= _names_of(linked, directories)

        inner = [f"{place}/.git" for place in directories if directories[place].has_git]
        repositories = [path for path in sorted(inner) if path != f"{self._root}/.git"]
        sockets = sorted(filter(_is_socket, _others_in(directories)))
        if max(len(paths), len(repositories), len(sockets)) > _MASK_LIMIT:
            gap = f"the project has more than {_MASK_LIMIT} of them"

        return SecretFileList(
            frozenset(paths),
            gap,
            repositories=tuple(repositories[:_MASK_LIMIT]),
            sockets=tuple(sockets[:_MASK_LIMIT]),
        )


def is_secret_file(root: str, path: str, at: str) -> bool:
    """Return whether a file holds secrets: by its name, its real path `at`, or another name of it.

    Both are below the root. Ask this before the text of a file goes to a model.
    """
    if is_secret(path) or is_secret(at):
        return True
    return bool(linked_secrets(root, [at]))


@cache
def _finder(root: str) -> SecretFinder:
    return SecretFinder(root)


def find_secret_files(root: str) -> SecretFileList:
    """Return the secret-like files below a root; all calls in this process share one memory."""
    return _finder(os.path.realpath(root)).find()


def files_in(paths: Iterable[str]) -> Iterator[str]:
    """Yield the files among the paths, and those in the folders among them."""
    for path in paths:
        if not Path(path).is_dir():
            yield path
        below = (f"{folder}/{name}" for folder, _, names in os.walk(path) for name in names)
        yield from islice(below, _FILES_OF_FOLDER)


def linked_secrets(root: str, paths: Iterable[str]) -> set[str]:
    """Return which of the files are secret-like ones under another name.

    Such a file is a hard link to one, or a link with the name of a secret leads to it.
    """
    finder = _finder(os.path.realpath(root))
    found: set[str] = set()
    for path in paths:
        try:
            place = os.path.realpath(f"{root}/{path}")
            status = os.lstat(place)
        except (OSError, ValueError):  # a path with NUL names no file
            continue
        has_names = stat.S_ISREG(status.st_mode) and status.st_nlink > 1
        # A hard link may be made by whoever wants to read the file. A link that leads to the file
        # makes a secret of what was none before, so this need not be known at once.
        known = finder.recent()
        if has_names or known.holds(place):
            known = finder.find()
        if known.holds(place) or (has_names and known.gap):
            found.add(path)

    return found


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

    if entry.is_symlink():
        links = found.links if is_secret else found.other_links
        links.append(entry.name)
        inside = SECRETS_IN_FOLDERS.get(entry.name.casefold())
        if inside is not None:
            found.links.append(f"{entry.name}/{inside}")
    elif not entry.is_file(follow_symlinks=False):
        found.others.append(entry.name)
    elif is_secret:
        found.secrets.append(entry.name)


def _targets_of_links(directories: Mapping[str, _Directory]) -> set[str]:
    """Return where the links with the name of a secret lead to, directly or over other links.

    All that is below a folder with secrets has the name of a secret, so each link in it has too.
    """
    targets: set[str] = set()
    queue = [f"{place}/{name}" for place in directories for name in directories[place].links]
    while queue:
        target = os.path.realpath(queue.pop())
        if target in targets:
            continue
        targets.add(target)
        if target not in directories:
            continue
        for place in directories:
            if _is_below(place, target):
                queue += [f"{place}/{name}" for name in directories[place].other_links]

    return targets


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


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
