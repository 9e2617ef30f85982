"""The event loop of external agents: one thread that owns all their processes and pipes."""

from __future__ import annotations

import asyncio
import atexit
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

T = TypeVar("T")

_EXIT_TIMEOUT = 20.0
"""Seconds that the agents have to end when Holdfast exits."""


class AgentLoop:
    """An event loop in a thread of its own. It starts with the first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closers: dict[object, Callable[[], Coroutine[Any, Any, None]]] = {}

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Run a coroutine in the loop; return its result. Not to be called in the loop's thread."""
        future = asyncio.run_coroutine_threadsafe(work, self._running())
        try:
            return future.result(timeout)
        except BaseException:
            future.cancel()
            raise

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine in the loop, and do not wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._running())

    def post(self, call: Callable[[], object]) -> None:
        """Call a function in the loop, soon."""
        with suppress(RuntimeError):
            # The loop was closed: Holdfast exits.
            self._running().call_soon_threadsafe(call)

    def close_at_exit(self, owner: object, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Have `close` run when Holdfast exits, unless `forget` is called first."""
        self._closers[owner] = close

    def forget(self, owner: object) -> None:
        """Do not close this at exit any more."""
        self._closers.pop(owner, None)

    def close(self) -> None:
        """Close what is registered, and end the thread."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None

        if loop is None or thread is None:
            return

        closing = asyncio.run_coroutine_threadsafe(self._close_all(), loop)
        with suppress(TimeoutError):
            closing.result(_EXIT_TIMEOUT)

        loop.call_soon_threadsafe(loop.stop)
        thread.join(_EXIT_TIMEOUT)
        if not thread.is_alive():
            loop.close()

    async def _close_all(self) -> None:
        closers = list(self._closers.values())
        self._closers.clear()
        await asyncio.gather(*(close() for close in closers), return_exceptions=True)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = asyncio.new_event_loop()
                # One thread for good: bubblewrap ends a process when the thread that started it
                # ends, and threads of turns come and go.
                self._thread = threading.Thread(
                    target=loop.run_forever, name="holdfast-agents", daemon=True
                )
                self._thread.start()
                self._loop = loop
            return self._loop


AGENT_LOOP = AgentLoop()
"""The loop of this process."""

atexit.register(AGENT_LOOP.close)
