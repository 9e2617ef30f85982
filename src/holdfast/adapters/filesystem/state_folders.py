"""The folders of the state directory, as garbage collection needs them (port `StateFolders`)."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.places.folder_id import folder_id
from holdfast.adapters.places.place_records import PLACE_FILE, read_root
from holdfast.usecases.garbage.ports import DiskGarbage, GarbageUnavailable, GoneFolders, Kept
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.adapters.filesystem.turn_locks import TurnLocks

_DAY = 24 * 60 * 60
_GONE_DAYS = 30
_SAVED_DAYS = 30
_LOCK_DAYS = 1
_MARK = "gone-since"
_REMOVED = ".removed"


@dataclass(frozen=True, slots=True)
class _StateFolder:
    """What is stored about the folder `root`; `lock` is locked by whoever uses it."""

    path: Path
    root: Path
    lock: Path


class DiskStateFolders:
    """The state directory: what is in it about other folders, and files that nobody needs."""

    def __init__(self, state: Path, locks: TurnLocks) -> None:
        """Use a state directory, which need not exist."""
        self._state = state
        self._locks = locks

    def gone_folders(self, *, now: bool, mark: bool) -> GoneFolders:
        """Return what is stored about folders that are gone."""
        garbage: list[Path] = []
        kept: list[Kept] = []
        with _translated():
            for folder in self._folders():
                if _is_there(folder):
                    if mark:
                        (folder.path / _MARK).unlink(missing_ok=True)
                    continue
                reason = _reason_to_keep(folder, now=now, mark=mark)
                if reason is None:
                    garbage.append(folder.path)
                else:
                    kept.append(Kept(str(folder.root), reason))
            garbage += self._half_removed()
            return GoneFolders(_sized(garbage), tuple(kept))

    def old_files(self) -> DiskGarbage:
        """Return the texts that were saved long ago, and the locks of turns that are over."""
        with _translated():
            saved = list(self._state.glob("roots/*/saved/*"))
            for folder in self._state.glob("worktrees/*"):
                if not _is_of_session(folder):
                    saved += folder.glob("saved/*")
            old = [path for path in saved if _age(path) > _SAVED_DAYS * _DAY]
            for lock in self._state.glob("turns/*.lock"):
                # Not a new one: between its making and its locking it is not locked either.
                is_old = _age(lock) > _LOCK_DAYS * _DAY
                if is_old and not self._locks.is_locked(lock.stem):
                    old.append(lock)
            return _sized(old)

    def remove(self, garbage: DiskGarbage) -> None:
        """Remove paths, each as a whole or not at all."""
        with _translated():
            for name, _ in garbage.paths:
                _remove(Path(name))

    def _folders(self) -> Iterator[_StateFolder]:
        for file in sorted(self._state.glob(f"worktrees/*/{PLACE_FILE}")):
            root = read_root(file)
            if root is not None and not _is_of_session(file.parent):
                yield _StateFolder(file.parent, Path(root), file.parent / "lock")

    def _half_removed(self) -> list[Path]:
        """Return what an earlier run had begun to remove."""
        return [path for path in self._state.glob(f"*/*{_REMOVED}") if path.is_dir()]


def _is_of_session(folder: Path) -> bool:
    """Return whether a folder beside those with state is the worktree of a session."""
    return (folder / ".git").exists()


@contextmanager
def _translated() -> Iterator[None]:
    """Raise an error of the disk as the error of the port."""
    try:
        yield
    except OSError as error:
        where = error.filename or "the state directory"
        message = f"{where}: {error.strerror}; fix this, and run it again."
        raise GarbageUnavailable(message) from error


def _reason_to_keep(folder: _StateFolder, *, now: bool, mark: bool) -> str | None:
    """Return why the state of a folder that is not there stays, or None if it can go."""
    if not _has_other_entries(folder.root.parent):
        return "the folder above it is missing or empty too, as when a disk is not mounted"
    if _is_locked(folder.lock):
        return "a command is at work there"
    if now:
        return None

    gone_for = _age(folder.path / _MARK)
    if gone_for > _GONE_DAYS * _DAY:
        return None

    if not (folder.path / _MARK).exists() and mark:
        (folder.path / _MARK).touch()

    days = max(0, int(gone_for // _DAY))
    return f"gone for {days} of {_GONE_DAYS} days that it stays; pass --now to remove it"


def _is_there(folder: _StateFolder) -> bool:
    """Return whether the folder is where it was last; another one at its path does not count."""
    try:
        return folder_id(folder.root) == folder.path.name
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        # It cannot be looked at, so nobody knows.
        return True


def _has_other_entries(folder: Path) -> bool:
    """Return whether a folder is there and not empty; an unmounted mount point is empty."""
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except OSError:
        return False


def _is_locked(file: Path) -> bool:
    try:
        lock = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)

    return False


def _age(path: Path) -> float:
    """Return for how many seconds a path has not been changed; 0 for one that is not there."""
    try:
        return time.time() - path.lstat().st_mtime
    except FileNotFoundError:
        return 0


def _sized(paths: list[Path]) -> DiskGarbage:
    return DiskGarbage(tuple((str(path), _size(path)) for path in paths))


def _size(path: Path) -> int:
    """Return the bytes of all files below a path."""
    total = 0
    for each in (path, *path.rglob("*")):
        with suppress(FileNotFoundError):
            found = each.lstat()
            # A pack that is linked from elsewhere stays there, and frees nothing.
            if each.is_file() and found.st_nlink == 1:
                total += found.st_size

    return total


def _remove(path: Path) -> None:
    """Remove a file or a folder; a folder that is half removed has another name."""
    if not path.is_dir():
        path.unlink(missing_ok=True)
        return

    if path.suffix != _REMOVED:
        removed = path.with_name(f"{path.name}{_REMOVED}")
        shutil.rmtree(removed, ignore_errors=True)
        path.rename(removed)
        path = removed

    shutil.rmtree(path)
