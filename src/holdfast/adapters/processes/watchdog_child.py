"""The program of the watchdog.

Reads lines about processes: `> mark` before a process is started, `+ mark group` after, and
`- mark` when it has ended. At the end of the input it ends the groups that are left, and all that
has their marks, wherever it went; after the line `. .` it exits without that.
"""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Dict, Set  # noqa: UP035 - any Python 3 may run this

TRIES = 100


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
    for group in groups.values():
        if group:
            end_group(group)
    for _ in range(TRIES):
        # What a process starts while others are looked at is found the next time.
        if not end_marked(set(groups)):
            return
        time.sleep(0.02)


def end_group(group: int) -> None:
    """Kill a process group."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # The group has ended meanwhile.
        return


def end_marked(marks: Set[bytes]) -> bool:  # noqa: UP006 - as above
    """Kill the processes that have one of the marks in their environment; return if there were."""
    found = False
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if not marks.isdisjoint((folder / "environ").read_bytes().split(b"\0")):
                found = True
                os.kill(int(folder.name), signal.SIGKILL)
        except OSError:
            # A process of another user, or one that has ended.
            continue
    return found


if __name__ == "__main__":
    main()
