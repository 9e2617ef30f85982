"""Which process a number names: processes by their start time, as this machine counts it."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from holdfast.usecases.sessions.ports import TurnOwner

_PROC = Path("/proc")
_START_FIELD = 22
"""The number of the field in /proc/PID/stat that has the start time; the state is field 3."""


@cache
def _identity_of(pid: int) -> TurnOwner:
    return TurnOwner(os.uname().nodename, pid, start_of(pid) or "")


def this_process() -> TurnOwner:
    """Return what names this process for good."""
    return _identity_of(os.getpid())


def is_alive(owner: TurnOwner) -> bool:
    """Return whether the very process runs on this machine."""
    return owner.host == os.uname().nodename and start_of(owner.pid) == owner.started


def start_of(pid: int) -> str | None:
    """Return when a process was started, as text without spaces; None if there is none."""
    if not has_proc():
        return _start_by_ps(pid)

    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None

    # The name of the program is in parentheses, and may have spaces and parentheses itself.
    state, *fields = text.rpartition(")")[2].split()
    if state == "Z":
        return None

    return fields[_START_FIELD - 4]


def has_proc() -> bool:
    """Return whether this system shows its processes as files (Linux does, macOS does not)."""
    return (_PROC / "self" / "environ").exists()


def _start_by_ps(pid: int) -> str | None:
    words = ["ps", "-o", "lstart=", "-p", str(pid)]
    variables = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
    ran = subprocess.run(words, capture_output=True, text=True, check=False, env=variables)  # noqa: S603 - a fixed list of words
    return "_".join(ran.stdout.split()) or None
