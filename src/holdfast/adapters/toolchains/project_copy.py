"""A copy of a project in a scratch folder, updated before each run."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_Stamp: TypeAlias = tuple[int, int, int]
"""What changes with a file: its time, size and inode number."""

_FEW_FILES = 300
_FEW_BYTES = 4_000_000
_MOST_FILES = 20_000
_MOST_BYTES = 256_000_000
_LARGEST_FILE = 4_000_000
_UNKNOWN: _Stamp = (-1, -1, -1)
# Folders of installed packages are large and not written by a check: they are linked.
LINKED = frozenset({"node_modules", ".venv", "venv", "vendor"})
# Caches that tools make for one place, and history, which a check does not need.
LEFT_OUT = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".holdfast",
        "__pycache__",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".tox",
    }
)


class ProjectCopy:
    """The copy of one root.

    Its files have their own times: a restored file is newer than the output made from another text.
    """

    def __init__(self, root: Path, tree: Path) -> None:
        """Prepare a copy of `root` at `tree`; nothing is copied yet.

        Files of the project that `is_masked` are empty in the copy: it has them under one name
        only, so that a sandbox would not know them there by another.
        """
        self.is_masked: Callable[[str], bool] = lambda _: False
        self._root = root
        self._tree = tree
        self._copied: dict[str, tuple[_Stamp, _Stamp]] = {}
        self._linked: set[str] = set()

    def update(self, texts: Mapping[str, bytes | None]) -> None:
        """Make the copy equal to the project, except for these texts; None means no file."""
        self._tree.mkdir(exist_ok=True)
        self._copy_changes()
        for path, text in texts.items():
            unit = self._tree / path
            self._make_real_folder(unit.parent)
            unit.unlink(missing_ok=True)
            if text is not None:
                unit.write_bytes(text)
            # Forget the file: the next run restores the project's own text.
            self._linked.discard(path)
            self._copied[path] = _UNKNOWN, _UNKNOWN

    def is_small(self) -> bool:
        """Return whether copying the project is as fast as linking to it."""
        files, size = 0, 0
        folders = [str(self._root)]
        for folder in folders:
            with suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    files += 1
                    status = None
                    if entry.name not in LEFT_OUT | LINKED:
                        status = _status(entry)
                    if status is not None:
                        size += status.st_size
                        if stat.S_ISDIR(status.st_mode):
                            folders.append(entry.path)
                    if files > _FEW_FILES or size > _FEW_BYTES:
                        return False

        return True

    def _copy_changes(self) -> None:
        files, size = _MOST_FILES, _MOST_BYTES
        copied, linked = set(), set()
        for entry, path in _entries(str(self._root), str(self._tree)):
            status = _status(entry)
            if status is None:
                continue
            files -= 1
            if entry.is_file():
                size -= status.st_size
            if self.is_masked(entry.path):
                self._mask(path)
                copied.add(path)
                continue
            within_limits = files >= 0 and size >= 0 and status.st_size <= _LARGEST_FILE
            if within_limits and entry.is_file(follow_symlinks=False):
                self._copy(entry, path, _stamp(status))
                copied.add(path)
            else:
                self._link(entry, path)
                linked.add(path)

        self._remove((self._copied.keys() | self._linked) - copied - linked)
        self._linked = linked

    def _remove(self, paths: set[str]) -> None:
        for path in paths:
            with suppress(OSError):
                (self._tree / path).unlink()
            self._copied.pop(path, None)

    def _copy(self, entry: os.DirEntry[str], path: str, now: _Stamp) -> None:
        known = self._copied.get(path)
        if known is not None and known == (now, _stamp_at(f"{self._tree}/{path}")):
            return

        to = self._tree / path
        with suppress(FileNotFoundError):
            _clear(to)
            shutil.copyfile(entry.path, to)
            shutil.copymode(entry.path, to)
            self._copied[path] = now, _stamp(to.stat())

    def _mask(self, path: str) -> None:
        to = self._tree / path
        _clear(to)
        to.touch()
        self._copied[path] = _UNKNOWN, _UNKNOWN

    def _link(self, entry: os.DirEntry[str], path: str) -> None:
        to = self._tree / path
        target = _link_target(entry)
        if to.is_symlink() and str(to.readlink()) == target:
            return
        _clear(to)
        to.symlink_to(target)

    def _make_real_folder(self, folder: Path) -> None:
        """Make a folder of the copy, and those above it, real: a link leads into the project."""
        inside = folder.relative_to(self._tree)
        for part in (*reversed(inside.parents), inside):
            at = self._tree / part
            if at.is_symlink():
                at.unlink()
                at.mkdir()
                for each in (self._root / part).iterdir():
                    (at / each.name).symlink_to(os.path.realpath(each))
            at.mkdir(exist_ok=True)


def _entries(root: str, tree: str) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Yield the entries to copy or to link, with their paths; make the real folders of the tree.

    Paths are plain strings here: this runs before each check, for each file of the project.
    """
    folders = [""]
    seen = 0
    for folder in folders:
        with (
            suppress(FileNotFoundError, NotADirectoryError, PermissionError),
            os.scandir(f"{root}/{folder}") as entries,
        ):
            for entry in sorted(entries, key=lambda each: each.name):
                path = f"{folder}{entry.name}"
                seen += 1
                if _is_left_out(entry, f"{root}/{folder}"):
                    continue
                if seen < _MOST_FILES and _is_real_folder(entry):
                    _make_folder(Path(tree, path))
                    folders.append(f"{path}/")
                else:
                    yield entry, path


def _is_left_out(entry: os.DirEntry[str], folder: str) -> bool:
    if entry.name in LEFT_OUT:
        return True
    # A `target` of cargo or maven is build output.
    if entry.name != "target":
        return False
    return Path(folder, "Cargo.toml").is_file() or Path(folder, "pom.xml").is_file()


def _is_real_folder(entry: os.DirEntry[str]) -> bool:
    return entry.name not in LINKED and entry.is_dir(follow_symlinks=False)


def _make_folder(at: Path) -> None:
    if at.is_symlink() or at.is_file():
        at.unlink()
    at.mkdir(exist_ok=True)


def _clear(at: Path) -> None:
    if at.is_dir() and not at.is_symlink():
        shutil.rmtree(at)
    else:
        at.unlink(missing_ok=True)


def _link_target(entry: os.DirEntry[str]) -> str:
    """Return where the link in the copy leads.

    A link to a place in the project leads to the same place in the copy.
    """
    if entry.is_symlink():
        target = str(Path(entry.path).readlink())
        if not Path(target).is_absolute() and not target.startswith(".."):
            return target
    return os.path.realpath(entry.path)


def _stamp_at(path: str) -> _Stamp:
    try:
        return _stamp(os.lstat(path))
    except OSError:
        return _UNKNOWN


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the status of a file, link or folder; None if it is missing, a pipe or a device."""
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None

    if stat.S_IFMT(status.st_mode) in {stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR}:
        return status

    return None


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_mtime_ns, status.st_size, status.st_ino
