"""The process of an external agent: marked, in a group of its own, and ended with all it started.

When the process ends, by itself or not, all that it started is ended; so its output has an end.
Everything here runs in the thread of the event loop.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from contextlib import ExitStack, suppress
from typing import IO, TYPE_CHECKING, Self

from holdfast.adapters.processes import watchdog
from holdfast.adapters.processes.turn_processes import find_marked, mark_variables, record_group
from holdfast.usecases.agents.ports import AgentStartError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.adapters.agents.launch import AgentLaunch
    from holdfast.adapters.processes.sandbox.launch import Launch

LONGEST_LINE = 64_000_000
"""Bytes of one line of an agent's output; a longer line is left out."""
_STDERR_KEPT = 8_000
_CHUNK = 65_536
_GRACE = 2.0
"""Seconds that an agent has to end after SIGTERM."""
_DRAIN = 1.0
"""Seconds to read what is left in the pipes of a process that has ended."""
_LONGEST_SWEEP = 10.0
_TICK = 0.02


class _ReadProtocol(asyncio.StreamReaderProtocol):
    """Fills a reader; `over` is set at the end of the pipe."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        super().__init__(reader)
        self.over = asyncio.Event()

    def connection_lost(self, error: Exception | None) -> None:
        """Note the end; the loop calls this."""
        super().connection_lost(error)
        self.over.set()


class AgentProcess:
    """A running process with pipes. `ended` gets its exit code, negative for a signal."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        mark: Mapping[str, str],
        launch: Launch,
        opened: ExitStack,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.pid = child.pid
        self.output = asyncio.StreamReader(LONGEST_LINE)
        self.ended: asyncio.Future[int] = loop.create_future()
        self._child = child
        self._mark = dict(mark)
        self._launch = launch
        self._opened = opened
        self._stderr = bytearray()
        self._transports: list[asyncio.BaseTransport] = []
        self._outputs: list[asyncio.Event] = []
        self._draining: list[asyncio.Task[None]] = []
        self._ending: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, launch: AgentLaunch) -> Self:
        """Start an agent; raise `AgentStartError` if that is not possible."""
        variables = launch.variables()
        argv = launch.argv(variables)
        with ExitStack() as opening:
            mark, started = opening.enter_context(watchdog.watching())
            try:
                confined = opening.enter_context(launch.confine(argv, variables))
                child = subprocess.Popen(  # noqa: S603, ASYNC220 - the user's command; a moment
                    list(confined.argv),
                    cwd=launch.directory,
                    env={**variables, **confined.variables, **mark, **mark_variables()},
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                    pass_fds=confined.pass_fds,
                )
            except OSError as error:
                raise AgentStartError(
                    f"{launch.name}: {argv[0]} cannot be run ({error.strerror})."
                ) from error
            started(child.pid)
            record_group(child.pid)
            process = cls(child, mark, confined, opening.pop_all())

        try:
            await process._connect()
        except BaseException:
            await process.end()
            raise

        return process

    @property
    def is_running(self) -> bool:
        """Whether the process runs, and nobody ends it."""
        return not self.ended.done() and self._ending is None

    def stderr_end(self) -> str:
        """Return the end of what the process wrote to its standard error."""
        return bytes(self._stderr[-_STDERR_KEPT:]).decode("utf-8", "replace").strip()

    async def write(self, data: bytes) -> None:
        """Write to the standard input; what a process that has ended cannot read is dropped."""
        if not self.is_running:
            return
        with suppress(ConnectionError):
            self._input.write(data)
            await self._input.drain()

    def close_input(self) -> None:
        """Close the standard input: the process has been told everything."""
        self._input.close()

    def interrupt(self) -> None:
        """Send SIGINT to the process and its group, as Ctrl-C does."""
        if self.is_running:
            self._signal(self._launch.inner_group() or self.pid, signal.SIGINT)

    async def end(self) -> None:
        """End the process and all that it started; return when none of them is left."""
        self._begin_to_end()
        # Others may wait, too, and one that is interrupted must not interrupt the end.
        if self._ending is not None:
            await asyncio.shield(self._ending)

    def _begin_to_end(self) -> None:
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._wait, args=(loop,), daemon=True).start()
        errors = asyncio.StreamReader(_CHUNK)
        await self._read_into(self.output, self._child.stdout)
        await self._read_into(errors, self._child.stderr)
        self._draining.append(asyncio.create_task(self._drain(errors)))
        # This protocol has what a writer needs to wait until the pipe has room.
        flow = asyncio.StreamReaderProtocol(asyncio.StreamReader())
        transport, _ = await loop.connect_write_pipe(lambda: flow, self._child.stdin)
        self._transports.append(transport)
        self._input = asyncio.StreamWriter(transport, flow, None, loop)

    async def _read_into(self, reader: asyncio.StreamReader, pipe: IO[bytes] | None) -> None:
        protocol = _ReadProtocol(reader)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: protocol, pipe)
        self._transports.append(transport)
        self._outputs.append(protocol.over)

    async def _drain(self, errors: asyncio.StreamReader) -> None:
        """Read the standard error all the time: a process that cannot write there stands still."""
        while data := await errors.read(_CHUNK):
            self._stderr += data
            del self._stderr[:-_STDERR_KEPT]

    def _wait(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wait in a thread for the end of the process, without reaping it.

        Until it is reaped no other process can get its number.
        """
        code = 0
        if hasattr(os, "waitid"):
            result = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
            if result is not None:
                exited = result.si_code == os.CLD_EXITED
                code = result.si_status if exited else -result.si_status
        else:
            code = self._child.wait()

        with suppress(RuntimeError):
            # The loop was closed: Holdfast exits.
            loop.call_soon_threadsafe(self._set_ended, code)

    def _set_ended(self, code: int) -> None:
        if not self.ended.done():
            self.ended.set_result(code)
        self._begin_to_end()

    async def _end(self) -> None:
        self._signal(self._launch.inner_group() or self.pid, signal.SIGTERM)
        await asyncio.wait({self.ended}, timeout=_GRACE)
        self._signal(self.pid, signal.SIGKILL)
        await self._sweep()
        await self.ended
        self._child.wait()
        # All that could write has ended, so what is left in the pipes has an end.
        readers = [asyncio.ensure_future(over.wait()) for over in self._outputs]
        if readers:
            await asyncio.wait([*readers, *self._draining], timeout=_DRAIN)

        for task in (*readers, *self._draining):
            task.cancel()

        for transport in self._transports:
            if transport.is_closing():
                continue
            if isinstance(transport, asyncio.WriteTransport):
                transport.abort()
            else:
                transport.close()

        # The transports close their pipes in the next round of the loop.
        await asyncio.sleep(0)
        self._opened.close()

    async def _sweep(self) -> None:
        """Kill what has our mark, until there is nothing; shells of tools leave the group."""
        until = asyncio.get_running_loop().time() + _LONGEST_SWEEP
        while asyncio.get_running_loop().time() < until:
            left = [each for each in find_marked(watchdog.MARK) if each.turn in self._mark.values()]
            if not left:
                return
            for each in left:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(each.pid, signal.SIGKILL)
            await asyncio.sleep(_TICK)

    @staticmethod
    def _signal(group: int, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def exit_text(code: int) -> str:
    """Return how a process ended, in words."""
    if code < 0:
        return f"killed by signal {-code}"
    return f"exit code {code}"


async def read_line(reader: asyncio.StreamReader) -> bytes | None:
    """Return a line; None at the end. A line that is too long is left out."""
    left_out = 0
    while True:
        try:
            line = await reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            left_out += len(await reader.readexactly(error.consumed))
            continue
        except asyncio.IncompleteReadError as error:
            if not error.partial:
                return None
            line = error.partial
        if not left_out:
            return line
        left_out += len(line)
        return f"(a line of {left_out} bytes, which is too long)\n".encode()
