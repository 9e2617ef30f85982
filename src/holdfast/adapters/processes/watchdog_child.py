"""The program of the watchdog.

Reads lines about processes: `> mark` before a process is started, `+ mark group` after, and
`- mark` when it has ended. At the end of the input it ends the processes that are left; after the
line `. .` it exits without that.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Dict  # noqa: UP035 - any Python 3 may run this


def main() -> None:
    """Read until the input is closed, and end the processes that are left."""
    groups: Dict[bytes, int] = {}  # noqa: UP006 - as above
    for line in sys.stdin.buffer:
        sign, mark, *group = line.split()
        if sign == b"-":
            groups.pop(mark, None)
        elif sign == b".":
            return
        elif group:
            groups[mark] = int(group[0])
        else:
            groups[mark] = 0
    for mark, group in groups.items():
        if group:
            end_group(group)
        else:
            end_marked(mark)


def end_group(group: int) -> None:
    """Kill a process group."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # The group has ended meanwhile.
        return


def end_marked(mark: bytes) -> None:
    """Kill a process whose number was not sent yet; its environment has the mark."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                end_group(os.getpgid(int(folder.name)))
        except OSError:
            # A process of another user, or one that has ended.
            continue


if __name__ == "__main__":
    main()
