"""One request and its answer, read in a thread of its own, so that whoever waits for it can stop waiting."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.adapters.models.errors import BreakKind
from holdfast.adapters.models.servers import is_loopback

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class ResponseOpened:
    """The answer has begun. Names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ChunkArrived:
    """More of the answer's body."""

    data: bytes


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The answer is at its end, as far as HTTP can tell."""


@dataclass(frozen=True, slots=True)
class StreamBroke:
    """The connection could not be made, or broke."""

    kind: BreakKind
    why: str


@dataclass(frozen=True, slots=True)
class StreamRaised:
    """Something went wrong that must not happen; it goes on in the thread that waits."""

    error: Exception


StreamItem: TypeAlias = ResponseOpened | ChunkArrived | StreamEnded | StreamBroke | StreamRaised


def make_client(base_url: str, connect: float) -> httpx.Client:
    """Make the client of one server. Each request has a connection of its own: see `HttpStream.close`."""
    import httpx  # noqa: PLC0415 - a tenth of a second, and most commands ask no model

    # What is on this machine is not asked through a proxy, whatever the environment says.
    return httpx.Client(
        # Silence is judged by whoever waits: a model may take minutes to read its prompt.
        timeout=httpx.Timeout(None, connect=connect),
        limits=httpx.Limits(max_keepalive_connections=0),
        trust_env=not is_loopback(base_url),
        verify=base_url.startswith("https:"),
        headers={"accept-encoding": "identity", "user-agent": "holdfast"},
    )


class HttpStream:
    """A POST under way."""

    def __init__(
        self, client: httpx.Client, url: str, headers: Mapping[str, str], body: bytes
    ) -> None:
        self._client = client
        self._request = client.build_request("POST", url, headers=dict(headers), content=body)
        self._request.extensions = {**self._request.extensions, "trace": self._trace}
        self._items: SimpleQueue[StreamItem] = SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._stream: Any = None
        self._thread = threading.Thread(target=self._run, name="holdfast-exchange", daemon=True)
        self._thread.start()

    def next(self, timeout: float) -> StreamItem | None:
        """Give what comes next, or None if nothing has come in time."""
        try:
            item = self._items.get(timeout=timeout)
        except Empty:
            return None
        if isinstance(item, StreamRaised):
            raise item.error
        return item

    def close(self) -> None:
        """End the request, also in the middle.

        To close a socket does not wake the thread that reads from it; to shut it down does. That is why the connection
        is not shared: it is known to be this request's own.
        """
        with self._lock:
            self._closed = True
            self._shut()
        # While it still connects there is nothing to shut down: the thread then ends by the time limit for that.
        self._thread.join(timeout=1.0 if self._stream is not None else 0.0)

    def _run(self) -> None:
        import httpx  # noqa: PLC0415 - as above

        try:
            response = self._client.send(self._request, stream=True)
            try:
                self._items.put(
                    ResponseOpened(
                        response.status_code, {k.lower(): v for k, v in response.headers.items()}
                    )
                )
                for data in response.iter_bytes():
                    self._items.put(ChunkArrived(data))
            finally:
                response.close()
            self._items.put(StreamEnded())
        except httpx.ConnectTimeout:
            self._items.put(StreamBroke("nobody", "it does not answer in time"))
        except httpx.ConnectError as error:
            self._items.put(StreamBroke("reset" if _was_reset(error) else "nobody", _reason(error)))
        except (
            httpx.TimeoutException,
            httpx.NetworkError,
            httpx.RemoteProtocolError,
            OSError,
        ) as error:
            self._items.put(StreamBroke("reset", _reason(error)))
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            self._items.put(StreamBroke("garbled", _reason(error)))
        except Exception as error:  # noqa: BLE001 - it rises where it is waited for; here nobody would see it
            self._items.put(StreamRaised(error))

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            with self._lock:
                self._stream = info.get("return_value")
                if self._closed:
                    self._shut()

    def _shut(self) -> None:
        found = self._stream.get_extra_info("socket") if self._stream is not None else None
        if isinstance(found, socket.socket):
            with suppress(OSError):
                # The plain socket's own method: that of a TLS socket drops the state that the thread is reading with.
                socket.socket.shutdown(found, socket.SHUT_RDWR)


def _reason(error: Exception) -> str:
    return re.sub(r"^\[Errno -?\d+\] ", "", str(error).partition("\n")[0])


def _was_reset(error: BaseException | None) -> bool:
    """Whether somebody was there and broke the connection off while it was made."""
    while error is not None:
        if isinstance(error, ConnectionResetError):
            return True
        error = error.__cause__ or error.__context__
    return False
