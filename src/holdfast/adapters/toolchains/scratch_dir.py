"""Scratch folders: a project with another text in one file. Tools write there, not in the project.

A mirror is a copy of the whole project for tools that write; it is kept and updated from run to
run. A farm is for tools that only read: in a large project only the folders above the unit are
real, and everything else in them is a link. Both have limits; what exceeds them is linked.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import threading
import weakref
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.toolchains.project_copy import ProjectCopy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PREFIX = "holdfast-scratch-"
"""Not `holdfast-check-`: folders of that name belong to versions that lock a file in them."""
_MOST_IDLE = 4
_MOST_LINKS = 20_000
_idle: list[ScratchDir] = []
_guard = threading.Lock()


class ScratchDir:
    """A scratch folder for one root, used by one check at a time.

    `overrides` are further files that have another text in a mirror; None means no file. The
    `mirror_copy` decides which files are empty there.
    """

    def __init__(self, root: Path) -> None:
        """Make the folder; it is removed with this object, or at the end of the program."""
        self.root = root
        self.overrides: Mapping[str, bytes | None] = {}
        self.folder, lock = _make_locked()
        self.mirror_copy = ProjectCopy(root, self.folder / "mirror")
        self._lengths: set[int] = set()
        self._is_small: bool | None = None
        weakref.finalize(self, _remove, str(self.folder), lock)

    def tool_folder(self, name: str) -> str:
        """Return a folder for a tool's cache or output; it is kept from run to run."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        return str(folder)

    def single_file(self, path: str, text: bytes) -> str:
        """Write the unit's text to a file of the same name, alone in a folder; return its path."""
        folder = self.folder / "file"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        written = folder / PurePosixPath(path).name
        written.write_bytes(text)
        return str(written)

    def with_unique_length(self, text: bytes) -> bytes:
        """Return the text with as many line feeds as make its length new in this folder.

        mypy takes a shadow file of the same length as the last one for the one in its cache. Then
        it would pass broken code, and fail the fix of a typo.
        """
        while len(text) in self._lengths:
            text += b"\n"
        self._lengths.add(len(text))
        return text

    def farm_folder(self) -> str:
        """Return the folder that `farm` makes or updates."""
        if self._is_small is None:
            self._is_small = self.mirror_copy.is_small()
        return str(self.folder / ("mirror" if self._is_small else "farm"))

    def farm(self, path: str, text: bytes) -> str:
        """Return a folder where the unit has this text; the rest is linked, or copied if small."""
        top = Path(self.farm_folder())
        if self._is_small:
            return self.mirror(path, text)

        shutil.rmtree(top, ignore_errors=True)
        here, there = self.root, top
        for part in PurePosixPath(path).parts:
            there.mkdir()
            _link_all(here, there, without=part)
            here, there = here / part, there / part

        there.write_bytes(text)
        return str(top)

    def mirror(self, path: str, text: bytes) -> str:
        """Return a copy of the project where the unit has this text; `overrides` apply too."""
        self.mirror_copy.update({path: text, **self.overrides})
        return str(self.folder / "mirror")


@contextmanager
def borrow(root: Path) -> Iterator[ScratchDir]:
    """Lend an unused scratch folder of this root; it is kept for the next run."""
    scratch = _take_idle(root)
    if scratch is None:
        _sweep()
        scratch = ScratchDir(root)

    try:
        yield scratch
    finally:
        with _guard:
            _idle.append(scratch)
            del _idle[:-_MOST_IDLE]


def _take_idle(root: Path) -> ScratchDir | None:
    with _guard:
        for scratch in _idle:
            if scratch.root == root:
                _idle.remove(scratch)
                return scratch
    return None


def _link_all(here: Path, there: Path, without: str) -> None:
    """Link the entries of a folder, up to a limit, except for one name."""
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(here) as entries:
        for entry in islice(entries, _MOST_LINKS):
            if entry.name != without:
                target = os.path.realpath(entry.path)
                os.symlink(target, there / entry.name)  # noqa: PTH211 - a thousand of them


def _make_locked() -> tuple[Path, int]:
    """Make a folder; return it with its lock, an open descriptor of the folder itself.

    The lock is free when the program is gone, whatever it was doing, and as long as the folder is
    there it has one.
    """
    while True:
        folder = Path(os.path.realpath(tempfile.mkdtemp(prefix=_PREFIX)))
        # A sweep of another program can come before the lock.
        with suppress(FileNotFoundError):
            lock = _open_folder(folder)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)


def _open_folder(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def _remove(folder: str, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def _sweep() -> None:
    """Remove the folders of killed programs: their locks are free."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if folder.lstat().st_uid != os.getuid():
                continue
            lock = _open_folder(folder)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
