"""A scripted model in the process: port `Model` without a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event

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
from holdfast.testing.replies import Reply
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.transcript import AssistantSaid

_CANCELLED = FailPiece("cancelled", "the request was cancelled.")


class ScriptedModel:
    """Answers each ask with the next reply of the script, or with what the script (a function of the ask) gives.

    `asks` are what it was asked. Where the script is at its end it fails as `refused`, unless there is an `otherwise`.
    What only HTTP can do (`chunks`, `raw`) is for `ScriptedServer`.
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
        """What the model is called."""
        return self._name

    @property
    def context(self) -> int | None:
        """How many tokens it can hold."""
        return self._context

    def stream(self, ask: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        """Give the next reply, piece by piece."""
        number = len(self.asks)
        self.asks.append(ask)
        if callable(self._script):
            reply: Reply | None = self._script(ask)
        else:
            reply = self._script[number] if number < len(self._script) else self._otherwise
        if reply is None:
            yield FailPiece("refused", f"the script has only {number} replies.")
            return
        if reply.chunks is not None or reply.raw is not None:
            raise ValueError("chunks and raw bytes need a server: use ScriptedServer")
        if not _wait(reply.hang, cancel):
            yield _CANCELLED
            return
        yield from _pieces(reply, number, ask, cancel)


def _pieces(reply: Reply, number: int, ask: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
    if (failure := _failure(reply)) is not None:
        yield failure
        return
    for place, piece in enumerate(_said(reply, number)):
        if reply.cut_after is not None and place >= reply.cut_after:
            yield FailPiece("cut", "the stream ended in the middle of the reply.")
            return
        if cancel.is_set() or (place and not _wait(reply.gate, cancel)):
            yield _CANCELLED
            return
        yield piece
    if reply.finish == "wrong_json":
        yield FailPiece("bad", "an event that is no JSON.")
        return
    if reply.usage == "last":
        usage = usage_of(reply, _size(ask) // 4)
        yield UsagePiece(usage["prompt_tokens"], usage["completion_tokens"])
    match finish_of(reply):
        case "stop" | "tool_calls" | "length" | "content_filter" as reason:
            yield FinishPiece(reason)
        case _:
            yield FinishPiece("unknown")


def _said(reply: Reply, number: int) -> Iterator[StreamPiece]:
    yield from map(ReasoningPiece, in_pieces(reply.reasoning))
    yield from map(TextPiece, in_pieces(reply.text))
    for place, call in enumerate(reply.calls):
        for piece in in_pieces(call.arguments) or [""]:
            yield CallPiece(place, call_id(number, place, call), call.name, piece)


def _failure(reply: Reply) -> FailPiece | None:
    if reply.drop:
        return FailPiece("server", "the connection broke before anything was said.")
    if reply.status == 200:
        return None
    if reply.status in {401, 403}:
        return FailPiece("login", reply.message)
    if "context size" in reply.message:
        return FailPiece("overflow", reply.message)
    return FailPiece(
        "server" if reply.status == 429 or reply.status >= 500 else "refused", reply.message
    )


def _wait(gate: Event | None, cancel: Cancel) -> bool:
    """Wait for the gate; False if the request was cancelled meanwhile."""
    while gate is not None and not gate.wait(0.01):
        if cancel.is_set():
            return False
    return True


def _size(ask: ModelRequest) -> int:
    total = 0
    for message in ask.messages:
        total += len(message.text)
        if isinstance(message, AssistantSaid):
            total += sum(len(str(dict(call.arguments))) for call in message.calls)
    return total
