"""The program of the watchdog.

Reads lines about processes: `> mark` before a process is started, `+ mark group` after, and
`- mark` when it has ended. At the end of the input it ends the groups that are left, and all that
has their marks, wherever it went; after the line `. .` it exits without that.

Each command that runs a tool starts this: `pathlib`, `signal` and `typing` would double its time.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Set  # noqa: UP035 - any Python 3 may run this

TRIES = 100
KILL = 9
"""The number of SIGKILL, which POSIX fixes."""


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
    """Kill a process group, and before it all processes below its leader.

    The leader may be the reaper of processes that left the group and have no mark: they are found
    by their parents, as long as it lives.
    """
    for _ in range(TRIES):
        found = processes_below(group)
        if not found:
            break
        for number in found:
            try:
                os.kill(number, KILL)
            except OSError:
                # It has ended meanwhile.
                continue
        time.sleep(0.005)

    try:
        os.killpg(group, KILL)
    except (ProcessLookupError, PermissionError):
        # The group has ended meanwhile.
        return


def end_marked(marks: Set[bytes]) -> bool:  # noqa: UP006 - as above
    """Kill the processes that have one of the marks in their environment; return if there were."""
    found = False
    for name in process_ids():
        try:
            with open(f"/proc/{name}/environ", "rb") as file:  # noqa: PTH123 - see above
                variables = file.read().split(b"\0")
            if not marks.isdisjoint(variables):
                found = True
                os.kill(int(name), KILL)
        except OSError:
            # A process of another user, or one that has ended.
            continue

    return found


def processes_below(number: int) -> List[int]:  # noqa: UP006 - as above
    """Return the children of a process, and theirs; not those that wait for their parent."""
    children: Dict[int, List[int]] = {}  # noqa: UP006 - as above
    for name in process_ids():
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - see above
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except OSError:
            continue
        if state != b"Z":
            children.setdefault(int(parent), []).append(int(name))

    found = children.get(number, [])
    for each in found:
        found.extend(children.get(each, []))
    return found


def process_ids() -> list[str]:
    """Return the ids of all processes; none where the system has no `/proc`."""
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - see above
    except OSError:
        return []
    return [name for name in names if name.isdigit()]


if __name__ == "__main__":
    main()
