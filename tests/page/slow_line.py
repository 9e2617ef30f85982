"""A line to a server on which every piece takes its time, and which can be cut."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import Self


class SlowLine:
    """A proxy on a port of its own; use it as a context manager."""

    def __init__(self, port: int, *, seconds: float) -> None:
        self._port, self._seconds = port, seconds
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._wires: set[asyncio.StreamWriter] = set()
        self._is_cut = False
        self.url = ""

    def __enter__(self) -> Self:
        self._thread.start()
        begun = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._join, "127.0.0.1", 0), self._loop
        )
        self._server = begun.result(10)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _end(self) -> None:
        """Let every connection come to its end: one that is left would be seen in a later test."""
        self._server.close()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        while left:
            self._close_all()
            _, left = await asyncio.wait(left, timeout=0.1)
        await asyncio.sleep(self._seconds)  # what was on its way

    def cut(self) -> None:
        """End every connection, and let no other begin."""
        self._is_cut = True
        self._loop.call_soon_threadsafe(self._close_all)

    def mend(self) -> None:
        """Let connections begin again."""
        self._is_cut = False

    def _close_all(self) -> None:
        for wire in self._wires:
            wire.close()
        self._wires.clear()

    async def _join(self, near_in: asyncio.StreamReader, near_out: asyncio.StreamWriter) -> None:
        if self._is_cut:
            near_out.close()
            return
        far_in, far_out = await asyncio.open_connection("127.0.0.1", self._port)
        self._wires |= {near_out, far_out}
        await asyncio.gather(self._carry(near_in, far_out), self._carry(far_in, near_out))

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        """Pass pieces on, each later by the latency, in order."""
        with suppress(ConnectionError, RuntimeError):
            while piece := await source.read(65_536):
                # Not awaited: the next piece is on its way meanwhile.
                self._loop.call_later(self._seconds, self._write, target, piece)
        self._loop.call_later(self._seconds, target.close)

    @staticmethod
    def _write(target: asyncio.StreamWriter, piece: bytes) -> None:
        if not target.is_closing():
            target.write(piece)
