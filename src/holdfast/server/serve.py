"""Run the server: its socket, its signals, its end."""

from __future__ import annotations

import asyncio
import signal
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio.to_thread
import uvicorn

from holdfast.server.app import make_app
from holdfast.server.context import ServerContext
from holdfast.server.event_hub import EventHub
from holdfast.server.security import Access, Guard
from holdfast.server.turn_threads import TurnThreads
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.wiring.turns import mark_interrupted_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.server.project_list import ProjectRegistry
    from holdfast.server.token import AccessToken

_STALLED_MILLISECONDS = 30_000
"""How long a client may take nothing of what it was sent, before its connection is dropped."""
_THREADS = 100


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Where the server listens, and who may call. `hosts` are further names of this machine."""

    token: AccessToken
    host: str = "127.0.0.1"
    port: int = 0
    hosts: tuple[str, ...] = ()
    body_seconds: float = 20.0


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raise OSError if that cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=1024)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Connections inherit it. A browser that sleeps must not keep what it was sent in memory.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _STALLED_MILLISECONDS)
    return listening


def address_of(listening: socket.socket, token: AccessToken) -> str:
    """Return the address of the page, with the token."""
    host, port = listening.getsockname()[:2]
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}:{port}/?token={token.value}"


def serve(
    projects: ProjectRegistry,
    options: ServerOptions,
    listening: socket.socket,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Answer requests until SIGINT or SIGTERM, then let the turns end.

    `ready` is called once, when requests are answered.
    """
    try:
        asyncio.run(_serve_until_signal(projects, options, listening, ready))
    finally:
        _close_agents()
        projects.close()


async def _serve_until_signal(
    projects: ProjectRegistry,
    options: ServerOptions,
    listening: socket.socket,
    ready: Callable[[], None],
) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def stop_once() -> None:
        # A second signal ends the process at once.
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop_once)

    await serve_until(stop, projects, options, listening, ready)


async def serve_until(
    stop: asyncio.Event,
    projects: ProjectRegistry,
    options: ServerOptions,
    listening: socket.socket,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Answer requests until `stop` is set, then let the turns end, and tell the clients."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
    for project in projects.all():
        # What a process that was killed has left.
        await asyncio.to_thread(mark_interrupted_at, project.root)

    context = ServerContext(projects, TurnThreads(), EventHub(projects))
    for project in projects.all():
        for session in await asyncio.to_thread(project.rejections.sessions_waiting):
            context.turns.settle_after_turn(project, session)

    server = _Server(_config(context, options, listening))
    answering = asyncio.create_task(server.serve([listening]))
    begun = asyncio.create_task(server.begun.wait())
    await asyncio.wait({answering, begun}, return_when=asyncio.FIRST_COMPLETED)
    if server.started:
        ready()

    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({answering, stopping}, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.to_thread(context.turns.stop)
    context.events.stop()
    server.should_exit = True
    begun.cancel()
    stopping.cancel()
    await answering


def _config(
    context: ServerContext, options: ServerOptions, listening: socket.socket
) -> uvicorn.Config:
    port = listening.getsockname()[1]
    access = Access(
        options.token,
        f"holdfast-{port}",
        frozenset(options.hosts),
        options.body_seconds,
    )
    # No access log: the token is in an address. No WebSockets: they have no same-origin rule.
    return uvicorn.Config(
        Guard(make_app(context), access),
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=5,
    )


class _Server(uvicorn.Server):
    """uvicorn without its own signals: the turns end before the connections do."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.begun = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Note when requests are answered."""
        await super().startup(sockets)
        self.begun.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to `serve`."""
        yield


def _close_agents() -> None:
    from holdfast.wiring.agents.warm import close_agents  # noqa: PLC0415 - see turn_threads.py

    close_agents()
