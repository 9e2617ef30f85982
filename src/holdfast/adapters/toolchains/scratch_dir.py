"""Scratch folders: a project as it is, but for one file. What a tool writes there does not reach the project.

A mirror is a copy of the whole project, kept and brought up to date from run to run, for tools that write. A farm is
for those that only look: in a large project the folders on the unit's way are real, and all else in them are links.
Both are bounded; what is beyond the bounds is linked.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from holdfast.adapters.toolchains.project_copy import ProjectCopy

_PREFIX = "holdfast-check-"
_MAKING = "holdfast-making-"
_LOCK = "lock"
_MOST_IDLE = 4
_MOST_LINKS = 20_000
_idle: list[ScratchDir] = []
_guard = threading.Lock()


class ScratchDir:
    """One scratch folder for one root; one check at a time uses it."""

    def __init__(self, root: Path) -> None:
        """Make the folder; it is removed with this object, or when the program ends."""
        self.root = root
        self.instead: Mapping[str, bytes | None] = {}
        made = Path(os.path.realpath(tempfile.mkdtemp(prefix=_MAKING)))
        lock = os.open(made / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Named only now: before it is locked, a sweep would take it for a dead one's.
        self.folder = made.rename(made.with_name(made.name.replace(_MAKING, _PREFIX, 1)))
        self._mirror = ProjectCopy(root, self.folder / "mirror")
        self._lengths: set[int] = set()
        weakref.finalize(self, _remove, str(self.folder), lock)

    def place(self, name: str) -> str:
        """Give a folder of the tool's own, for its cache or what it makes; it stays from run to run."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        return str(folder)

    def file(self, path: str, text: bytes) -> str:
        """Give the unit's text as a file alone, of the same name."""
        folder = self.folder / "file"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        written = folder / PurePosixPath(path).name
        written.write_bytes(text)
        return str(written)

    def of_its_own_length(self, text: bytes) -> bytes:
        """Give the text with line feeds at its end, until none before in this folder was as long.

        mypy takes a shadow of the same length as the last one for the one in its cache: without this it passes broken
        code, and fails the fix of a slip of the pen.
        """
        while len(text) in self._lengths:
            text += b"\n"
        self._lengths.add(len(text))
        return text

    def farm(self, path: str, text: bytes) -> str:
        """Give a folder in which the unit has this text and its neighbours are links; in a small project, copies."""
        if self._mirror.is_small():
            return self.mirror(path, text)
        top = self.folder / "farm"
        shutil.rmtree(top, ignore_errors=True)
        here, there = self.root, top
        for part in PurePosixPath(path).parts:
            there.mkdir()
            _link_all(here, there, without=part)
            here, there = here / part, there / part
        there.write_bytes(text)
        return str(top)

    def mirror(self, path: str, text: bytes) -> str:
        """Give a copy of the project in which the unit has this text, and others what is to be there instead."""
        self._mirror.show({path: text, **self.instead})
        return str(self.folder / "mirror")


@contextmanager
def borrow(root: Path) -> Iterator[ScratchDir]:
    """Give a scratch folder of this root that nobody uses; it is kept for the next run."""
    with _guard:
        at = next((at for at, each in enumerate(_idle) if each.root == root), None)
        scratch = _idle.pop(at) if at is not None else None
    if scratch is None:
        _sweep()
        scratch = ScratchDir(root)
    try:
        yield scratch
    finally:
        with _guard:
            _idle.append(scratch)
            del _idle[:-_MOST_IDLE]


def _link_all(here: Path, there: Path, without: str) -> None:
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(here) as entries:
        for entry, _ in zip(entries, range(_MOST_LINKS), strict=False):
            if entry.name != without:
                os.symlink(os.path.realpath(entry.path), there / entry.name)  # noqa: PTH211 - a thousand of them


def _remove(folder: str, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def _sweep() -> None:
    """Remove the folders of programs that were killed: nobody holds their locks."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if folder.lstat().st_uid != os.getuid():
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
