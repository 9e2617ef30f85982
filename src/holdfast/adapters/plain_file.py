"""Files of a project that Holdfast itself reads: only plain ones, up to a size.

A project may have a named pipe or a link to a device in the place of any file. To open the one
would wait for ever, to read the other would take all memory.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from io import BufferedReader

LARGEST = 64_000_000
LARGEST_PACKED = 256_000_000
"""The largest `packed-refs` that is read; git has some with a million refs."""


def file_mark(file: str | Path) -> tuple[int, ...] | None:
    """Return what differs after a program has replaced a file; None if there is no such file."""
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def open_plain(file: str | Path) -> BufferedReader:
    """Open a plain file to read it; raise OSError for anything else."""
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return open(handle, "rb")  # noqa: PTH123 - of a descriptor; the caller closes it

    os.close(handle)
    raise OSError(errno.EINVAL, "this is not a plain file", str(file))


def read_plain(file: str | Path, at_most: int = LARGEST) -> bytes:
    """Return the content of a plain file; raise OSError for anything else, and a larger file."""
    with open_plain(file) as opened:
        data = opened.read(at_most + 1)

    if len(data) > at_most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(file))
    return data
