"""The body of an answer with status 200: a stream of events, a JSON object, or no reply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from holdfast.adapters.models.errors import (
    RequestFailure,
    RequestOrigin,
    in_brackets,
    read_error,
    read_words,
)
from holdfast.adapters.models.sse import LARGEST_EVENT, Events
from holdfast.adapters.models.stream_normaliser import Normaliser
from holdfast.loop.ports import CallPiece, FailPiece, ReasoningPiece, StreamPiece, TextPiece

if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGEST_WHOLE = 8_000_000
"""Bytes of a reply that is one JSON object; to parse it takes several times as much memory."""
_MOST_CONTENT = 2_000_000
"""Characters of text, reasoning and calls in one reply: more than any model writes."""
_MOST_BYTES = 256_000_000
"""Bytes of a streamed reply, nearly all of them the frames around its words."""


class ResponseBody:
    """An incremental parser of the body. `done`: the last piece was returned."""

    def __init__(self, origin: RequestOrigin) -> None:
        self._origin = origin
        self._events = Events()
        self._normaliser = Normaliser()
        self._shape: Literal["unknown", "events", "whole"] = "unknown"
        self._head = bytearray()
        self._any = False
        self._bytes = 0
        self._content = 0
        self.done = False

    @property
    def begun(self) -> bool:
        """Whether any text, reasoning or call has arrived."""
        return self._normaliser.begun

    @property
    def whole(self) -> bool:
        """Whether the reply has ended; at most its usage is still to come."""
        return self._normaliser.whole

    def feed(self, data: bytes) -> Iterator[StreamPiece | RequestFailure]:
        """Parse more bytes; yield the pieces that they add."""
        self._bytes += len(data)
        if self._shape == "events":
            yield from self._feed_events(data)
            return

        self._head += data
        start = self._head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if self._shape == "unknown" and start:
            self._shape = "events"
            if start[:1] in b"{[<":
                self._shape = "whole"

        if self._shape == "events":
            head, self._head = bytes(self._head), bytearray()
            yield from self._feed_events(head)
        elif len(self._head) > _LARGEST_WHOLE:
            yield self._too_much(f"an object of more than {_LARGEST_WHOLE // 1_000_000} MB")

    def _feed_events(self, data: bytes) -> Iterator[StreamPiece | RequestFailure]:
        yield from self._read_events(self._events.feed(data))
        if self.done:
            return

        if self._events.too_large:
            yield self._too_much(f"a line of more than {LARGEST_EVENT // 1_000_000} MB")
        elif self._content > _MOST_CONTENT or self._bytes > _MOST_BYTES:
            yield self._too_much("a reply without end")

    def finish(self, broken: str | None = None) -> Iterator[StreamPiece | RequestFailure]:
        """Yield the last pieces; `broken` is why the connection ended early."""
        if self._shape == "whole":
            yield from self._read_whole(broken)
            return

        yield from self._read_events(self._events.finish())
        if self.done:
            return

        if self._normaliser.whole:
            yield from self._end()
        elif self.begun:
            yield from self._cut(broken)
        elif broken is not None:
            url = self._origin.url
            message = f"{url} broke the connection before it sent anything ({broken})."
            yield self._fail(FailPiece("server", message), again=True)
        elif self._any:
            yield self._bad("an answer that ends before it begins")
        else:
            yield self._bad("an empty answer")

    def _read_events(self, events: list[str]) -> Iterator[StreamPiece | RequestFailure]:
        for event in events:
            if self.done:
                return
            self._any = True
            if event == "[DONE]":
                yield from self._end()
                return
            try:
                chunk = json.loads(event)
            except (ValueError, RecursionError):
                # Not skipped: the missing piece could be the middle of a file.
                yield self._bad("an event that is not JSON")
                return
            yield from self._read_chunk(chunk)

    def _read_chunk(self, chunk: Any) -> Iterator[StreamPiece | RequestFailure]:
        if not isinstance(chunk, dict):
            yield self._bad("an event that is not an object")
            return

        error = chunk.get("error")
        if error and not chunk.get("choices"):
            yield from self._error(error)
            return

        for piece in self._normaliser.feed(chunk):
            self._content += _size_of(piece)
            yield piece

        if self._normaliser.failed:
            message = "the server aborted the reply"
            yield from self._error({"message": message, "type": "server_error"})

    def _read_whole(self, broken: str | None) -> Iterator[StreamPiece | RequestFailure]:
        head = bytes(self._head)
        try:
            body = json.loads(head.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            words = self._origin.clean(read_words(head))
            if not words.startswith("an HTML page"):
                words = "invalid JSON"
            yield self._bad(words, broken)
            return

        fields: dict[str, Any] = body if isinstance(body, dict) else {}
        if fields.get("choices") or fields.get("error"):
            yield from self._read_chunk(body)
            if not self.done:
                yield from self._end()
        elif fields.get("message") or fields.get("detail"):
            yield from self._error(body)
        else:
            yield self._bad("other JSON")

    def _error(self, error: object) -> Iterator[StreamPiece | RequestFailure]:
        failure = read_error(error, self._origin)
        if not self.begun:
            self.done = True
            yield failure
            return

        yield from self._normaliser.usage()
        fail = failure.fail
        if fail.kind != "overflow":
            fail = FailPiece("cut", fail.message)

        yield self._fail(fail)

    def _end(self) -> Iterator[StreamPiece]:
        self.done = True
        yield from self._normaliser.end()

    def _cut(self, broken: str | None) -> Iterator[StreamPiece | RequestFailure]:
        yield from self._normaliser.usage()
        why = in_brackets(broken)
        message = f"{self._origin.url}: the stream ended in the middle of the reply{why}."
        yield self._fail(FailPiece("cut", message))

    def _bad(self, what: str, broken: str | None = None) -> RequestFailure:
        why = in_brackets(broken)
        message = f"{self._origin.url} answers with {what}{why}; that is not a reply of a model."
        return self._fail(FailPiece("bad", message), again=broken is not None)

    def _too_much(self, what: str) -> RequestFailure:
        self._head.clear()
        message = f"{self._origin.url} answers with {what}; it was not read to its end."
        return self._fail(FailPiece("bad", message))

    def _fail(self, fail: FailPiece, *, again: bool = False) -> RequestFailure:
        self.done = True
        return RequestFailure(fail, again)


def _size_of(piece: StreamPiece) -> int:
    match piece:
        case TextPiece(text) | ReasoningPiece(text):
            return len(text)
        case CallPiece():
            return len(piece.arguments)
    return 0
