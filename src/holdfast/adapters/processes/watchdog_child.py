"""Told what runs, a line each: `> mark` before it is started, `+ mark group` when it is, `- mark` when it has ended.

When nobody can write any more, it ends what is left; after `. .` nothing.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Dict  # noqa: UP035 - whatever Python runs this


def main() -> None:
    """Outlive whoever started us, by a moment."""
    groups: Dict[bytes, int] = {}  # noqa: UP006 - as above
    for line in sys.stdin.buffer:
        sign, mark, *group = line.split()
        if sign == b"-":
            groups.pop(mark, None)
        elif sign == b".":
            return
        else:
            groups[mark] = int(group[0]) if group else 0
    for mark, group in groups.items():
        if group:
            end_group(group)
        else:
            end_marked(mark)


def end_group(group: int) -> None:
    """End a process group."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # It has ended meanwhile.
        return


def end_marked(mark: bytes) -> None:
    """End what was being started: its number nobody could tell us, but it has the mark in its environment."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                end_group(os.getpgid(int(folder.name)))
        except OSError:
            # Another's, or gone.
            continue


if __name__ == "__main__":
    main()
