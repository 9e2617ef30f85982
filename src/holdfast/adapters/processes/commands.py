"""Programs, run so that whatever they do, they end: in a group of their own, without input, within limits.

What a program cannot do here: wait for somebody to type, fill our memory, hold us up with a child that keeps its output
open, or outlive its limit or us (even if we are killed), unless it leaves its process group on purpose.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.adapters.processes import watchdog
from holdfast.tools.ports import CommandDone

if TYPE_CHECKING:
    from holdfast.vocab.cancellation import Cancel

_PIECE = 65_536
_TICK = 0.05
"""How often we look whether it was cancelled, or whether a program has ended that left its output open to a child."""
_GRACE = 2.0
"""How long a program may take to end after it was asked to."""
_REST = 0.2
"""How long the output of a program that has ended is waited for, while a child of it keeps it open."""
_HEAD = _TAIL = 8_000

_KEYS = re.compile(r"HOLDFAST_.*(?:KEY|TOKEN|SECRET|PASSWORD)", re.IGNORECASE)
# An inherited GIT_DIR would lead a `git commit` into another repository: that of a hook that has started us.
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
# A progress bar goes back to the beginning of its line again and again; what counts is how it looked last.
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")


class OsCommands:
    """The commands that a model asks for (port `Commands`)."""

    def __init__(self, withheld: Collection[str] = ()) -> None:
        """Withhold these variables from every program: those that hold the keys of the model's provider."""
        self._withheld = frozenset(withheld)

    def run(self, argv: Sequence[str], cwd: str, timeout: float, cancel: Cancel) -> CommandDone:
        """Run a program to its end, for at most `timeout` seconds."""
        kept = HeadAndTail(_HEAD, _TAIL)
        try:
            ended = run_process(
                argv, cwd, environment(self._withheld), timeout, cancel, take=kept.take
            )
        except FileNotFoundError as error:
            missing = (
                f"{cwd}: no such directory"
                if error.filename == cwd
                else f"{argv[0]}: no such program"
            )
            return CommandDone(127, f"{missing}.")
        except OSError as error:
            return CommandDone(126, f"{argv[0]}: this cannot be run ({error.strerror}).")
        code = (
            ended.code if ended.code >= 0 and not ended.timed_out and not ended.cancelled else None
        )
        name = None if code is not None else _name_signal(ended.code)
        return CommandDone(
            code, readable(kept.text()), ended.timed_out, ended.cancelled, name, ended.left
        )


