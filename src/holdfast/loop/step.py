"""One request to the model: stream its reply to the sink, then interpret the reply."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from holdfast.loop.classify import ReplyKind, classify
from holdfast.loop.parse_reply import ParsedReply, draft_calls, fit_calls
from holdfast.loop.parse_reply.control_tokens import cut_tokens
from holdfast.loop.parse_reply.text_calls.streamed_text import StreamedText
from holdfast.loop.ports import (
    FailPiece,
    Model,
    ModelRequest,
    ReasoningPiece,
    RetryPiece,
    Sink,
    StreamPiece,
    TextPiece,
    WaitPiece,
)
from holdfast.loop.reply import ModelReply, close_stream, collect
from holdfast.loop.retry_policy import RetryState, RetryVerdict, judge
from holdfast.loop.unparsed_call import cut_invented_result, find_call_line, shows_unread_call
from holdfast.vocab.events import ModelAwaited, ReasoningArrived, Retried, TextArrived
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.tool_calls import ToolSpec

_CANCELLED = FailPiece("cancelled", "Cancelled.")


@dataclass(frozen=True, slots=True)
class InterpretedReply:
    """A reply with its kind, its calls, and the verdict of the retry policy."""

    reply: ModelReply
    kind: ReplyKind
    parsed: ParsedReply
    verdict: RetryVerdict


def ask_model(model: Model, request: ModelRequest, cancel: Cancel, sink: Sink | None) -> ModelReply:
    """Send the request and return the reply; with a sink, emit each piece as it arrives."""
    if cancel.is_set():
        return ModelReply(failure=_CANCELLED)

    show: Callable[[StreamPiece], None] = _ignore
    if sink is not None:
        show = partial(_show, sink)

    specs = request.tools
    screen = partial(StreamedText, specs, partial(shows_unread_call, specs=specs))
    pieces = model.stream(request, cancel)
    return collect(_until_cancelled(pieces, cancel), show, screen)


def interpret_reply(
    reply: ModelReply, specs: tuple[ToolSpec, ...], state: RetryState, *, step: int = 0
) -> tuple[InterpretedReply, RetryState]:
    """Return the interpreted reply and the retry state after it.

    Calls without an id get one with the number of the step in it.
    """
    draft = draft_calls(reply, specs, prints=state.prints or state.narrated > 0)
    kind = classify(reply, draft, specs)
    parsed = fit_calls(draft, specs, prefix=f"step_{step}")
    call_line = ""
    if kind == ReplyKind.NARRATED_INTENT:
        call_line = find_call_line(reply.text, specs)
        own_words = cut_tokens(cut_invented_result(reply.text, specs))
        parsed = replace(parsed, text=min(parsed.text, own_words, key=len))

    verdict, state = judge(kind, reply, state, calls=bool(parsed.calls), call_line=call_line)
    unshown = ""
    if not any(call.printed for call in draft.calls):
        unshown = _unshown_part(parsed.text, reply)

    return InterpretedReply(replace(reply, unshown=unshown), kind, parsed, verdict), state


def _unshown_part(text: str, reply: ModelReply) -> str:
    """Return the part of a reply's own text that people have not seen: no tokens, no inventions."""
    words = text.lstrip()
    shown = reply.shown.lstrip()
    if words.startswith(shown):
        return words[len(shown) :]
    if shown.startswith(words.rstrip()):
        return ""

    return cut_tokens(reply.unshown)


def _until_cancelled(pieces: Iterator[StreamPiece], cancel: Cancel) -> Iterator[StreamPiece]:
    try:
        for piece in pieces:
            if cancel.is_set():
                yield _CANCELLED
                return
            yield piece
    finally:
        close_stream(pieces)


def _show(sink: Sink, piece: StreamPiece) -> None:
    match piece:
        case TextPiece(text):
            sink.emit(TextArrived(text))
        case ReasoningPiece(text):
            sink.emit(ReasoningArrived(text))
        case RetryPiece(reason):
            sink.emit(Retried(reason))
        case WaitPiece(seconds):
            sink.emit(ModelAwaited(seconds))


def _ignore(piece: StreamPiece) -> None:
    """Show nothing."""
