"""A terminal with `holdfast run` in it, and somebody who reads and types."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.testing import ScriptedServer
from tests.end_to_end.run.project import Project
from tests.waiting import LONGEST

# To fork here and do this between fork and exec is not safe while a server has threads.
_TAKE_TERMINAL = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"


class Terminal:
    """What is on the screen so far, and the keyboard."""

    def __init__(self, end: int, process: subprocess.Popen[bytes]) -> None:
        self._end = end
        self.process = process
        self.screen = ""
        self._read = 0

    def wait_for(self, words: str) -> None:
        """Read until the words come, after what was waited for before."""
        while words not in self.screen[self._read :]:
            assert self._take(), f"the screen has no {words!r}:\n{self.screen}"
        self._read = self.screen.index(words, self._read) + len(words)

    def type(self, keys: str) -> None:
        """Press keys; "\\x03" is Ctrl-C."""
        os.write(self._end, keys.encode())

    def finish(self) -> int:
        """Read to the end, and give the exit code."""
        while self._take():
            pass
        return self.process.wait(LONGEST)

    def _take(self) -> bool:
        if not select.select([self._end], [], [], LONGEST)[0]:
            return False
        try:
            data = os.read(self._end, 65_536)
        except OSError:  # Linux says EIO when the other end is closed, others give nothing
            return False
        self.screen += data.decode().replace("\r\n", "\n")
        return bool(data)


@contextmanager
def on_terminal(
    project: Project,
    *words: str,
    server: ScriptedServer | None,
    command: tuple[str, ...] = ("run",),
    **more: str,
) -> Iterator[Terminal]:
    """Run a command on a terminal of its own, which Ctrl-C reaches; when this is left, it is killed if need be."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _TAKE_TERMINAL, *project.words(*command, *words, server=server)],
        env=project.environment(**more),
        cwd=project.place,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    with process:
        try:
            yield Terminal(ours, process)
        finally:
            process.kill()
            os.close(ours)
