"""A scripted model in the process, for the port `Model`, without a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.loop.ports import (
    CallPiece,
    FailPiece,
    FinishPiece,
    ModelRequest,
    ReasoningPiece,
    StreamPiece,
    TextPiece,
    UsagePiece,
)
from holdfast.testing.completion_chunks import call_id, finish_of, in_pieces, usage_of
from holdfast.vocab.transcript import AssistantSaid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from threading import Event

    from holdfast.testing.replies import Reply
    from holdfast.vocab.cancellation import Cancel

_CANCELLED = FailPiece("cancelled", "the request was cancelled.")


class ScriptedModel:
    """A model that answers each request with the next reply of the script.

    The script is a sequence, or a function of the request. `asks` are the requests so far. After
    the last reply every request fails as `refused`, or is answered with `otherwise`. Replies with
    `chunks` or `raw` need HTTP: use `ScriptedServer`.
    """

    def __init__(
        self,
        script: Sequence[Reply] | Callable[[ModelRequest], Reply],
        *,
        otherwise: Reply | None = None,
        name: str = "scripted",
        context: int | None = 32_768,
    ) -> None:
        self._script, self._otherwise = script, otherwise
        self._name, self._context = name, context
        self.asks: list[ModelRequest] = []

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._name

    @property
    def context(self) -> int | None:
        """The context length in tokens."""
        return self._context

    def stream(self, request: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        """Yield the next reply, piece by piece."""
        number = len(self.asks)
        self.asks.append(request)
        reply = self._choose(request, number)
        if reply is None:
            yield FailPiece("refused", f"the script has only {number} replies.")
            return
        if reply.chunks is not None or reply.raw is not None:
            raise ValueError("chunks and raw bytes need a server: use ScriptedServer")
        if not _wait(reply.hang, cancel):
            yield _CANCELLED
            return
        failure = _failure(reply)
        if failure is not None:
            yield failure
            return
        yield from _pieces(reply, number, request, cancel)

    def _choose(self, request: ModelRequest, number: int) -> Reply | None:
        if callable(self._script):
            return self._script(request)
        if number < len(self._script):
            return self._script[number]
        return self._otherwise


def _pieces(
    reply: Reply, number: int, request: ModelRequest, cancel: Cancel
) -> Iterator[StreamPiece]:
    for place, piece in enumerate(_content(reply, number)):
        if reply.cut_after is not None and place >= reply.cut_after:
            yield FailPiece("cut", "the stream ended in the middle of the reply.")
            return
        if cancel.is_set() or (place and not _wait(reply.gate, cancel)):
            yield _CANCELLED
            return
        yield piece
    if reply.finish == "wrong_json":
        yield FailPiece("bad", "an event that is not JSON.")
        return
    if reply.usage == "last":
        usage = usage_of(reply, _size(request) // 4)
        yield UsagePiece(usage["prompt_tokens"], usage["completion_tokens"])
    match finish_of(reply):
        case "stop" | "tool_calls" | "length" | "content_filter" as reason:
            yield FinishPiece(reason)
        case _:
            yield FinishPiece("unknown")


def _content(reply: Reply, number: int) -> Iterator[StreamPiece]:
    yield from map(ReasoningPiece, in_pieces(reply.reasoning))
    yield from map(TextPiece, in_pieces(reply.text))
    for place, call in enumerate(reply.calls):
        for piece in in_pieces(call.arguments) or [""]:
            yield CallPiece(place, call_id(number, place, call), call.name, piece)


def _failure(reply: Reply) -> FailPiece | None:
    if reply.drop:
        return FailPiece("server", "the connection broke before anything was sent.")
    if reply.status == 200:
        return None
    if reply.status in {401, 403}:
        return FailPiece("login", reply.message)
    if "context size" in reply.message:
        return FailPiece("overflow", reply.message)
    if reply.status == 429 or reply.status >= 500:
        return FailPiece("server", reply.message)
    return FailPiece("refused", reply.message)


def _wait(gate: Event | None, cancel: Cancel) -> bool:
    """Wait for the gate; return False if the request is cancelled."""
    while gate is not None and not gate.wait(0.01):
        if cancel.is_set():
            return False
    return True


def _size(request: ModelRequest) -> int:
    total = 0
    for message in request.messages:
        total += len(message.text)
        if isinstance(message, AssistantSaid):
            total += sum(len(str(dict(call.arguments))) for call in message.calls)
    return total
