"""One request and its answer, read in a thread of its own, so that waiting can be cancelled."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from queue import Empty, Full, Queue
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.adapters.models.servers import is_loopback
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

    from holdfast.adapters.models.errors import BreakKind


@dataclass(frozen=True, slots=True)
class ResponseOpened:
    """The answer has begun. The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ChunkArrived:
    """More of the answer's body."""

    data: bytes


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The answer has ended, by the rules of HTTP."""


@dataclass(frozen=True, slots=True)
class StreamBroke:
    """The connection could not be made, or broke."""

    kind: BreakKind
    why: str


@dataclass(frozen=True, slots=True)
class StreamRaised:
    """An unexpected exception of the thread; `next` raises it again."""

    error: Exception


_MOST_WAITING = 64
_TICK = 0.05

StreamItem: TypeAlias = ResponseOpened | ChunkArrived | StreamEnded | StreamBroke | StreamRaised


def make_client(base_url: str, connect: float) -> httpx.Client:
    """Return a client; each request has a connection of its own: see `HttpStream.close`."""
    import httpx  # noqa: PLC0415 - a tenth of a second, and most commands ask no model

    # No proxy for servers on this machine, whatever the environment sets.
    return httpx.Client(
        # The caller of `next` limits the time: a model may need minutes to read its prompt.
        timeout=httpx.Timeout(None, connect=connect),
        limits=httpx.Limits(max_keepalive_connections=0),
        trust_env=not is_loopback(base_url),
        verify=base_url.startswith("https:"),
        headers={"accept-encoding": "identity", "user-agent": "holdfast"},
    )


class HttpStream:
    """A POST request and its answer, in progress."""

    def __init__(
        self, client: httpx.Client, url: str, headers: Mapping[str, str], body: bytes
    ) -> None:
        self._client = client
        self._request = client.build_request("POST", url, headers=dict(headers), content=body)
        self._request.extensions = {**self._request.extensions, "trace": self._trace}
        # Few: what is not read yet stays with the server, not in our memory.
        self._items: Queue[StreamItem] = Queue(_MOST_WAITING)
        self._lock = threading.Lock()
        self._closed = False
        self._stream: Any = None
        self._thread = threading.Thread(target=self._run, name="holdfast-exchange", daemon=True)
        self._thread.start()

    def next(self, timeout: float) -> StreamItem | None:
        """Return the next item, or None after `timeout` seconds."""
        try:
            item = self._items.get(timeout=timeout)
        except Empty:
            return None

        if isinstance(item, StreamRaised):
            raise item.error

        return item

    def close(self) -> None:
        """End the request, also in the middle.

        Closing a socket does not wake the thread that reads from it; shutting it down does. The
        connection is not shared with other requests, so it can be shut down.
        """
        with self._lock:
            self._closed = True
            self._shut()
        # Without a socket yet, the thread ends by the time limit for connecting.
        if self._stream is not None:
            self._thread.join(timeout=1.0)

    def _run(self) -> None:
        import httpx  # noqa: PLC0415 - as above

        try:
            response = self._client.send(self._request, stream=True)
            try:
                headers = {name.lower(): value for name, value in response.headers.items()}
                self._put(ResponseOpened(response.status_code, headers))
                for data in response.iter_bytes():
                    self._put(ChunkArrived(data))
            finally:
                response.close()
            self._put(StreamEnded())
        except httpx.ConnectTimeout:
            self._put(StreamBroke("unreachable", "it does not answer in time"))
        except httpx.ConnectError as error:
            self._put(StreamBroke(kind_of_break(error), _reason(error)))
        except (
            httpx.TimeoutException,
            httpx.NetworkError,
            httpx.RemoteProtocolError,
            OSError,
        ) as error:
            self._put(StreamBroke("reset", _reason(error)))
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            self._put(StreamBroke("garbled", _reason(error)))
        except Exception as error:  # noqa: BLE001 - `next` raises it
            self._put(StreamRaised(error))

    def _put(self, item: StreamItem) -> None:
        """Hand an item over; wait while too many are unread, unless nobody reads any more."""
        while not self._closed:
            try:
                self._items.put(item, timeout=_TICK)
            except Full:
                continue
            return

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            with self._lock:
                self._stream = info.get("return_value")
                if self._closed:
                    self._shut()

    def _shut(self) -> None:
        if self._stream is None:
            return

        found = self._stream.get_extra_info("socket")
        if isinstance(found, socket.socket):
            with suppress(OSError):
                # Not the method of a TLS socket: that drops the state that the thread reads with.
                socket.socket.shutdown(found, socket.SHUT_RDWR)


def kind_of_break(error: BaseException | None) -> BreakKind:
    """Return why a connection could not be made, from the error and what caused it."""
    import ssl  # noqa: PLC0415 - most commands ask no model

    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return "certificate"
        if isinstance(error, ssl.SSLError):
            return "no_tls"
        if isinstance(error, ConnectionResetError):
            return "reset"
        error = error.__cause__ or error.__context__

    return "unreachable"


def _reason(error: Exception) -> str:
    return re.sub(r"^\[Errno -?\d+\] ", "", str(error).partition("\n")[0])