def environment(withheld: Collection[str]) -> dict[str, str]:
    """Give our own environment without our keys, and with what keeps programs from asking and colouring."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in withheld and name not in _NOT_INHERITED and not _KEYS.fullmatch(name)
    }
    return {**inherited, **_SETTINGS}


def readable(text: str) -> str:
    r"""Give a program's output as it would look on a terminal, without colours.

    >>> readable("\x1b[31mred\x1b[0m\r\n10%\r50%\rdone\n")
    'red\ndone\n'
    """
    return _OVERWRITTEN.sub("", _ESCAPES.sub("", text).replace("\r\n", "\n"))


class HeadAndTail:
    """The first and the last bytes of a stream, however long it is."""

    def __init__(self, head: int, tail: int) -> None:
        """Keep so many bytes of either end."""
        self._head = bytearray()
        self._room = head
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._tail_room = tail
        self._all = 0

    def take(self, data: bytes) -> bool:
        """Take the next piece; more is always welcome."""
        self._all += len(data)
        more = self._room - len(self._head)
        self._head += data[:more]
        rest = data[more:] if more < len(data) else b""
        if rest:
            self._tail.append(rest[-self._tail_room :])
            self._tail_size += len(self._tail[-1])
            while self._tail_size - len(self._tail[0]) >= self._tail_room:
                self._tail_size -= len(self._tail.popleft())
        return True

    def text(self) -> str:
        """Give what is kept; where the middle is missing, that is said."""
        tail = b"".join(self._tail)[-self._tail_room :] if self._tail else b""
        left_out = self._all - len(self._head) - len(tail)
        if left_out <= 0:
            return (bytes(self._head) + tail).decode("utf-8", "replace")
        head = bytes(self._head).decode("utf-8", "replace")
        return f"{head}\n… ({left_out} bytes left out) …\n{tail.decode('utf-8', 'replace')}"


# ----------------------------------------------------------------------------------------------------------- processes


@dataclass(frozen=True, slots=True)
class ProcessEnded:
    """How a process ended: `code` is negative for a signal; `left`, that it left others with its output open."""

    code: int
    timed_out: bool = False
    cancelled: bool = False
    left: bool = False


def run_process(
    argv: Sequence[str],
    cwd: str,
    variables: Mapping[str, str],
    timeout: float,
    cancel: Cancel,
    *,
    take: Callable[[bytes], bool],
    errors: int = subprocess.STDOUT,
    given: int = subprocess.DEVNULL,
    grace: float = _GRACE,
) -> ProcessEnded:
    """Run a program and hand on its output as it comes, until it ends, or `take` wants no more, or time is up.

    Whatever else is in its group then is ended too: asked to, and after `grace` seconds made to. Raises OSError if it
    cannot be started.
    """
    with watchdog.watching() as (mark, started):
        child = subprocess.Popen(  # noqa: S603 - a list of words, judged by whoever calls
            list(argv),
            cwd=cwd,
            env={**variables, **mark},
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        started(child.pid)
        with child:
            return _Watch(child, take, grace).until_the_end(time.monotonic() + timeout, cancel)


class _Watch:
    """A process under way: its output is read as it comes, so that it never waits for us."""

    def __init__(
        self, child: subprocess.Popen[bytes], take: Callable[[bytes], bool], grace: float
    ) -> None:
        self._child = child
        self._take = take
        self._grace = grace
        self._out = child.stdout.fileno() if child.stdout else -1
        self._open = True
        self._enough = False
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN | select.POLLHUP)

    def until_the_end(self, deadline: float, cancel: Cancel) -> ProcessEnded:
        timed_out = cancelled = left = False
        try:
            while not (self._enough or cancelled or timed_out or self._has_ended()):
                self._read(_TICK)
                cancelled = cancel.is_set()
                timed_out = time.monotonic() >= deadline
            if timed_out or cancelled:
                # It may have ended by itself in the very last moment; then that is how it ended.
                timed_out, cancelled = (
                    (False, False) if self._has_ended() else (timed_out, cancelled)
                )
            self._drain(_REST if self._has_ended() else 0)
            left = self._open and self._has_ended()
        finally:
            self._end_group()
        return ProcessEnded(self._child.wait(), timed_out, cancelled, left)

    def _end_group(self) -> None:
        """Ask what is left to end, and then make it. The child is not reaped before: its number stays its own."""
        self._signal(signal.SIGTERM)
        until = time.monotonic() + self._grace
        while (
            not self._enough and (self._open or not self._has_ended()) and time.monotonic() < until
        ):
            if self._has_ended() and self._open:
                until = min(until, time.monotonic() + _REST)
            self._read(_TICK)
        self._signal(signal.SIGKILL)
        self._drain(_REST)

    def _drain(self, seconds: float) -> None:
        """Read what is still in the pipe; a child that keeps it open is not waited for longer than this."""
        until = time.monotonic() + seconds
        while self._open and not self._enough and (left := until - time.monotonic()) > 0:
            self._read(left)

    def _read(self, seconds: float) -> None:
        if not self._open:
            # Its output is closed and it goes on: nothing will wake us but its end.
            time.sleep(min(seconds, 0.01))
            return
        if not self._poll.poll(seconds * 1000):
            return
        data = os.read(self._out, _PIECE)
        if not data:
            self._open = False
        elif not self._take(data):
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
            # Nobody is left; or nobody we may: macOS says so of a group of zombies, too.
            return


def _name_signal(code: int) -> str | None:
    if code >= 0:
        return None
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
