"""A model behind Chat Completions: Ollama, LM Studio, llama.cpp, vLLM, hosted services."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from holdfast.adapters.models.errors import RequestFailure, RequestOrigin, read_break, read_status
from holdfast.adapters.models.http_stream import (
    ChunkArrived,
    HttpStream,
    ResponseOpened,
    StreamBroke,
    StreamEnded,
    StreamItem,
    make_client,
)
from holdfast.adapters.models.request_body import RequestBody
from holdfast.adapters.models.response_body import ResponseBody
from holdfast.adapters.models.server_quirks import Field, ServerQuirks, hinted, next_to_drop
from holdfast.adapters.models.servers import (
    ServerKind,
    fault_of,
    join_url,
    normal_url,
    shown_url,
    userinfo,
    without_userinfo,
)
from holdfast.loop.ports import FailPiece, ModelRequest, RetryPiece, StreamPiece
from holdfast.vocab.cancellation import Cancel

if TYPE_CHECKING:
    import httpx

KEY_FROM = "HOLDFAST_API_KEY in the environment, or `api_key` in the user's config file"
_TICK = 0.05  # how long a cancel may go unnoticed
_ERROR_LIMIT = 64 * 1024
_CANCELLED = RequestFailure(FailPiece("cancelled", "the request was cancelled."))


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait, in seconds, and how often to ask again.

    `first` is for the first byte: a local model may read its prompt for minutes. `idle` is for each next one, `tail`
    for what may follow the end of a reply. Back-off starts at `pause` and doubles; nothing waits longer than `longest`,
    whatever the server asks for.
    """

    connect: float = 5.0
    first: float = 600.0
    idle: float = 120.0
    tail: float = 2.0
    retries: int = 3
    pause: float = 0.5
    longest: float = 30.0


