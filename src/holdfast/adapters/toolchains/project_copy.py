"""A copy of a project in a scratch folder, brought up to date before each run."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TypeAlias

_Stamp: TypeAlias = tuple[int, int, int]
"""By what a file is known to be as it was: time, size and number."""

_FEW_FILES = 300
_FEW_BYTES = 4_000_000
_MOST_FILES = 20_000
_MOST_BYTES = 256_000_000
_LARGEST_FILE = 4_000_000
# Large, and not written to by a check: what is installed is linked.
_LINKED = frozenset({"node_modules", ".venv", "venv", "vendor"})
# Made by tools, for the place where it is; and history, which a check has no business with.
_LEFT_OUT = frozenset(
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
    """The copy of one root. Its files have their own times: a restored file is newer than what was made of another."""

    def __init__(self, root: Path, tree: Path) -> None:
        """Nothing is copied yet."""
        self._root = root
        self._tree = tree
        self._copied: dict[str, tuple[_Stamp, _Stamp]] = {}
        self._linked: set[str] = set()

    def show(self, texts: Mapping[str, bytes | None]) -> None:
        """Make the copy the project as it is now, but for these texts; None is no file."""
        self._tree.mkdir(exist_ok=True)
        self._bring_up_to_date()
        for path, text in texts.items():
            unit = self._tree / path
            self._make_way(unit.parent)
            unit.unlink(missing_ok=True)
            if text is not None:
                unit.write_bytes(text)
            # Not known any more: the next run brings the project's own text back.
            self._linked.discard(path)
            self._copied[path] = (-1, -1, -1), (-1, -1, -1)

    def is_small(self) -> bool:
        """Whether the project is copied as fast as links to it are made."""
        files, size = 0, 0
        folders = [str(self._root)]
        for folder in folders:
            with suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    status = _status(entry) if entry.name not in _LEFT_OUT | _LINKED else None
                    files, size = files + 1, size + (status.st_size if status is not None else 0)
                    if files > _FEW_FILES or size > _FEW_BYTES:
                        return False
                    if status is not None and stat.S_ISDIR(status.st_mode):
                        folders.append(entry.path)
        return True

    def _bring_up_to_date(self) -> None:
        files, size = _MOST_FILES, _MOST_BYTES
        copied, linked = set(), set()
        for entry, path in _walk(self._root, self._tree):
            status = _status(entry)
            if status is None:
                continue
            size -= status.st_size if entry.is_file() else 0
            files -= 1
            if (
                files < 0
                or size < 0
                or status.st_size > _LARGEST_FILE
                or not entry.is_file(follow_symlinks=False)
            ):
                self._link(entry, path)
                linked.add(path)
            else:
                self._copy(entry, path, _stamp(status))
                copied.add(path)
        for gone in (self._copied.keys() | self._linked) - copied - linked:
            with suppress(OSError):
                (self._tree / gone).unlink()
            self._copied.pop(gone, None)
        self._linked = linked

    def _copy(self, entry: os.DirEntry[str], path: str, now: _Stamp) -> None:
        to = self._tree / path
        there = _status(to)
        if there is not None and self._copied.get(path) == (now, _stamp(there)):
            return
        with suppress(FileNotFoundError):
            _clear(to)
            shutil.copyfile(entry.path, to)
            shutil.copymode(entry.path, to)
            self._copied[path] = now, _stamp(to.stat())

    def _link(self, entry: os.DirEntry[str], path: str) -> None:
        to = self._tree / path
        target = str(Path(entry.path).readlink()) if entry.is_symlink() else entry.path
        # A link that leads to a place in the project leads to the same place in the copy.
        inside = (
            entry.is_symlink() and not Path(target).is_absolute() and not target.startswith("..")
        )
        wanted = target if inside else os.path.realpath(entry.path)
        if to.is_symlink() and str(to.readlink()) == wanted:
            return
        _clear(to)
        to.symlink_to(wanted)

    def _make_way(self, folder: Path) -> None:
        """Make the unit's folder a real one: what is linked there is the project's own."""
        for part in [
            *reversed(folder.relative_to(self._tree).parents),
            folder.relative_to(self._tree),
        ]:
            at = self._tree / part
            if at.is_symlink():
                at.unlink()
                at.mkdir()
                for each in (self._root / part).iterdir():
                    (at / each.name).symlink_to(os.path.realpath(each))
            at.mkdir(exist_ok=True)


def _walk(root: Path, tree: Path) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Give all that is to be copied or linked, with its path; folders that are to be real are made on the way."""
    folders = [PurePosixPath()]
    seen = 0
    for folder in folders:
        with (
            suppress(FileNotFoundError, NotADirectoryError, PermissionError),
            os.scandir(root / folder) as entries,
        ):
            for entry in sorted(entries, key=lambda each: each.name):
                path = folder / entry.name
                seen += 1
                if entry.name in _LEFT_OUT or (
                    entry.name == "target" and _is_build_root(root / folder)
                ):
                    continue
                if (
                    seen < _MOST_FILES
                    and entry.name not in _LINKED
                    and entry.is_dir(follow_symlinks=False)
                ):
                    _make_folder(tree / path)
                    folders.append(path)
                else:
                    yield entry, path.as_posix()


def _is_build_root(folder: Path) -> bool:
    """Whether a folder `target` in it is made by cargo or maven, and no part of the project."""
    return (folder / "Cargo.toml").is_file() or (folder / "pom.xml").is_file()


def _make_folder(at: Path) -> None:
    if at.is_symlink() or at.is_file():
        at.unlink()
    at.mkdir(exist_ok=True)


def _clear(at: Path) -> None:
    if at.is_dir() and not at.is_symlink():
        shutil.rmtree(at)
    else:
        at.unlink(missing_ok=True)


def _status(at: Path | os.DirEntry[str]) -> os.stat_result | None:
    """Give the status of a file, link or folder; None of what is gone, or is a pipe or a device."""
    try:
        status = at.lstat() if isinstance(at, Path) else at.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    mode = status.st_mode
    return status if stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode) else None


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_mtime_ns, status.st_size, status.st_ino
