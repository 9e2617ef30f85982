"""Hashes of what a check reads besides its unit: a result holds only while these stay the same."""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.adapters.plain_file import open_plain
from holdfast.adapters.toolchains.project_copy import LEFT_OUT, LINKED
from holdfast.adapters.toolchains.toml_file import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_Stamp: TypeAlias = tuple[int, int, int]

_MOST_FILES = 20_000
_MOST_BYTES = 256_000_000
_HEADERS = frozenset({"", ".h", ".hh", ".hpp", ".hxx", ".inc", ".def", ".ipp", ".tpp"})
_SETTINGS = ("pyproject.toml", "ruff.toml", ".ruff.toml", "package.json")
_LISTS = (".package-lock.json", ".yarn-state.yml", ".modules.yaml", "modules.txt")
_DEEPEST = 20
_LARGE_PROGRAM = 1_000_000


class ProjectState:
    """The files of a root. A file is read again only after its time, size or inode changed."""

    def __init__(self, root: Path) -> None:
        """Read nothing yet."""
        self._root = root
        self._known: dict[str, tuple[_Stamp, str]] = {}
        self._beside: dict[str, list[str]] = {}
        self._lock = threading.Lock()

    def of_project(self, unit: str) -> str | None:
        """Return a hash of all files but the unit; None if they are too many to read.

        Of installed packages only the names and versions are read.
        """
        size = 0
        lines: list[str] = []
        for path in self._walk():
            if len(lines) > _MOST_FILES or size > _MOST_BYTES:
                return None
            file = self._root / path
            if file.name in LINKED:
                lines += self._packages(file)
                continue
            with suppress(OSError):
                size += file.lstat().st_size
            if path != unit:
                lines.append(f"{path} {self.of_file(file)}")

        return _hash(lines)

    def of_headers(self) -> str:
        """Return a hash of the names of all headers: a new one may hide another."""
        return _hash(path for path in self._walk() if _suffix(path) in _HEADERS)

    def of_settings(self, unit: str) -> str:
        """Return a hash of the settings above a unit, and of the names in the folders there."""
        lines: list[str] = []
        for folder in (self._root / unit).parents:
            for name in _SETTINGS:
                lines += self._with_extended(folder / name)
            if folder.is_relative_to(self._root):
                lines += _names(folder)

        lines += _names(self._root / "src")
        return _hash(lines)

    def of_file(self, file: Path) -> str:
        """Return the hash of a file's content, and "" for a file that cannot be read."""
        try:
            status = file.stat()
            stamp = status.st_mtime_ns, status.st_size, status.st_ino
            with self._lock:
                known = self._known.get(str(file))
            if known is not None and known[0] == stamp:
                return known[1]
            with open_plain(file) as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
        except OSError:
            return ""

        with self._lock:
            self._known[str(file)] = stamp, digest

        return digest

    def _packages(self, folder: Path) -> list[str]:
        """Return the state of a folder of packages: what is in it, and the lists of versions."""
        lists = [f"{folder / name} {self.of_file(folder / name)}" for name in _LISTS]
        return [*_installed(folder), *_names(folder), *lists]

    def packages_beside(self, program: str) -> list[str]:
        """Return the packages of the Python that a program belongs to, as the run began."""
        with self._lock:
            if program not in self._beside:
                folder = Path(os.path.realpath(program)).parent.parent
                self._beside[program] = _installed(folder)
            return self._beside[program]

    def of_program(self, program: str) -> str:
        """Return a hash of a program; of a large one, which says its version, the size."""
        with suppress(OSError):
            size = os.stat(program).st_size  # noqa: PTH116 - no path is needed otherwise
            if size > _LARGE_PROGRAM:
                return str(size)
        return self.of_file(Path(program))

    def _with_extended(self, file: Path) -> Iterator[str]:
        """Yield the hash of settings of ruff, and of all that they extend."""
        for _ in range(_DEEPEST):
            digest = self.of_file(file)
            if not digest:
                return
            yield f"{file} {digest}"
            extended = _extended(file)
            if not extended:
                return
            file = file.parent / Path(extended).expanduser()

    def _walk(self) -> Iterator[str]:
        """Yield the paths of all files that a check can see, and of the folders of packages."""
        root = str(self._root)
        for at, folders, names in os.walk(root):
            prefix = at[len(root) + 1 :]
            if prefix:
                prefix += "/"
            for name in sorted(LINKED.intersection(folders)):
                yield f"{prefix}{name}"
            folders[:] = sorted(set(folders) - LEFT_OUT - LINKED)
            for name in sorted(names):
                yield f"{prefix}{name}"


def _suffix(path: str) -> str:
    name, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return f".{suffix}" if dot and name else ""


def _extended(file: Path) -> str:
    if file.suffix != ".toml":
        return ""

    table: Any = read_toml(file)
    if file.name == "pyproject.toml":
        for key in ("tool", "ruff"):
            table = table.get(key) if isinstance(table, dict) else None

    extended = table.get("extend") if isinstance(table, dict) else None
    return extended if isinstance(extended, str) else ""


def _installed(folder: Path) -> list[str]:
    """Return the names of the packages in a virtual environment, with their versions."""
    found = folder.glob("lib/python*/site-packages/*.dist-info")
    return sorted(package.name for package in found)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(set(os.listdir(folder)) - LEFT_OUT)  # noqa: PTH208 - the names alone
    except OSError:
        return []


def _hash(lines: Iterable[str]) -> str:
    text = "\n".join(lines)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
