"""Child processes: each always ends, in its own process group, without input, with limits.

A program cannot wait for input, fill our memory, block us with a child that keeps its output open,
or outlive its time limit or us (even if we are killed), unless it leaves its process group on
purpose.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from typing import TYPE_CHECKING

from holdfast.adapters.processes import watchdog
from holdfast.adapters.processes.turn_processes import mark_variables, record_group
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.vocab.cancellation import Cancel

_CHUNK = 65_536
_TICK = 0.05
"""Seconds between two checks for a cancel, and for the end of a program with its output open."""
GRACE = 2.0
"""Seconds that a program has to end after SIGTERM."""
_DRAIN = 0.2
"""Seconds to wait for more output of a program that has ended, while a child keeps it open."""


@dataclass(frozen=True, slots=True)
class ProcessEnded:
    """How a process ended. `code` is negative for a signal.

    `left`: the process left child processes behind that kept its output open. `stopped_for` is why
    the sandbox had to end it, or "". `put_back` are paths that it changed against the rules of its
    sandbox, and that are as before.
    """

    code: int
    timed_out: bool = False
    cancelled: bool = False
    left: bool = False
    stopped_for: str = ""
    put_back: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int | None:
        """The exit code; None if the process did not end by itself."""
        if self.code < 0 or self.timed_out or self.cancelled or self.stopped_for:
            return None
        return self.code

    @property
    def signal(self) -> str | None:
        """The name of the signal that ended the process, or None."""
        if self.code >= 0:
            return None
        try:
            return signal.Signals(-self.code).name
        except ValueError:
            return f"signal {-self.code}"


def run_process(
    argv: Sequence[str],
    cwd: str,
    variables: Mapping[str, str],
    timeout: float,
    cancel: Cancel,
    *,
    on_output: Callable[[bytes], bool],
    stderr: int = subprocess.STDOUT,
    stdin: int = subprocess.DEVNULL,
    grace: float = GRACE,
    pass_fds: Sequence[int] = (),
    inner_group: Callable[[], int | None] = lambda: None,
    end_all: Callable[[], None] | None = None,
    why_stop: Callable[[], str] = lambda: "",
) -> ProcessEnded:
    """Run a program until it ends, `on_output` returns False, the time is up, or a cancel.

    `on_output` gets each chunk of output as soon as it is written. At the end all processes in the
    program's group get SIGTERM and, after `grace` seconds, SIGKILL. Raise OSError if the program
    cannot be started.

    `inner_group` returns the group of a program that the child runs in a sandbox, once it is known.
    Then that group gets SIGTERM, so that the program can end well, and the child only SIGKILL.
    `end_all` makes the child end all processes of the program, before it gets SIGKILL itself.

    `why_stop` is asked before each chunk of output is passed on, and at least every 50 ms. When it
    returns a reason, the program gets no time to end, and the chunk is dropped.
    """
    with watchdog.watching() as (mark, started):
        child = subprocess.Popen(  # noqa: S603 - a list of words, judged by the caller
            list(argv),
            cwd=cwd,
            env={**variables, **mark, **mark_variables()},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            pass_fds=pass_fds,
        )
        started(child.pid)
        record_group(child.pid)
        with child:
            deadline = time.monotonic() + timeout
            running = _RunningProcess(
                child, on_output, grace, inner_group, end_all, why_stop=why_stop
            )
            return running.wait(deadline, cancel)


class _RunningProcess:
    """A running process. Its output is read continuously, so that it never blocks on us."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        on_output: Callable[[bytes], bool],
        grace: float,
        inner_group: Callable[[], int | None],
        end_all: Callable[[], None] | None,
        *,
        why_stop: Callable[[], str],
    ) -> None:
        self._child = child
        self._why_stop = why_stop
        self._stopped_for = ""
        self._end_all = end_all
        self._inner_group = inner_group
        self._on_output = on_output
        self._grace = grace
        self._out = child.stdout.fileno() if child.stdout else -1
        self._open = True
        self._enough = False
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN | select.POLLHUP)

    def wait(self, deadline: float, cancel: Cancel) -> ProcessEnded:
        """Read the output until the process ends, the deadline, or a cancel; end the group."""
        timed_out = cancelled = left = False
        try:
            while not (self._enough or cancelled or timed_out or self._has_ended()):
                self._read(_TICK)
                self._look_for_stop()
                cancelled = cancel.is_set()
                timed_out = time.monotonic() >= deadline
            if self._has_ended():
                # By itself, perhaps at the last moment: then this was neither limit nor cancel.
                timed_out = cancelled = False
                self._look_for_stop()
                self._drain(_DRAIN)
                left = self._open
        finally:
            self._end_group()

        code = self._child.wait()
        if self._stopped_for:
            code = -signal.SIGKILL
        return ProcessEnded(code, timed_out, cancelled, left, self._stopped_for)

    def _end_group(self) -> None:
        """Send SIGTERM to the group, and SIGKILL after the grace.

        The child is not reaped before: until then no other process can get its number.
        """
        self._signal(self._inner_group() or self._child.pid, signal.SIGTERM)
        until = time.monotonic() + self._grace
        while self._is_running() and time.monotonic() < until:
            if self._open and self._has_ended():
                until = min(until, time.monotonic() + _DRAIN)
            self._read(_TICK)

        if self._end_all is not None:
            self._end_all()
            until = time.monotonic() + GRACE
            while not self._has_ended() and time.monotonic() < until:
                time.sleep(0.01)

        self._signal(self._child.pid, signal.SIGKILL)
        self._drain(_DRAIN)

    def _is_running(self) -> bool:
        """Return whether the process, or a child with its output, may still write what we want."""
        if self._enough:
            return False
        return self._open or not self._has_ended()

    def _drain(self, seconds: float) -> None:
        """Read the rest of the output, for at most so long if a child keeps it open."""
        until = time.monotonic() + seconds
        while self._open and not self._enough:
            remaining = until - time.monotonic()
            if remaining <= 0:
                return
            self._read(remaining)

    def _read(self, seconds: float) -> None:
        """Read one chunk; wait for it at most so long."""
        if not self._open:
            # The process has closed its output and goes on: nothing to wait for but its end.
            self._wait_for_end(seconds)
            return
        if not self._poll.poll(seconds * 1000):
            return

        data = os.read(self._out, _CHUNK)
        # After the reading: what is read was written before that, so nothing that the program has
        # read since then is in it.
        self._look_for_stop()
        if not data:
            self._open = False
        elif not self._enough and not self._on_output(data):
            self._enough = True

    def _wait_for_end(self, seconds: float) -> None:
        """Wait until the process ends, at most so long; it is not reaped."""
        try:
            end = os.pidfd_open(self._child.pid)
        except (AttributeError, OSError):
            # Only Linux has these. Or the process has ended, and macOS has reaped it.
            time.sleep(min(seconds, 0.01))
            return

        try:
            ended = select.poll()
            ended.register(end, select.POLLIN)
            ended.poll(seconds * 1000)
        finally:
            os.close(end)

    def _look_for_stop(self) -> None:
        self._stopped_for = self._stopped_for or self._why_stop()
        if self._stopped_for:
            self._enough = True

    def _has_ended(self) -> bool:
        if self._child.returncode is not None:
            return True
        # Before Python 3.13 macOS has no waitid: there the child is reaped a little early.
        if not hasattr(os, "waitid"):
            return self._child.poll() is not None

        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._child.pid, flags) is not None

    @staticmethod
    def _signal(group: int, number: signal.Signals) -> None:
        try:
            os.killpg(group, number)
        except (ProcessLookupError, PermissionError):
            # The group is empty; macOS reports EPERM for a group of zombies.
            return
