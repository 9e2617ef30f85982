"""A model behind Chat Completions: Ollama, LM Studio, llama.cpp, vLLM, hosted services."""

from __future__ import annotations

import base64
import time
from contextlib import closing
from threading import Lock
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
from holdfast.loop.ports import FailPiece, ModelRequest, RetryPiece, StreamPiece, WaitPiece
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from types import TracebackType

    import httpx

    from holdfast.vocab.cancellation import Cancel

KEY_FROM = "HOLDFAST_API_KEY in the environment, or `api_key` in the user's config file"
_TICK = 0.05
"""How many seconds a cancel may go unnoticed."""
_ERROR_LIMIT = 64 * 1024
_CANCELLED = RequestFailure(FailPiece("cancelled", "the request was cancelled."))


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time limits in seconds, and the number of retries.

    `first` is for the first byte: a local model may read its prompt for minutes. `idle` is for each
    next byte, `tail` for what may follow the end of a reply. After each of `notices`, a silence
    before the first byte is reported. Back-off starts at `pause` and
    doubles; no pause is longer than `longest`, whatever the server asks for.
    """

    connect: float = 5.0
    first: float = 600.0
    idle: float = 120.0
    tail: float = 2.0
    notices: tuple[float, ...] = (20.0, 60.0, 180.0, 420.0)
    retries: int = 3
    pause: float = 0.5
    longest: float = 30.0


class OpenAICompatible:
    """Port `Model` over Chat Completions, streamed.

    A field that the server refuses is left out of later requests (`ServerQuirks`). No message, log
    or repr contains the key.
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
        timeouts: Timeouts | None = None,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        base_url = normal_url(base_url)
        key = (key or "").strip() or None
        self._url = join_url(without_userinfo(base_url), "/chat/completions")
        self._authorization = _authorization(key, base_url)
        self._origin = RequestOrigin(shown_url(base_url), model, key_from, key)
        self._model, self._context = model, context
        self._timeouts = timeouts or Timeouts()
        self._sleep, self._clock = sleep, clock
        self._encoder = RequestBody(model)
        self._quirks = ServerQuirks(kind)
        self._exhausted: _Exhausted | None = None
        self._client: httpx.Client | None = None
        # Two turns may send requests at once, and share the encoder, the quirks and the client.
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._origin.url!r}, {self._model!r})"

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
        """The name of the model."""
        return self._model

    @property
    def context(self) -> int | None:
        """The context length in tokens, if it is known; also learned from an overflow."""
        return self._context

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def stream(self, request: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        """Send the request and yield the reply as it arrives. Closing the iterator ends it."""
        failure = self._judge_settings()
        if failure is not None:
            yield failure.fail
            return
        if not self._rest(cancel):
            yield _CANCELLED.fail
            return

        attempts = _Attempts(self._quirks)
        while True:
            failure = yield from self._stream_once(request, attempts, cancel)
            if failure is None:
                return
            self._learn_context(failure)
            retry = self._plan_retry(failure, request, attempts)
            if retry is None:
                yield self._last_piece(failure, attempts)
                return
            yield retry
            if not self._wait_out(attempts.pause, cancel):
                yield _CANCELLED.fail
                return

    # ------------------------------------------------------------------------------- one request

    def _stream_once(
        self, request: ModelRequest, attempts: _Attempts, cancel: Cancel
    ) -> Generator[StreamPiece, None, RequestFailure | None]:
        """Yield the pieces of one answer; return the failure if it is not a whole reply."""
        with closing(self._send(request, attempts.quirks, cancel)) as incoming:
            for piece in incoming:
                if isinstance(piece, RequestFailure):
                    return piece
                if not isinstance(piece, WaitPiece):
                    self._remember(attempts)
                    self._exhausted = None
                yield piece

        return None

    def _send(
        self, request: ModelRequest, quirks: ServerQuirks, cancel: Cancel
    ) -> Generator[StreamPiece | RequestFailure, None, None]:
        """Send the request once. The last item is a `RequestFailure` if the reply is not whole."""
        if cancel.is_set():
            yield _CANCELLED
            return

        with self._lock:
            body = self._encoder.body(request, quirks)
            if self._client is None:
                self._client = make_client(self._url, self._timeouts.connect)
            stream = HttpStream(self._client, self._url, self._headers(), body)

        try:
            opened = yield from self._wait_for_first(stream, cancel)
            match opened:
                case ResponseOpened(200):
                    yield from self._read(stream, cancel)
                case ResponseOpened(status, headers):
                    error = self._read_error_body(stream, cancel)
                    yield read_status(status, headers, error, self._origin)
                case RequestFailure():
                    yield opened
                case StreamBroke(kind, why):
                    yield read_break(kind, why, self._origin)
        finally:
            stream.close()

    def _read(self, stream: HttpStream, cancel: Cancel) -> Iterator[StreamPiece | RequestFailure]:
        body = ResponseBody(self._origin)
        item = yield from self._wait_for_first(stream, cancel)
        while True:
            match item:
                case ChunkArrived(data):
                    yield from body.feed(data)
                case StreamEnded():
                    yield from body.finish()
                    return
                case StreamBroke(_, why):
                    yield from body.finish(broken=why or "the connection broke")
                    return
                case RequestFailure() as failure:
                    is_silence = failure is not _CANCELLED
                    if is_silence and (body.begun or body.whole):
                        yield from body.finish(broken="silence")
                    else:
                        yield failure
                    return
            if body.done:
                return
            timeout = self._timeouts.idle
            if body.whole:
                timeout = self._timeouts.tail
            item = self._wait(stream, cancel, timeout)

    def _wait_for_first(
        self, stream: HttpStream, cancel: Cancel
    ) -> Generator[WaitPiece, None, StreamItem | RequestFailure]:
        """Return the next item, as `_wait`; yield a piece after each long silence before it."""
        longest = self._timeouts.first
        waited = 0.0
        for notice in self._timeouts.notices:
            if notice >= longest:
                break
            item = self._next(stream, cancel, notice - waited)
            if item is not None:
                return item
            waited = notice
            yield WaitPiece(waited)

        item = self._next(stream, cancel, longest - waited)
        return item or read_break("timeout", f"{longest:g} s", self._origin)

    def _wait(
        self, stream: HttpStream, cancel: Cancel, timeout: float
    ) -> StreamItem | RequestFailure:
        """Return the next item; a `RequestFailure` after a cancel or after `timeout` seconds."""
        item = self._next(stream, cancel, timeout)
        return item or read_break("timeout", f"{timeout:g} s", self._origin)

    def _next(
        self, stream: HttpStream, cancel: Cancel, seconds: float
    ) -> StreamItem | RequestFailure | None:
        """Return the next item, or None if none comes within `seconds`."""
        since = self._clock()
        while not cancel.is_set():
            item = stream.next(_TICK)
            if item is not None:
                return item
            if self._clock() - since > seconds:
                return None

        return _CANCELLED

    def _read_error_body(self, stream: HttpStream, cancel: Cancel) -> bytes:
        data = bytearray()
        while len(data) < _ERROR_LIMIT:
            item = self._wait(stream, cancel, 5.0)
            if not isinstance(item, ChunkArrived):
                break
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

    # ----------------------------------------------------------------------------------- retries

    def _judge_settings(self) -> RequestFailure | None:
        origin = self._origin
        fault = fault_of(self._url)
        if fault is not None:
            message = f"the base URL {origin.url} {fault}; set it with --base-url."
            return RequestFailure(FailPiece("unreachable", message))

        header = self._authorization or ""
        if not (header.isascii() and header.isprintable()):
            message = (
                "the key has characters that a request cannot contain. "
                f"It comes from {origin.key_from}."
            )
            return RequestFailure(FailPiece("login", message))

        return None

    def _plan_retry(
        self, failure: RequestFailure, request: ModelRequest, attempts: _Attempts
    ) -> RetryPiece | None:
        """Change `attempts` for the next try and return its piece; None if there is none."""
        if self._is_repeated(failure):
            return None

        field = self._field_to_drop(failure, request, attempts)
        if field is not None:
            if attempts.first is None:
                attempts.first = failure
            if failure.again and hinted(failure.words, request, attempts.quirks) is None:
                attempts.guessed = True
            attempts.quirks = attempts.quirks.without(field)
            attempts.pause = 0.0
            reason = f"{self._origin.url} does not accept the request ({failure.words})"
            return RetryPiece(f"{reason}; retried without {field}.")
        if failure.again and attempts.tries < self._timeouts.retries:
            attempts.pause = self._timeouts.pause * 2**attempts.tries
            if failure.after is not None:
                attempts.pause = failure.after
            attempts.tries += 1
            return RetryPiece(failure.fail.message)

        return None

    def _last_piece(self, failure: RequestFailure, attempts: _Attempts) -> FailPiece:
        """Return the failure to report. Remember it if all retries were used up."""
        is_repeated = self._is_repeated(failure)
        if is_repeated or failure.again:
            self._exhausted = _Exhausted(failure.fail.message, self._clock())

        # If leaving out fields did not help, the first message names the real problem.
        is_about_fields = failure.fail.kind in {"refused", "server"}
        if attempts.first is not None and is_about_fields and not is_repeated:
            return attempts.first.fail

        return failure.fail

    def _is_repeated(self, failure: RequestFailure) -> bool:
        return self._exhausted is not None and self._exhausted.message == failure.fail.message

    def _field_to_drop(
        self, failure: RequestFailure, request: ModelRequest, attempts: _Attempts
    ) -> Field | None:
        """Return the field to leave out of the next try; None if no field is refused."""
        if failure.refusal == "no":
            return None

        named = hinted(failure.words, request, attempts.quirks)
        if named is not None:
            return named
        if failure.refusal == "if_named":
            return None
        # A 500 that names no field more likely passes by itself, so that retries come first.
        if failure.again and attempts.tries < self._timeouts.retries:
            return None

        return next_to_drop(request, attempts.quirks)

    def _remember(self, attempts: _Attempts) -> None:
        """Keep the quirks of a successful try, except that a guess does not drop tools for good."""
        quirks = attempts.quirks
        if quirks is self._quirks:
            return

        if attempts.guessed:
            tools: frozenset[Literal["tools"]] = frozenset({"tools"})
            quirks = ServerQuirks(quirks.kind, quirks.dropped - tools)

        with self._lock:
            self._quirks = quirks

    def _learn_context(self, failure: RequestFailure) -> None:
        if failure.context is None:
            return
        if self._context is None or failure.context < self._context:
            self._context = failure.context

    def _rest(self, cancel: Cancel) -> bool:
        """Pause after a request that used up all retries; return False after a cancel."""
        if self._exhausted is None:
            return True
        pause = self._timeouts.pause * 2**self._timeouts.retries
        return self._wait_out(self._exhausted.at + pause - self._clock(), cancel)

    def _wait_out(self, seconds: float, cancel: Cancel) -> bool:
        """Sleep; return False after a cancel."""
        left = min(seconds, self._timeouts.longest)
        while left > 0 and not cancel.is_set():
            self._sleep(min(_TICK, left))
            left -= _TICK
        return not cancel.is_set()


@dataclass(slots=True)
class _Attempts:
    """The tries of one request.

    `first` is the first failure for which a field was left out; `guessed`: the server did not name
    the field. `pause` is the time before the next try.
    """

    quirks: ServerQuirks
    tries: int = 0
    guessed: bool = False
    first: RequestFailure | None = None
    pause: float = 0.0


@dataclass(frozen=True, slots=True)
class _Exhausted:
    """The failure that used up all retries, and its time. If it repeats, it is not retried."""

    message: str
    at: float


def _authorization(key: str | None, base_url: str) -> str | None:
    if key is not None:
        return f"Bearer {key}"
    user = userinfo(base_url)
    if user is None:
        return None
    return "Basic " + base64.b64encode(":".join(user).encode()).decode()
