"""Run a command, and kill it at one of the moments at which it changes something.

A moment is a git that is started, a file that is opened to be written, renamed, made or removed, or a commit of the
store. `POINT` is the number of the moment; -1 kills nobody. The number of all moments goes to the file `COUNT`. With
the mode `group`, a git that was started just before dies too.

    python -m tests.end_to_end.worktrees.killed_command COUNT POINT alone|group WORDS...
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from sqlalchemy.engine.default import DefaultDialect

_MOMENTS = {"subprocess.Popen", "os.rename", "os.mkdir", "os.remove", "os.rmdir"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def main() -> None:
    count_file, point, mode, *words = sys.argv[1:]
    count = 0

    def reach() -> None:
        nonlocal count
        if count == int(point):
            if mode == "group":
                os.killpg(0, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)
        count += 1

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _MOMENTS or _opens_to_write(event, arguments):
            reach()

    real: Any = DefaultDialect.do_commit

    def commit(self: Any, connection: Any) -> None:
        reach()
        real(self, connection)
        reach()

    from holdfast.cli.main import app

    DefaultDialect.do_commit = commit  # type: ignore[method-assign]
    sys.addaudithook(audit)
    try:
        app(words, standalone_mode=False)
    finally:
        if int(point) < 0:
            Path(count_file).write_text(str(count))


def _opens_to_write(event: str, arguments: tuple[Any, ...]) -> bool:
    if event != "open" or not isinstance(arguments[2], int):
        return False
    return bool(arguments[2] & _WRITES) and "/dev/" not in str(arguments[0])


if __name__ == "__main__":
    main()