class OpenAICompatible:
    """Port `Model` over Chat Completions, streamed.

    What a server refuses is left out from then on (`ServerQuirks`). The key is in no message, log or repr.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        key_from: str = KEY_FROM,
        context: int | None = None,
        kind: ServerKind = "other",
        patience: Timeouts | None = None,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        base_url = normal_url(base_url)
        self._url = join_url(without_userinfo(base_url), "/chat/completions")
        self._authorization = _authorization(key, base_url)
        self._where = RequestOrigin(
            shown_url(base_url), model, key_from, (key or "").strip() or None
        )
        self._model, self._context = model, context
        self._patience = patience or Timeouts()
        self._sleep, self._clock = sleep, clock
        self._wire = RequestBody(model)
        self._manner = ServerQuirks(kind)
        self._worn: _Worn | None = None
        self._client: httpx.Client | None = None
        self._lock = (
            Lock()
        )  # two turns may ask at once; what is kept of the wire and the manner is theirs together

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._where.url!r}, {self._model!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._model

    @property
    def context(self) -> int | None:
        """How many tokens it can hold, if the server says so; also learned from a payload that was too long."""
        return self._context

    @property
    def left_out(self) -> frozenset[Field]:
        """What this server has refused, and is not asked for again."""
        return self._manner.dropped

    def close(self) -> None:
        """Let the connections go."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def stream(self, ask: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        """Ask, and give the reply as it comes. To close the iterator ends the request."""
        if (trouble := self._judge_settings()) is not None:
            yield trouble.fail
            return
        if not self._rest(cancel):
            yield _CANCELLED.fail
            return
        manner, tries, guessed = self._manner, 0, False
        first: RequestFailure | None = None
        while True:
            trouble = None
            with closing(self._ask_once(ask, manner, cancel)) as incoming:
                for piece in incoming:
                    if isinstance(piece, RequestFailure):
                        trouble = piece
                        break
                    self._remember(manner, guessed=guessed)
                    self._worn = None
                    yield piece
            if trouble is None:
                return
            self._learn(trouble)
            if self._worn is not None and self._worn.message == trouble.fail.message:
                self._worn = _Worn(trouble.fail.message, self._clock())
                yield trouble.fail
                return
            field = self._field_to_drop(trouble, ask, manner, tries)
            if field is not None:
                first = first or trouble
                guessed = guessed or (trouble.again and hinted(trouble.words, ask, manner) is None)
                manner = manner.without(field)
                reason = f"{self._where.url} does not take the request ({trouble.words})"
                yield RetryPiece(f"{reason}; asked without {field}.")
            elif trouble.again and tries < self._patience.retries:
                yield RetryPiece(trouble.fail.message)
                if not self._pause(trouble, tries, cancel):
                    yield _CANCELLED.fail
                    return
                tries += 1
            else:
                # If nothing that was left out has helped, the server's first words are about what is really wrong.
                told = (
                    first
                    if first is not None and trouble.fail.kind in {"refused", "server"}
                    else trouble
                )
                if trouble.again:
                    self._worn = _Worn(trouble.fail.message, self._clock())
                yield told.fail
                return

    # ------------------------------------------------------------------------------------------------- one request

    def _ask_once(
        self, ask: ModelRequest, manner: ServerQuirks, cancel: Cancel
    ) -> Generator[StreamPiece | RequestFailure, None, None]:
        """Ask once. The last that comes is a `RequestFailure` if there is no whole reply."""
        if cancel.is_set():
            yield _CANCELLED
            return
        with self._lock:
            body = self._wire.body(ask, manner)
            if self._client is None:
                self._client = make_client(self._url, self._patience.connect)
            exchange = HttpStream(self._client, self._url, self._headers(), body)
        try:
            opened = self._wait(exchange, cancel, self._patience.first)
            match opened:
                case ResponseOpened(200):
                    yield from self._read(exchange, cancel)
                case ResponseOpened(status, headers):
                    yield read_status(status, headers, self._gather(exchange, cancel), self._where)
                case RequestFailure():
                    yield opened
                case StreamBroke(kind, why):
                    yield read_break(kind, why, self._where)
        finally:
            exchange.close()

    def _read(self, exchange: HttpStream, cancel: Cancel) -> Iterator[StreamPiece | RequestFailure]:
        body = ResponseBody(self._where)
        patience = self._patience.first
        while not body.done:
            match self._wait(exchange, cancel, self._patience.tail if body.whole else patience):
                case ChunkArrived(data):
                    patience = self._patience.idle
                    yield from body.feed(data)
                case StreamEnded():
                    yield from body.finish()
                    return
                case StreamBroke(_, why):
                    yield from body.finish(broken=why or "the connection broke")
                    return
                case RequestFailure() as trouble:
                    silent = trouble is not _CANCELLED and (body.spoken or body.whole)
                    yield from body.finish(broken="silence") if silent else iter([trouble])
                    return

    def _wait(
        self, exchange: HttpStream, cancel: Cancel, patience: float
    ) -> StreamItem | RequestFailure:
        """Give what comes next; a `RequestFailure` if we were told to stop, or nothing came for that long."""
        since = self._clock()
        while not cancel.is_set():
            if (item := exchange.next(_TICK)) is not None:
                return item
            if self._clock() - since > patience:
                return read_break("timeout", f"{patience:g} s", self._where)
        return _CANCELLED

    def _gather(self, exchange: HttpStream, cancel: Cancel) -> bytes:
        data = bytearray()
        while len(data) < _ERROR_LIMIT and isinstance(
            item := self._wait(exchange, cancel, 5.0), ChunkArrived
        ):
            data += item.data
        return bytes(data)

    def _headers(self) -> dict[str, str]:
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream, application/json",
        }
        if self._authorization is not None:
            headers["authorization"] = self._authorization
        return headers

    # ------------------------------------------------------------------------------------------- after a trouble

    def _judge_settings(self) -> RequestFailure | None:
        if (fault := fault_of(self._url)) is not None:
            return RequestFailure(
                FailPiece(
                    "unreachable",
                    f"the base URL {self._where.url} {fault}; set it with --base-url.",
                )
            )
        sent = self._authorization or ""
        if not (sent.isascii() and sent.isprintable()):
            message = f"the key holds characters that no request can carry. It comes from {self._where.key_from}."
            return RequestFailure(FailPiece("login", message))
        return None

    def _field_to_drop(
        self, trouble: RequestFailure, ask: ModelRequest, manner: ServerQuirks, tries: int
    ) -> Field | None:
        """Give what to leave out of the next question; None if it is not about that."""
        if trouble.refusal == "no":
            return None
        if (named := hinted(trouble.words, ask, manner)) is not None:
            return named
        # A 500 that names nothing is more likely to pass by itself: what it may refuse is tried last.
        if trouble.refusal == "if_named" or (trouble.again and tries < self._patience.retries):
            return None
        return next_to_drop(ask, manner)

    def _remember(self, manner: ServerQuirks, *, guessed: bool) -> None:
        """Keep what the server takes. Tools are not given up for good on a mere guess."""
        if manner is self._manner:
            return
        with self._lock:
            added: frozenset[Literal["tools"]] = frozenset({"tools"})
            self._manner = ServerQuirks(manner.kind, manner.dropped - added) if guessed else manner

    def _learn(self, trouble: RequestFailure) -> None:
        if trouble.context is not None and (
            self._context is None or trouble.context < self._context
        ):
            self._context = trouble.context

    def _pause(self, trouble: RequestFailure, tries: int, cancel: Cancel) -> bool:
        """Wait before the next try; False if we were told to stop meanwhile."""
        return self._wait_out(
            self._patience.pause * 2**tries if trouble.after is None else trouble.after, cancel
        )

    def _rest(self, cancel: Cancel) -> bool:
        """Let a server that has just worn out all our tries have the next pause; False if we were told to stop."""
        if self._worn is None:
            return True
        pause = self._patience.pause * 2**self._patience.retries
        return self._wait_out(self._worn.at + pause - self._clock(), cancel)

    def _wait_out(self, seconds: float, cancel: Cancel) -> bool:
        left = min(seconds, self._patience.longest)
        while left > 0 and not cancel.is_set():
            self._sleep(min(_TICK, left))
            left -= _TICK
        return not cancel.is_set()


@dataclass(frozen=True, slots=True)
class _Worn:
    """What the server said when all tries were used up, and when: said again, it is not asked four times more."""

    message: str
    at: float


def _authorization(key: str | None, base_url: str) -> str | None:
    if key and key.strip():
        return f"Bearer {key.strip()}"
    if (found := userinfo(base_url)) is not None:
        return "Basic " + base64.b64encode(":".join(found).encode()).decode()
    return None
