"""The body of an answer with status 200: a stream of events, one JSON object, or something else altogether."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from holdfast.adapters.models.errors import RequestFailure, RequestOrigin, read_error, read_words
from holdfast.adapters.models.sse import Events
from holdfast.adapters.models.stream_normaliser import Normaliser
from holdfast.loop.ports import FailPiece, StreamPiece

_LIMIT = 64 * 1024 * 1024


class ResponseBody:
    """Reads the body as it comes. `done` says that no more is wanted; then the last piece has been given."""

    def __init__(self, where: RequestOrigin) -> None:
        self._where = where
        self._events = Events()
        self._normaliser = Normaliser()
        self._shape: Literal["unknown", "events", "whole"] = "unknown"
        self._head = bytearray()
        self._any = False
        self.done = False

    @property
    def spoken(self) -> bool:
        """Whether the model has said anything."""
        return self._normaliser.spoken

    @property
    def whole(self) -> bool:
        """Whether the server has shown that the reply has ended; at most its usage is still to come."""
        return self._normaliser.whole

    def feed(self, data: bytes) -> Iterator[StreamPiece | RequestFailure]:
        """Take what came; give what it adds."""
        if self._shape == "events":
            yield from self._take(self._events.feed(data))
            return
        self._head += data
        start = self._head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if self._shape == "unknown" and start:
            self._shape = "whole" if start[:1] in b"{[<" else "events"
        if self._shape == "events":
            head, self._head = bytes(self._head), bytearray()
            yield from self._take(self._events.feed(head))
        elif len(self._head) > _LIMIT:
            yield self._bad("an answer without end")

    def finish(self, broken: str | None = None) -> Iterator[StreamPiece | RequestFailure]:
        """Take that nothing more comes, `broken` off if so; give the last pieces."""
        if self._shape == "whole":
            yield from self._take_whole(broken)
            return
        yield from self._take(self._events.finish())
        if self.done:
            return
        if self._normaliser.whole:
            yield from self._end()
        elif self.spoken:
            yield from self._cut(broken)
        elif broken is not None:
            message = f"{self._where.url} broke the connection before it said anything ({broken})."
            yield self._fail(FailPiece("server", message), again=True)
        else:
            yield self._bad(
                "an answer that ends before it begins" if self._any else "an empty answer"
            )

    def _take(self, events: list[str]) -> Iterator[StreamPiece | RequestFailure]:
        for event in events:
            if self.done:
                return
            self._any = True
            if event == "[DONE]":
                yield from self._end()
                return
            try:
                chunk = json.loads(event)
            except ValueError:
                # Not passed over: what is missing could be the middle of a file.
                yield self._bad("an event that is no JSON")
                return
            yield from self._take_chunk(chunk)

    def _take_chunk(self, chunk: Any) -> Iterator[StreamPiece | RequestFailure]:
        if not isinstance(chunk, dict):
            yield self._bad("an event that is no object")
            return
        if (error := chunk.get("error")) and not chunk.get("choices"):
            yield from self._error(error)
            return
        yield from self._normaliser.take(chunk)
        if self._normaliser.failed:
            yield from self._error(
                {"message": "the server gave up on the reply", "type": "server_error"}
            )

    def _take_whole(self, broken: str | None) -> Iterator[StreamPiece | RequestFailure]:
        try:
            body = json.loads(bytes(self._head).decode("utf-8-sig", "replace"))
        except ValueError:
            words = self._where.clean(read_words(bytes(self._head)))
            yield self._bad(
                words if words.startswith("an HTML page") else "JSON that cannot be read", broken
            )
            return
        if not isinstance(body, dict) or not (body.get("choices") or body.get("error")):
            message = isinstance(body, dict) and (body.get("message") or body.get("detail"))
            yield from self._error(body) if message else iter([self._bad("JSON that is no reply")])
            return
        yield from self._take_chunk(body)
        if not self.done:
            yield from self._end()

    def _error(self, error: object) -> Iterator[StreamPiece | RequestFailure]:
        trouble = read_error(error, self._where)
        if self.spoken:
            yield from self._normaliser.usage()
            overflow = trouble.fail.kind == "overflow"
            yield self._fail(trouble.fail if overflow else FailPiece("cut", trouble.fail.message))
        else:
            self.done = True
            yield trouble

    def _end(self) -> Iterator[StreamPiece]:
        self.done = True
        yield from self._normaliser.end()

    def _cut(self, broken: str | None) -> Iterator[StreamPiece | RequestFailure]:
        yield from self._normaliser.usage()
        why = f" ({broken})" if broken else ""
        yield self._fail(
            FailPiece(
                "cut", f"{self._where.url}: the stream ended in the middle of the reply{why}."
            )
        )

    def _bad(self, what: str, broken: str | None = None) -> RequestFailure:
        why = f" ({broken})" if broken else ""
        message = f"{self._where.url} answers with {what}{why}; that is no reply of a model."
        return self._fail(FailPiece("bad", message), again=broken is not None)

    def _fail(self, fail: FailPiece, *, again: bool = False) -> RequestFailure:
        self.done = True
        return RequestFailure(fail, again)
