"""A scripted model in the process, for the port `Model`, without a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

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
from holdfast.loop.reply import Finish
from holdfast.testing.completion_chunks import call_id, finish_of, in_pieces, usage_of
from holdfast.testing.replies import choose_reply
from holdfast.vocab.transcript import AssistantSaid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from threading import Event

    from holdfast.loop.ports import FailKind
    from holdfast.testing.replies import Reply
    from holdfast.vocab.cancellation import Cancel

_CANCELLED = FailPiece("cancelled", "the request was cancelled.")
_CUT = FailPiece("cut", "the stream ended in the middle of the reply.")
_FINISHES: Final[dict[str | None, Finish]] = {reason: reason for reason in get_args(Finish)}
_FAILURES: Final[dict[int, FailKind]] = {401: "login", 403: "login", 429: "server"}
"""The kind of failure that a status means; below 500, any other status is a refusal."""


class ScriptedModel:
    """A model that answers each request with the next reply of the script.

    The script is a sequence, or a function of the request. `asks` are the requests so far; `name`
    and `context`, its length in tokens, describe the model. After the last reply every request
    fails as `refused`, or is answered with `otherwise`. Replies with `chunks` or `raw` need HTTP:
    use `ScriptedServer`.
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
        self.name, self.context = name, context
        self.asks: list[ModelRequest] = []

    def stream(self, request: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        """Yield the next reply, piece by piece."""
        number = len(self.asks)
        self.asks.append(request)
        reply = choose_reply(self._script, request, number, self._otherwise)
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


def _pieces(
    reply: Reply, number: int, request: ModelRequest, cancel: Cancel
) -> Iterator[StreamPiece]:
    # The first piece does not wait.
    gate = None
    for place, piece in enumerate(_content(reply, number)):
        if place == reply.cut_after:
            yield _CUT
            return
        if not _wait(gate, cancel):
            yield _CANCELLED
            return
        yield piece
        gate = reply.gate

    if reply.finish == "wrong_json":
        yield FailPiece("bad", "an event that is not JSON.")
        return

    if reply.usage == "last":
        usage = usage_of(reply, _size(request) // 4)
        yield UsagePiece(usage["prompt_tokens"], usage["completion_tokens"])

    # No reason at all is an end like any other; see `stream_normaliser`.
    yield FinishPiece(_FINISHES.get(finish_of(reply) or "stop", "unknown"))


def _content(reply: Reply, number: int) -> Iterator[StreamPiece]:
    yield from map(ReasoningPiece, in_pieces(reply.reasoning))
    yield from map(TextPiece, in_pieces(reply.text))
    for place, call in enumerate(reply.calls):
        identity = call_id(number, place, call)
        pieces = in_pieces(call.arguments) or [""]
        for piece in pieces:
            yield CallPiece(place, identity, call.name, piece)


def _failure(reply: Reply) -> FailPiece | None:
    if reply.drop:
        return FailPiece("server", "the connection broke before anything was sent.")
    if reply.status == 200:
        return None

    kind = _FAILURES.get(reply.status, "refused")
    if reply.status >= 500:
        kind = "server"

    if kind != "login" and "context size" in reply.message:
        kind = "overflow"

    return FailPiece(kind, reply.message)


def _wait(gate: Event | None, cancel: Cancel) -> bool:
    """Wait for the gate, if there is one; return False if the request is cancelled."""
    while not cancel.is_set():
        if gate is None:
            return True
        if gate.wait(0.01):
            return True
    return False


def _size(request: ModelRequest) -> int:
    total = 0
    for message in request.messages:
        total += len(message.text)
        if not isinstance(message, AssistantSaid):
            continue
        for call in message.calls:
            arguments = dict(call.arguments)
            total += len(str(arguments))

    return total
