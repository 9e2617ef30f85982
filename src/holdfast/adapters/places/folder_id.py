"""The id of a folder: the same wherever the folder is moved, and another for every other folder.

It is made of the folder's inode number and birth time. The number alone would not do: a file system
uses it again as soon as the folder is removed. The time of the last change would not do either: it
changes with every new file. Where the file system records no birth time, the folder is its path.
"""

from __future__ import annotations

import hashlib
import os
import struct
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_HERE = -100
_BIRTH = 0x800
_BIRTH_AT = 80
_BUFFER = 256
_OVERLAY = 0x794C7630


def folder_id(folder: Path) -> str:
    """Return the id of a folder. Raise OSError if it cannot be read."""
    found = folder.stat()
    birth = _birth(folder, found)
    if birth:
        key = f"{found.st_ino} {birth}".encode("ascii")
    else:
        key = os.fsencode(os.path.realpath(folder))

    return hashlib.sha256(key).hexdigest()[:32]


def settle_birth(folder: Path) -> None:
    """Make the birth time of a folder final.

    On an overlay, as containers have it, a folder of a lower layer is copied when something in it
    first changes, and the copy has a birth time of its own. Setting the folder's times to what they
    are makes that copy now.
    """
    if not sys.platform.startswith("linux"):
        return

    (file_system,) = struct.unpack_from("l", _call("statfs", os.fsencode(folder)))
    if file_system != _OVERLAY:
        return

    found = folder.stat()
    os.utime(folder, ns=(found.st_atime_ns, found.st_mtime_ns))


def _birth(folder: Path, found: os.stat_result) -> int:
    """Return the birth time of a folder in nanoseconds, 0 if it is not known."""
    if not sys.platform.startswith("linux"):
        return int(getattr(found, "st_birthtime", 0) * 1_000_000_000)

    buffer = _call("statx", _HERE, os.fsencode(folder), 0, _BIRTH)
    (known,) = struct.unpack_from("I", buffer)
    if not known & _BIRTH:
        return 0

    seconds, nanoseconds = struct.unpack_from("qI", buffer, _BIRTH_AT)
    birth: int = seconds * 1_000_000_000 + nanoseconds
    return birth


def _call(name: str, *arguments: Any) -> bytes:
    """Call a function of the C library that fills a buffer, its last argument.

    Return the buffer; only zeros if there is no such function or it failed.
    """
    # Python's own `os` has neither function on Linux. Imported here: half of all commands need no
    # id of a folder.
    import ctypes  # noqa: PLC0415 - see above

    buffer = ctypes.create_string_buffer(_BUFFER)
    try:
        function = getattr(_c_library(), name)
    except (OSError, AttributeError):
        return bytes(_BUFFER)

    if function(*arguments, buffer) != 0:
        return bytes(_BUFFER)

    return buffer.raw


@cache
def _c_library() -> Any:
    # To open it takes longer than to call a function of it.
    import ctypes  # noqa: PLC0415 - see above

    return ctypes.CDLL(None)
