"""The workspace's files on the disk: the only module that reads and writes them.

Every path is opened from the root's descriptor, directory by directory, and no step follows a
symlink: a directory that is replaced by a symlink between a look and a write is an error, and no
way out of the root. All effects are calls of functions of `os`, by that name: the test that kills a
process at every effect intercepts these.
"""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.places.git_folders import why_barred
from holdfast.changes.ports import FileFound, FileLook, FileMissing, FileUnfit, SwapSide
from holdfast.changes.swaps import LINK, Content
from holdfast.guards.paths import Barred, judge_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.changes.swaps import Batch, Swap

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: without it, `open` blocks forever if a named pipe replaces the file after the lstat.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# A parent that is missing, a file, or a symlink (ENOTDIR on Linux, ELOOP on macOS).
_NO_SUCH_PARENT = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
_NO_HARD_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.EXDEV}
_LARGEST = 20_000_000
"""Bytes of a file that can be edited: an edit takes some twenty times as much memory."""
_NAMES_LIMIT = 3_000
_NOT_SEARCHED = {".git", "node_modules", "__pycache__", ".venv"}


class DiskFiles:
    """The files below one root (ports `Files` and `Tree`)."""

    def __init__(self, root: str) -> None:
        """Open the root; raise OSError if it is not a directory."""
        self.root = Path(os.path.realpath(root))
        self._root = os.open(self.root, _DIRECTORY)

    def close(self) -> None:
        """Close the root."""
        os.close(self._root)

    # ------------------------------------------------------------------------------------ reading

    def look(self, path: str) -> FileLook:
        """Return what is at a path that a model named."""
        plain = judge_path(path)
        if isinstance(plain, Barred):
            return FileUnfit("out_of_bounds", plain.message)

        # A hint only: `_look_at` follows no symlink. If the disk changes meanwhile, it fails.
        at = self._below(os.path.realpath(self.root / plain))
        if at is None:
            return FileUnfit(
                "out_of_bounds",
                f"{path}: a symlink on this path leads out of the project; name one in it.",
            )

        barred = why_barred(self.root, path, at)
        if barred is not None:
            return FileUnfit("out_of_bounds", barred)

        try:
            return self._look_at(path, at, linked=(self.root / plain).is_symlink())
        except OSError as error:
            return FileUnfit("conflict", f"{path}: this cannot be read ({error.strerror}).")

    def link(self, path: str) -> bytes | None:
        """Return the target of the symlink at a path, or None if there is no symlink."""
        if isinstance(judge_path(path), Barred):
            return None

        try:
            with self._parent(path) as (parent, name):
                return _read_link(parent, name)
        except OSError as error:
            if error.errno not in _NO_SUCH_PARENT:
                raise
            return None

    def names(self, near: str) -> list[str]:
        """List files below the root, those in the directory of `near` first; at most 3,000."""
        queue = [""]
        first = near.rpartition("/")[0]
        if first and not isinstance(judge_path(first), Barred):
            queue.insert(0, first)

        names: dict[str, None] = {}
        seen: set[str] = set()
        while queue and len(names) < _NAMES_LIMIT:
            directory = queue.pop(0)
            if directory in seen:
                continue
            seen.add(directory)
            files, directories = self._entries(directory)
            names.update(dict.fromkeys(files))
            queue += directories

        return list(names)[:_NAMES_LIMIT]

    def _look_at(self, path: str, at: str, *, linked: bool) -> FileLook:
        missing: list[str] = []
        parts = at.split("/")
        for depth in range(1, len(parts)):
            parent = "/".join(parts[:depth])
            there = self._stat(parent)
            if there is None:
                missing.append(parent)
            elif not stat.S_ISDIR(there.st_mode):
                return FileUnfit(
                    "conflict",
                    f"{path}: {parent} is {_kind(there.st_mode)}, so no file can be in it.",
                )

        there = None if missing else self._stat(at)
        if there is None:
            if self._has_broken_link(path):
                return FileUnfit(
                    "conflict",
                    f"{path}: a symlink on this path leads to nothing; name another file.",
                )
            return FileMissing(at, tuple(missing))

        unfit = _why_unfit(there)
        if unfit is not None:
            return FileUnfit("conflict", f"{path}: {unfit}")

        with self._parent(at) as (parent_fd, name):
            data = _read(parent_fd, name)

        if data is None:
            return FileUnfit("conflict", f"{path}: this was replaced while it was read; try again.")

        return FileFound(at, data, stat.S_IMODE(there.st_mode), linked)

    def _below(self, real: str) -> str | None:
        """Return a real path relative to the root, or None if it is outside."""
        top = str(self.root).rstrip("/") + "/"
        if not real.startswith(top):
            return None
        return real.removeprefix(top)

    def _has_broken_link(self, path: str) -> bool:
        """Return whether one of the names on the path is a symlink to nothing."""
        names = [self.root / path, *(self.root / path).parents]
        return any(name.is_symlink() and not name.exists() for name in names)

    def _entries(self, directory: str) -> tuple[list[str], list[str]]:
        files, directories = [], []
        with suppress(OSError), os.scandir(self.root / directory) as entries:
            for entry in entries:
                path = f"{directory}/{entry.name}" if directory else entry.name
                if entry.is_file(follow_symlinks=False):
                    files.append(path)
                elif entry.is_dir(follow_symlinks=False) and entry.name not in _NOT_SEARCHED:
                    directories.append(path)
                if len(files) >= _NAMES_LIMIT:
                    break

        return sorted(files), sorted(directories)

    def _stat(self, path: str) -> os.stat_result | None:
        try:
            with self._parent(path) as (parent, name):
                return os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            return None

    @contextmanager
    def _parent(self, path: str) -> Iterator[tuple[int, str]]:
        """Open the directory of the path without following symlinks; yield it and the last name."""
        *parents, name = path.split("/")
        here = self._root
        try:
            for part in parents:
                inner = os.open(part, _DIRECTORY, dir_fd=here)
                if here != self._root:
                    os.close(here)
                here = inner
            yield here, name
        finally:
            if here != self._root:
                os.close(here)

    # ------------------------------------------------------------------------------------ writing

    def side(self, swap: Swap) -> SwapSide:
        """Return which of the two contents the file has now."""
        try:
            with self._parent(swap.path) as (parent, name):
                return _side(parent, name, swap)
        except OSError as error:
            if error.errno not in _NO_SUCH_PARENT:
                raise
            # Below a file or a symlink, which is not followed, there is no file.
            return _side_of(swap, None)

    def make(self, directory: str, mode: int | None = None) -> None:
        """Make a directory, if nothing is there; with `mode`, no others get more permissions."""
        first_mode = 0o777
        if mode is not None:
            # Files have to be written in it before it gets exactly that mode.
            first_mode = mode | stat.S_IRWXU
        with self._parent(directory) as (parent, name), suppress(FileExistsError):
            os.mkdir(name, first_mode, dir_fd=parent)

    def set_mode(self, directory: str, mode: int) -> None:
        """Set the permissions of a directory, if it is there."""
        try:
            there = self._stat(directory)
            if there is None or stat.S_IMODE(there.st_mode) == mode:
                return
            with self._parent(directory) as (parent, name):
                _set_directory_mode(parent, name, mode)
        except OSError as error:
            if error.errno not in _NO_SUCH_PARENT:
                raise

    def clear(self, directory: str) -> None:
        """Remove a directory, if it exists and is empty."""
        try:
            with self._parent(directory) as (parent, name):
                if _exists(parent, name):
                    os.rmdir(name, dir_fd=parent)
        except OSError as error:
            # POSIX allows EEXIST for a directory that is not empty.
            if error.errno not in _NO_SUCH_PARENT | {errno.ENOTEMPTY, errno.EEXIST}:
                raise

    def stage(self, swap: Swap, sibling: str) -> None:
        """Write the new content beside the file, durably, with the mode and owner of the file."""
        if swap.after is None:
            return

        like = self._file_at(swap.path)
        with self._parent(sibling) as (parent, name):
            _remove(parent, name)
            try:
                _write(parent, name, swap, like)
            except OSError as error:
                # The error names a descriptor or the sibling; the user knows only the file.
                error.filename = swap.path
                raise

    def _file_at(self, path: str) -> os.stat_result | None:
        """Return the status of what is at a path; None for nothing or a directory."""
        try:
            there = self._stat(path)
        except OSError as error:
            if error.errno not in _NO_SUCH_PARENT:
                raise
            return None
        if there is None or stat.S_ISDIR(there.st_mode):
            return None
        return there

    def put(self, swap: Swap, sibling: str) -> bool:
        """Replace the file by the sibling.

        Return False, and do nothing, if the file is neither old nor new. Another program could
        still write the file between the comparison and the rename: no file system does both in one
        step. A new file has no such gap, because a hard link never replaces a file.
        """
        side = self.side(swap)
        if side == "after":
            self.discard(sibling)

        if side != "before":
            return side == "after"

        with self._parent(swap.path) as (parent, name):
            if _side(parent, name, swap) != "before":
                return False
            with self._parent(sibling) as (staged_in, staged):
                return _replace(parent, name, swap, staged_in, staged)

    def discard(self, sibling: str) -> None:
        """Remove the sibling, if it exists."""
        try:
            with self._parent(sibling) as (parent, name):
                _remove(parent, name)
        except OSError as error:
            if error.errno not in _NO_SUCH_PARENT:
                raise

    def settle(self, batch: Batch) -> None:
        """Make the names durable that the batch created and removed."""
        touched = [swap.path for swap in batch.swaps]
        touched += [*batch.makes, *batch.clears]
        # A path and "." in its directory have the same parent.
        beside = [posixpath.join(posixpath.dirname(path), ".") for path in touched]
        for inside in dict.fromkeys(beside):
            try:
                with self._parent(inside) as (here, _):
                    _sync_directory(here)
            except OSError as error:
                if error.errno not in _NO_SUCH_PARENT:
                    raise


