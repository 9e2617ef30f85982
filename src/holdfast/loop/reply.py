"""A model's reply, collected from the pieces of its stream."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, assert_never

from holdfast.guards.repetition import Channel, Repetition, RepetitionWatch
from holdfast.loop.ports import (
    CallPiece,
    FailPiece,
    FinishPiece,
    ReasoningPiece,
    RetryPiece,
    StreamPiece,
    TextPiece,
    UsagePiece,
    WaitPiece,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.tool_calls import RawCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OtherPiece: TypeAlias = (
    ReasoningPiece | CallPiece | UsagePiece | FinishPiece | FailPiece | RetryPiece | WaitPiece
)
Finish: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter", "unknown"]

_WHOLE: Final[frozenset[Finish | None]] = frozenset(("stop", "tool_calls"))


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The reply to one request. `finish` is None if the stream ended without a finish reason.

    `failure` is why the stream broke off; `repetition` is where we stopped reading;
    `shown` is the text that people have seen; `unshown` is the end of the text that was not shown
    to people, because it may be a call.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[RawCall, ...] = ()
    finish: Finish | None = None
    usage: UsagePiece | None = None
    failure: FailPiece | None = None
    repetition: Repetition | None = None
    shown: str = field(default="", compare=False)
    unshown: str = field(default="", compare=False)

    @property
    def whole(self) -> bool:
        """Whether the reply is complete. A changing call is never run from an incomplete reply."""
        if self.failure is not None:
            return False
        if self.repetition is not None:
            return False
        return self.finish in _WHOLE


class TextScreen(Protocol):
    """Decides what of a text can be shown while it arrives."""

    @property
    def in_call(self) -> bool:
        """Whether a printed call has begun."""
        ...

    @property
    def held(self) -> str:
        """The text that was not shown yet."""
        ...

    def feed(self, text: str) -> str:
        """Add text; return what can be shown now."""
        ...

    def end(self) -> str:
        """Return what can be shown now that the text is over."""
        ...


class ShowAll:
    """A screen that holds nothing back."""

    in_call = False
    held = ""

    def feed(self, text: str) -> str:
        """Return the text."""
        return text

    def end(self) -> str:
        """Return nothing: all text was shown."""
        return ""


def collect(
    pieces: Iterator[StreamPiece],
    sink_piece: Callable[[StreamPiece], None],
    screen: Callable[[], TextScreen] = ShowAll,
) -> ModelReply:
    """Read the stream, pass on what can be shown, and return the reply.

    Stop reading at a repetition.
    """
    collector = _Collector(screen())
    try:
        for piece in pieces:
            if isinstance(piece, TextPiece):
                _show_text(collector.add_text(piece.text), sink_piece)
            else:
                if isinstance(piece, CallPiece | FinishPiece):
                    _show_text(collector.end_text(), sink_piece)
                sink_piece(piece)
                collector.add(piece)
            if isinstance(piece, RetryPiece):
                collector = _Collector(screen())  # earlier pieces belong to the failed reply
            if collector.repetition is not None or collector.failure is not None:
                break
    finally:
        close_stream(pieces)

    return collector.reply()


def _show_text(text: str, sink_piece: Callable[[StreamPiece], None]) -> None:
    if text:
        sink_piece(TextPiece(text))


def close_stream(pieces: Iterator[StreamPiece]) -> None:
    """End the request behind a stream; otherwise the server continues generating."""
    # Only a generator has `close`.
    close = getattr(pieces, "close", None)
    if close is not None:
        close()


@dataclass(slots=True)
class _Collector:
    """The reply so far."""

    streamed: TextScreen
    text: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: dict[int, _CallParts] = field(default_factory=dict)
    finish: Finish | None = None
    usage: UsagePiece | None = None
    failure: FailPiece | None = None
    repetition: Repetition | None = None
    watch: RepetitionWatch = field(default_factory=RepetitionWatch)

    def add_text(self, text: str) -> str:
        """Add text and return what can be shown of it."""
        self.text.append(text)
        shown = self.streamed.feed(text)
        self.shown.append(shown)
        channel: Channel = "text"
        if self.streamed.in_call:
            channel = "arguments"

        self.repetition = self.watch.feed(channel, text)
        return shown

    def end_text(self) -> str:
        """Return the rest of the text that can be shown, because no more text is expected."""
        shown = self.streamed.end()
        self.shown.append(shown)
        return shown

    def add(self, piece: _OtherPiece) -> None:
        """Add a piece without text."""
        match piece:
            case RetryPiece() | WaitPiece():
                pass
            case ReasoningPiece(text):
                self.reasoning.append(text)
                self.repetition = self.watch.feed("reasoning", text)
            case CallPiece():
                self._add_call(piece)
            case UsagePiece():
                self.usage = piece
            case FinishPiece(reason):
                self.finish = reason
            case FailPiece():
                self.failure = piece
            case _:
                assert_never(piece)

    def _add_call(self, piece: CallPiece) -> None:
        call = self.calls.setdefault(piece.index, _CallParts())
        if piece.id:
            call.id = piece.id

        if piece.name:
            call.name = piece.name

        if piece.arguments:
            call.arguments.append(piece.arguments)
            self.repetition = self.watch.feed("arguments", piece.arguments)

    def reply(self) -> ModelReply:
        calls: list[RawCall] = []
        for index in sorted(self.calls):
            call = self.calls[index]
            calls.append(RawCall(call.id, call.name, "".join(call.arguments)))

        return ModelReply(
            text="".join(self.text),
            reasoning="".join(self.reasoning),
            calls=tuple(calls),
            finish=self.finish,
            usage=self.usage,
            failure=self.failure,
            repetition=self.repetition,
            shown="".join(self.shown),
            unshown=self.streamed.held,
        )


@dataclass(slots=True)
class _CallParts:
    """One call so far."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
