"""Run a command, and kill it at one of the moments at which it changes something.

A moment is a git that is about to be started, a file that is opened to be written, renamed, made or removed, or a
commit of the store. `POINT` is the number of the moment; -1 kills nobody, and the modes in which each moment can be
tried go to the file `TRACE`, as JSON. `alone`: the command dies. `group`: what it has started dies too. `during`: both
die some milliseconds later, in the middle of the git that is started at this moment.

    python -m tests.end_to_end.worktrees.killed_command TRACE POINT alone|group|during WORDS...
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy.engine.default import DefaultDialect

_MOMENTS = {"subprocess.Popen", "os.rename", "os.mkdir", "os.remove", "os.rmdir"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def main() -> None:
    trace_file, point, mode, *words = sys.argv[1:]
    trace: list[list[str]] = []

    def reach(*, starts: bool = False) -> None:
        if len(trace) == int(point):
            _kill(mode, len(trace))
        trace.append(["alone", *["group"] * _has_children(), *["during"] * starts])

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _MOMENTS or _opens_to_write(event, arguments):
            reach(starts=event == "subprocess.Popen")

    real: Any = DefaultDialect.do_commit

    def commit(self: Any, connection: Any) -> None:
        reach()
        real(self, connection)
        reach()

    from holdfast.cli.app import app

    DefaultDialect.do_commit = commit  # type: ignore[method-assign]
    sys.addaudithook(audit)
    try:
        app(words, standalone_mode=False)
    finally:
        if int(point) < 0:
            modes = list(trace)
            Path(trace_file).write_text(json.dumps(modes))


def _kill(mode: str, point: int) -> None:
    match mode:
        case "alone":
            os.kill(os.getpid(), signal.SIGKILL)
        case "group":
            os.killpg(0, signal.SIGKILL)
        case "during":
            # Each git takes a few milliseconds; which of them is hit follows from the moment.
            seconds = 0.001 * (1 + point * 7 % 13)
            threading.Timer(seconds, os.killpg, (0, signal.SIGKILL)).start()


def _has_children() -> bool:
    for task in Path("/proc/self/task").glob("*/children"):
        # A thread may have ended since.
        with suppress(OSError):
            if task.read_text():
                return True
    return False


def _opens_to_write(event: str, arguments: tuple[Any, ...]) -> bool:
    if event != "open" or not isinstance(arguments[2], int):
        return False
    return bool(arguments[2] & _WRITES) and "/dev/" not in str(arguments[0])


if __name__ == "__main__":
    main()
