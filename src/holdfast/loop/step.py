"""One question to the model: streamed to whoever listens, classified, and asked again while that is worth it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from holdfast.loop.classify import Class, classify
from holdfast.loop.parse_reply import Normalised, normalise
from holdfast.loop.ports import (
    FailPiece,
    Model,
    ModelRequest,
    ReasoningPiece,
    RetryPiece,
    Sink,
    StreamPiece,
    TextPiece,
)
from holdfast.loop.reply import ModelReply, collect
from holdfast.loop.retry_policy import RetryPolicy, RetryVerdict, judge
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import ReasoningArrived, Retried, TextArrived
from holdfast.vocab.tool_calls import ToolSpec

_CANCELLED = FailPiece("cancelled", "Cancelled.")


@dataclass(frozen=True, slots=True)
class Heard:
    """A reply, what it is, the calls that were made of it, and what is to be done with it."""

    reply: ModelReply
    kind: Class
    normalised: Normalised
    verdict: RetryVerdict


def listen(model: Model, ask: ModelRequest, cancel: Cancel, sink: Sink | None) -> ModelReply:
    """Ask the model and take its reply; with a sink, each piece is shown as it comes."""
    if cancel.is_set():
        return collect(iter((_CANCELLED,)), _ignore)
    return collect(
        _until_cancelled(model.stream(ask, cancel), cancel), _shower(sink) if sink else _ignore
    )


def understand(
    reply: ModelReply, specs: tuple[ToolSpec, ...], patience: RetryPolicy, *, step: int = 0
) -> tuple[Heard, RetryPolicy]:
    """Say what a reply is and what is to be done with it. The number of the step goes into ids that we have to give."""
    kind = classify(reply, specs)
    normalised = normalise(reply, specs, prefix=f"step_{step}")
    if kind in {Class.TOOL_CALLS, Class.TEXT_TOOL_CALLS} and not normalised.calls:
        kind = Class.FINAL if normalised.text.strip() else Class.EMPTY
    verdict, patience = judge(kind, reply, patience, calls=bool(normalised.calls))
    return Heard(reply, kind, normalised, verdict), patience


def _until_cancelled(pieces: Iterator[StreamPiece], cancel: Cancel) -> Iterator[StreamPiece]:
    try:
        for piece in pieces:
            if cancel.is_set():
                yield _CANCELLED
                return
            yield piece
    finally:
        # To close the model's iterator ends its request; without that a server goes on generating for nobody.
        close = getattr(pieces, "close", None)
        if close is not None:
            close()


def _shower(sink: Sink) -> Callable[[StreamPiece], None]:
    def show(piece: StreamPiece) -> None:
        match piece:
            case TextPiece(text):
                sink.emit(TextArrived(text))
            case ReasoningPiece(text):
                sink.emit(ReasoningArrived(text))
            case RetryPiece(reason):
                sink.emit(Retried(reason))
            case _:
                pass

    return show


def _ignore(piece: StreamPiece) -> None:
    """Show nothing."""
