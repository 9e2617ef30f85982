"""The processes of turns: marked by a variable, found by it wherever they went, and ended.

A process that ignores SIGTERM, left its group and session, or lost its parent, still has the
environment that it was started with.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.processes.process_identity import has_proc, start_of
from holdfast.adapters.processes.watchdog import TURN_VARIABLE
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_GRACE = 1.0
"""Seconds that a process has to end after SIGTERM."""
_LONGEST = 10.0
"""Seconds after which processes that cannot be killed are left."""
_TICK = 0.02
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class _Mark:
    """The turn that processes are started for, and the file for systems without /proc."""

    turn: str
    groups: Path


_mark: ContextVar[_Mark | None] = ContextVar("holdfast_turn", default=None)


@dataclass(frozen=True, slots=True)
class MarkedProcess:
    """A process that a turn has started, itself or through another process.

    `turn` is the value of the mark.
    """

    turn: str
    pid: int
    started: str


class TurnProcesses:
    """The processes of turns on this machine."""

    def __init__(self, state: Path) -> None:
        """Set the state directory, in which systems without /proc keep the process groups."""
        self._directory = state / "turns"

    @contextmanager
    def marking(self, turn: str) -> Iterator[None]:
        """Mark the processes that are started in this context as those of a turn."""
        token = _mark.set(_Mark(turn, self._groups(turn)))
        try:
            yield
        finally:
            _mark.reset(token)
            self._forget_if_ended(turn)

    def found(self) -> tuple[MarkedProcess, ...]:
        """Return the processes of all turns, but for this process and those that it runs in."""
        ours = _ancestors()
        found = find_marked(TURN_VARIABLE) if has_proc() else self._recorded()
        return tuple(each for each in found if each.pid not in ours)

    def end(self, turns: Collection[str]) -> tuple[int, ...]:
        """End the processes of these turns by SIGTERM, then SIGKILL; return their numbers.

        Those that are started meanwhile are ended too.
        """
        if not turns:
            return ()

        ended: dict[int, None] = {}
        begun = time.monotonic()
        while time.monotonic() - begun < _LONGEST:
            alive = [each for each in self.found() if each.turn in turns]
            if not alive:
                break
            ended.update(dict.fromkeys(each.pid for each in alive))
            _end(alive)

        for turn in turns:
            self._groups(turn).unlink(missing_ok=True)

        return tuple(ended)

    def _forget_if_ended(self, turn: str) -> None:
        """Remove the record of a turn's process groups, unless one of them still runs."""
        if has_proc() or any(each.turn == turn for each in self._recorded()):
            return
        self._groups(turn).unlink(missing_ok=True)

    def _groups(self, turn: str) -> Path:
        return self._directory / f"{turn}.pids"

    def _recorded(self) -> list[MarkedProcess]:
        """Return the leaders of process groups that were recorded and still run."""
        found = []
        for file in sorted(self._directory.glob("*.pids")):
            for line in file.read_text().splitlines():
                pid, _, started = line.partition(" ")
                if started and start_of(int(pid)) == started:
                    found.append(MarkedProcess(file.stem, int(pid), started))

        return found


def turn_of_process() -> str | None:
    """Return the turn of which a command has started this process, or None."""
    return os.environ.get(TURN_VARIABLE)


def mark_variables() -> dict[str, str]:
    """Return the variables for a process that is started now: the mark of the turn, if any."""
    mark = _mark.get()
    turn = mark.turn if mark else turn_of_process()
    return {TURN_VARIABLE: turn} if turn else {}


def record_group(pid: int) -> None:
    """Record a process group that was started for a turn, where no /proc shows its mark."""
    mark = _mark.get()
    if mark is None or has_proc():
        return
    with suppress(OSError), mark.groups.open("a") as file:
        file.write(f"{pid} {start_of(pid) or ''}\n")


def end_process(pid: int, started: str) -> None:
    """End one process by SIGTERM and, after a grace, SIGKILL; not another one with its number."""
    _end([MarkedProcess("", pid, started)])


def _end(processes: Collection[MarkedProcess]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        for each in processes:
            _signal(each, number)
        until = time.monotonic() + _GRACE
        while time.monotonic() < until and any(_is_alive(each) for each in processes):
            time.sleep(_TICK)


def _signal(process: MarkedProcess, number: signal.Signals) -> None:
    if not _is_alive(process):
        return

    with suppress(ProcessLookupError, PermissionError):
        if has_proc():
            os.kill(process.pid, number)
        else:
            os.killpg(process.pid, number)


def _is_alive(process: MarkedProcess) -> bool:
    return start_of(process.pid) == process.started


def find_marked(variable: str) -> list[MarkedProcess]:
    """Return the processes that have this variable in their environment, where there is /proc."""
    if not has_proc():
        return []

    name = f"{variable}=".encode()
    found = []
    for folder in os.listdir("/proc"):  # noqa: PTH208 - a path for each would take twice the time
        if not folder.isdecimal():
            continue
        pid = int(folder)
        environment = _environment_of(pid)
        # Most have no mark.
        if name not in environment:
            continue
        marks = [each for each in environment.split(b"\0") if each.startswith(name)]
        if not marks:
            continue
        started = start_of(pid)
        if started is not None:
            turn = marks[0].removeprefix(name).decode("ascii", "replace")
            found.append(MarkedProcess(turn, pid, started))

    return found


def _environment_of(pid: int) -> bytes:
    """Return the environment of a process; empty of another user's, or if it has ended."""
    try:
        handle = os.open(f"/proc/{pid}/environ", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""

    pieces: list[bytes] = []
    try:
        while piece := os.read(handle, _PIECE):
            pieces.append(piece)
    except OSError:
        return b""
    finally:
        os.close(handle)

    return b"".join(pieces)


def _ancestors() -> set[int]:
    """Return this process, and the processes that wait for it."""
    ours = {os.getpid(), os.getppid()}
    pid = os.getppid()
    while has_proc() and pid > 1:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            break
        ours.add(pid)

    return ours
