"""Socket files on which services of this machine listen.

A read-only mount does not stop a process from connecting to one, and the daemon behind it (docker,
an ssh agent) acts outside of the sandbox.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_LISTED = Path("/proc/net/unix")
_PATH_FIELD = 7


def listening_sockets() -> list[str]:
    """Return the real paths of socket files that this user could connect to."""
    try:
        lines = _LISTED.read_text("utf-8", "surrogateescape").split("\n")
    except OSError:
        return []

    found: set[str] = set()
    for line in lines[1:]:
        fields = line.split(maxsplit=_PATH_FIELD)
        # A name that begins with @ is an abstract one: that is bound to the network's namespace.
        if len(fields) > _PATH_FIELD and fields[_PATH_FIELD].startswith("/"):
            found.add(fields[_PATH_FIELD])

    return sorted(os.path.realpath(path) for path in found if _is_open(path))


def _is_open(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISSOCK(mode) and os.access(path, os.W_OK)
