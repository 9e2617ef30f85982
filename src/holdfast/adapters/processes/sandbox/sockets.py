"""Socket files on which services of this machine listen.

A read-only mount does not stop a process from connecting to one, and the daemon behind it (docker,
an ssh agent) acts outside of the sandbox.
"""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

_LISTED = Path("/proc/net/unix")
_PATH_FIELD = 7
_PROCESSES = Path("/proc")


def listening_sockets() -> list[str]:
    """Return the real paths of socket files that this user could connect to.

    The kernel lists a socket by the name that its service bound it by. A relative one is looked
    for in the working directories of all processes.
    """
    paths: set[str] = set()
    folders: set[str] | None = None
    for name in _bound_names():
        if name.startswith("/"):
            paths.add(name)
            continue
        if folders is None:
            folders = _working_directories()
        paths.update(os.path.join(folder, name) for folder in folders)

    return sorted({os.path.realpath(path) for path in paths if _is_open(path)})


def closed_folder(path: str) -> str | None:
    """Return the outermost folder of a path that root can enter only outside of a sandbox, or None.

    In a namespace of users root may not enter, or mount in, what is closed by another user.
    """
    if os.geteuid() != 0:
        return None

    for folder in reversed(Path(path).parents):
        status = folder.stat()
        if status.st_uid != 0 and not status.st_mode & stat.S_IXOTH:
            return str(folder)

    return None


def can_reach_services() -> bool:
    """Return whether there may be a service behind a socket file somewhere, seen or not."""
    return any(not name.startswith(("/", "@")) or _is_open(name) for name in _bound_names())


def is_answered(path: str) -> bool:
    """Return whether something listens on a socket file, in whatever namespace of networks."""
    try:
        folder = os.open(os.path.dirname(path), os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return False

    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as client:
            # By way of the folder: a name of a socket has at most 107 bytes.
            client.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    except (ConnectionRefusedError, FileNotFoundError, PermissionError):
        return False
    except OSError:
        # It is of another type, or busy.
        return True
    finally:
        os.close(folder)

    return True


def _bound_names() -> list[str]:
    """Return the names of sockets in files, and of abstract ones, which begin with @."""
    try:
        lines = _LISTED.read_text("utf-8", "surrogateescape").split("\n")
    except OSError:
        return []

    fields = [line.split(maxsplit=_PATH_FIELD) for line in lines[1:]]
    return [each[_PATH_FIELD] for each in fields if len(each) > _PATH_FIELD]


def _working_directories() -> set[str]:
    folders: set[str] = set()
    for process in _PROCESSES.glob("[0-9]*"):
        # It has ended meanwhile, or is of another user.
        with suppress(OSError):
            folders.add(os.readlink(process / "cwd"))

    return folders


def _is_open(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISSOCK(mode) and os.access(path, os.W_OK)