def _set_directory_mode(parent: int, name: str, mode: int) -> None:
    handle = os.open(name, _DIRECTORY, dir_fd=parent)
    try:
        os.fchmod(handle, mode)
    finally:
        os.close(handle)


def _why_unfit(there: os.stat_result) -> str | None:
    """Return why what is at a path cannot be edited; None if it can."""
    if not stat.S_ISREG(there.st_mode):
        return f"this is {_kind(there.st_mode)}; only regular files can be edited."
    if there.st_size > _LARGEST:
        size, most = there.st_size // 1_000_000, _LARGEST // 1_000_000
        return f"this file has {size} MB; only files of up to {most} MB can be edited."
    return None


def _read(parent: int, name: str) -> bytes | None:
    """Return the bytes of a regular file; None if there is nothing, or something else."""
    try:
        # Before the open: to open a device can have effects.
        if not stat.S_ISREG(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            return None
        handle = os.open(name, _READ, dir_fd=parent)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise

    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        return file.read()


def _read_link(parent: int, name: str) -> bytes | None:
    """Return the target of a symlink; None if there is none."""
    try:
        return os.readlink(os.fsencode(name), dir_fd=parent)
    except OSError as error:
        # EINVAL: something else is there.
        if error.errno not in {errno.EINVAL, errno.ENOENT}:
            raise
        return None


def _side(parent: int, name: str, swap: Swap) -> SwapSide:
    target = _read_link(parent, name) if swap.has_link else None
    if target is not None:
        return _side_of(swap, Content(target, LINK))

    data = _read(parent, name)
    if data is None and _exists(parent, name) and not _is_directory(parent, name):
        return "neither"
    if data is None:
        return _side_of(swap, None)

    mode = None
    if swap.modes:
        mode = stat.S_IMODE(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)

    return _side_of(swap, Content(data, mode))


def _side_of(swap: Swap, present: Content | None) -> SwapSide:
    if swap.matches(swap.after, present):
        return "after"
    if swap.matches(swap.before, present):
        return "before"
    return "neither"


def _exists(parent: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _is_directory(parent: int, name: str) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)


def _write(parent: int, name: str, swap: Swap, like: os.stat_result | None) -> None:
    """Write the new content to a new file with the mode and, if permitted, the owner of `like`."""
    content = swap.after or Content(b"")
    if content.is_link:
        os.symlink(content.data, os.fsencode(name), dir_fd=parent)
        return

    mode = content.mode
    if like and not swap.modes:
        mode = stat.S_IMODE(like.st_mode)

    # A file that gets a mode is private until then; any other file gets the mode of the umask.
    first_mode = 0o600
    if mode is None:
        first_mode = 0o666

    handle = os.open(name, _NEW, first_mode, dir_fd=parent)
    try:
        rest = memoryview(content.data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        if like and not _set_owner(handle, like) and mode is not None:
            # The file is ours now: it must not have the setuid or setgid bit of the other owner.
            mode &= 0o777
        if mode is not None:
            os.fchmod(handle, mode)
        os.fsync(handle)
    finally:
        os.close(handle)


def _set_owner(handle: int, like: os.stat_result) -> bool:
    """Set the owner and the group of `like`; return False if that is not permitted."""
    mine = os.fstat(handle)
    if (mine.st_uid, mine.st_gid) == (like.st_uid, like.st_gid):
        return True

    try:
        os.fchown(handle, like.st_uid, like.st_gid)
    except PermissionError:
        return False

    return True


def _replace(parent: int, name: str, swap: Swap, staged_in: int, staged: str) -> bool:
    """Replace the file by the one that is staged in a directory; return False if that fails."""
    if swap.after is None:
        os.unlink(name, dir_fd=parent)
        return True

    if swap.before is None:
        try:
            os.link(staged, name, src_dir_fd=staged_in, dst_dir_fd=parent, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
        else:
            os.unlink(staged, dir_fd=staged_in)
            return True

    os.replace(staged, name, src_dir_fd=staged_in, dst_dir_fd=parent)
    return True


def _remove(parent: int, name: str) -> None:
    # Checked first: a read-only disk refuses to remove even a file that does not exist.
    if _exists(parent, name):
        os.unlink(name, dir_fd=parent)


def _sync_directory(handle: int) -> None:
    try:
        os.fsync(handle)
    except OSError as error:
        # Some file systems (network, FUSE) have no fsync for directories; a read-only one has
        # nothing to write.
        if error.errno not in {errno.EINVAL, errno.ENOTSUP, errno.EROFS}:
            raise


def _kind(mode: int) -> str:
    kinds = {
        stat.S_IFREG: "a file",
        stat.S_IFDIR: "a directory",
        stat.S_IFLNK: "a symlink",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
    }
    return kinds.get(stat.S_IFMT(mode), "a device")
