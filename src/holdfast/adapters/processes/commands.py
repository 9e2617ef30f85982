"""Commands: programs that always end, run in their own process group, without input, with limits.

A program cannot wait for input, fill our memory, block us with a child that keeps its output open,
or outlive its time limit or us (even if we are killed), unless it leaves its process group on
purpose.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import time
from collections import deque
from typing import TYPE_CHECKING

from holdfast.adapters.processes import watchdog
from holdfast.adapters.processes.turn_processes import mark_variables, record_group
from holdfast.tools.ports import CommandDone
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from holdfast.vocab.cancellation import Cancel

_CHUNK = 65_536
_TICK = 0.05
"""Seconds between two checks for a cancel, and for the end of a program with its output open."""
_GRACE = 2.0
"""Seconds that a program has to end after SIGTERM."""
_DRAIN = 0.2
"""Seconds to wait for more output of a program that has ended, while a child keeps it open."""
_HEAD = _TAIL = 8_000

_KEYS = re.compile(r"HOLDFAST_.*(?:KEY|TOKEN|SECRET|PASSWORD)", re.IGNORECASE)
# An inherited GIT_DIR would direct a `git commit` to another repository: that of the hook that
# started us.
_NOT_INHERITED = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"}
)
_SETTINGS = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "PIP_NO_INPUT": "1",
    "DEBIAN_FRONTEND": "noninteractive",
}
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
# A progress bar overwrites its line many times; only its last state is shown.
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")


class OsCommands:
    """The commands that a model asks for (port `Commands`)."""

    def __init__(self, withheld: Collection[str] = ()) -> None:
        """Set the variables to withhold from every program: the keys of the model's provider."""
        self._withheld = frozenset(withheld)

    def run(self, argv: Sequence[str], cwd: str, timeout: float, cancel: Cancel) -> CommandDone:
        """Run a program to its end, for at most `timeout` seconds."""
        output = HeadAndTail(_HEAD, _TAIL)
        variables = environment(self._withheld)
        try:
            ended = run_process(argv, cwd, variables, timeout, cancel, on_output=output.add)
        except FileNotFoundError as error:
            if error.filename == cwd:
                return CommandDone(127, f"{cwd}: no such directory.")
            return CommandDone(127, f"{argv[0]}: no such program.")
        except OSError as error:
            return CommandDone(126, f"{argv[0]}: this cannot be run ({error.strerror}).")
        return CommandDone(
            exit_code=ended.exit_code,
            output=readable(output.text()),
            timed_out=ended.timed_out,
            cancelled=ended.cancelled,
            signal=ended.signal,
            left=ended.left,
        )


def environment(withheld: Collection[str]) -> dict[str, str]:
    """Return our environment without keys, with settings that prevent prompts and colours."""
    variables = dict(os.environ)
    for name in os.environ:
        if name in withheld or name in _NOT_INHERITED or _KEYS.fullmatch(name):
            del variables[name]
    return variables | _SETTINGS


def readable(text: str) -> str:
    r"""Return a program's output as it looks on a terminal, without colours.

    >>> readable("\x1b[31mred\x1b[0m\r\n10%\r50%\rdone\n")
    'red\ndone\n'
    """
    return _OVERWRITTEN.sub("", _ESCAPES.sub("", text).replace("\r\n", "\n"))


class HeadAndTail:
    """The first and the last bytes of a stream of any length."""

    def __init__(self, head: int, tail: int) -> None:
        """Set how many bytes to keep of either end."""
        self._head = bytearray()
        self._head_limit = head
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._tail_limit = tail
        self._total = 0

    def add(self, data: bytes) -> bool:
        """Add the next chunk; return True: there is no limit."""
        self._total += len(data)
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        rest = data[room:]
        if not rest:
            return True
        self._tail.append(rest[-self._tail_limit :])
        self._tail_size += len(self._tail[-1])
        while self._tail_size - len(self._tail[0]) >= self._tail_limit:
            self._tail_size -= len(self._tail.popleft())
        return True

    def text(self) -> str:
        """Return the kept bytes as text; a line says how many bytes of the middle are left out."""
        head = bytes(self._head)
        tail = b"".join(self._tail)[-self._tail_limit :]
        left_out = self._total - len(head) - len(tail)
        if left_out <= 0:
            return (head + tail).decode("utf-8", "replace")
        head_text = head.decode("utf-8", "replace")
        tail_text = tail.decode("utf-8", "replace")
        return f"{head_text}\n… ({left_out} bytes left out) …\n{tail_text}"


# -------------------------------------------------------------------------------------- processes


@dataclass(frozen=True, slots=True)
class ProcessEnded:
    """How a process ended. `code` is negative for a signal.

    `left`: the process left child processes behind that kept its output open.
    """

    code: int
    timed_out: bool = False
    cancelled: bool = False
    left: bool = False

    @property
    def exit_code(self) -> int | None:
        """The exit code; None if the process did not end by itself."""
        if self.code < 0 or self.timed_out or self.cancelled:
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
    grace: float = _GRACE,
) -> ProcessEnded:
    """Run a program until it ends, `on_output` returns False, the time is up, or a cancel.

    `on_output` gets each chunk of output as soon as it is written. At the end all processes in the
    program's group get SIGTERM and, after `grace` seconds, SIGKILL. Raise OSError if the program
    cannot be started.
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
        )
        started(child.pid)
        record_group(child.pid)
        with child:
            deadline = time.monotonic() + timeout
            return _RunningProcess(child, on_output, grace).wait(deadline, cancel)


class _RunningProcess:
    """A running process. Its output is read continuously, so that it never blocks on us."""

    def __init__(
        self, child: subprocess.Popen[bytes], on_output: Callable[[bytes], bool], grace: float
    ) -> None:
        self._child = child
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
                cancelled = cancel.is_set()
                timed_out = time.monotonic() >= deadline
            if self._has_ended():
                # By itself, perhaps at the last moment: then this was neither limit nor cancel.
                timed_out = cancelled = False
                self._drain(_DRAIN)
                left = self._open
        finally:
            self._end_group()
        return ProcessEnded(self._child.wait(), timed_out, cancelled, left)

    def _end_group(self) -> None:
        """Send SIGTERM to the group, and SIGKILL after the grace.

        The child is not reaped before: until then no other process can get its number.
        """
        self._signal(signal.SIGTERM)
        until = time.monotonic() + self._grace
        while self._is_running() and time.monotonic() < until:
            if self._open and self._has_ended():
                until = min(until, time.monotonic() + _DRAIN)
            self._read(_TICK)
        self._signal(signal.SIGKILL)
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
            time.sleep(min(seconds, 0.01))
            return
        if not self._poll.poll(seconds * 1000):
            return
        data = os.read(self._out, _CHUNK)
        if not data:
            self._open = False
        elif not self._on_output(data):
            self._enough = True

    def _has_ended(self) -> bool:
        if self._child.returncode is not None:
            return True
        # Before Python 3.13 macOS has no waitid: there the child is reaped a little early.
        if not hasattr(os, "waitid"):
            return self._child.poll() is not None
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._child.pid, flags) is not None

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._child.pid, number)
        except (ProcessLookupError, PermissionError):
            # The group is empty; macOS reports EPERM for a group of zombies.
            return
