"""Read files of a worktree by no link, whatever another process does there meanwhile.

Git reads files by their paths: a folder that is swapped for a symbolic link while it does so leads
it out of the worktree. What git is to read is copied first.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from typing import TYPE_CHECKING, Self

from holdfast.adapters.descriptors import ParentFolders
from holdfast.adapters.git.git_command import to_bytes

if TYPE_CHECKING:
    from pathlib import Path

# Without O_NONBLOCK the opening of a pipe would wait for a writer.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FileReader:
    """Reads files below a root; every method raises `FileNotFoundError` beyond a link."""

    def __init__(self, root: Path) -> None:
        """Read below this root."""
        self._root = root
        self._folders = ParentFolders(root)

    def __enter__(self) -> Self:
        """Return this object."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the folder of the last file."""
        self._folders.__exit__()

    def status(self, path: str) -> os.stat_result:
        """Return the status of what is at a path; that of the link, if it is one."""
        folder, name = self._locate(path)
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def read(self, path: str) -> bytes:
        """Return the content of a plain file; raise OSError for anything else."""
        handle = self._open(path)
        with open(handle, "rb") as file:  # noqa: PTH123 - of a descriptor
            return file.read()

    def read_link(self, path: str) -> bytes:
        """Return what a symbolic link contains."""
        folder, name = self._locate(path)
        return os.readlink(name, dir_fd=folder)

    def copy(self, path: str, to: Path) -> bool:
        """Copy a plain file with its permissions and times, or a link; return if there was one."""
        try:
            mode = self.status(path).st_mode
        except FileNotFoundError:
            return False
        if not stat.S_ISLNK(mode) and not stat.S_ISREG(mode):
            return False

        to.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISLNK(mode):
            to.symlink_to(os.fsdecode(self.read_link(path)))
        else:
            self._copy_content(path, to)
        return True

    def _copy_content(self, path: str, to: Path) -> None:
        handle = self._open(path)
        status = os.fstat(handle)
        with open(handle, "rb") as source, open(to, "xb") as target:  # noqa: PTH123 - a descriptor
            shutil.copyfileobj(source, target)
            target.flush()
            os.fchmod(target.fileno(), stat.S_IMODE(status.st_mode))
            os.utime(target.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))

    def _open(self, path: str) -> int:
        folder, name = self._locate(path)
        handle = os.open(name, _READ, dir_fd=folder)
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return handle

        os.close(handle)
        raise OSError(errno.EINVAL, "this is not a plain file", str(self._root / path))

    def _locate(self, path: str) -> tuple[int, bytes]:
        """Return the descriptor of the folder that a path is in, and the name in it."""
        raw = to_bytes(path)
        folder = self._folders.open(raw)
        if folder is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self._root / path))
        return folder, raw.rpartition(b"/")[2]
