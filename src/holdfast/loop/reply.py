"""A model's reply, collected from the pieces in which it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, assert_never

from holdfast.guards.repetition import Repetition, RepetitionWatch
from holdfast.loop.ports import (
    CallPiece,
    FailPiece,
    FinishPiece,
    ReasoningPiece,
    RetryPiece,
    StreamPiece,
    TextPiece,
    UsagePiece,
)
from holdfast.vocab.tool_calls import RawCall

_Told: TypeAlias = TextPiece | ReasoningPiece | CallPiece | UsagePiece | FinishPiece | FailPiece
Finish: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter", "unknown"]

_WHOLE: Final[frozenset[Finish | None]] = frozenset(("stop", "tool_calls", "unknown"))


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came of one question. `finish` is None if the stream never said that it was over.

    `failure` is why there is no more; `chant` is why we stopped listening.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[RawCall, ...] = ()
    finish: Finish | None = None
    usage: UsagePiece | None = None
    failure: FailPiece | None = None
    chant: Repetition | None = None

    @property
    def whole(self) -> bool:
        """Whether the model had its say. A call that changes something is never run from a reply that is not."""
        return self.finish in _WHOLE and self.failure is None and self.chant is None


def collect(pieces: Iterator[StreamPiece], sink_piece: Callable[[StreamPiece], None]) -> ModelReply:
    """Take the pieces as they come, pass each on, and give the reply. A model that chants is cut off."""
    draft = _Draft()
    try:
        for piece in pieces:
            sink_piece(piece)
            if isinstance(piece, RetryPiece):
                draft = _Draft()  # what was said before, if anything, belongs to another reply
                continue
            draft.take(piece)
            if draft.chant is not None or draft.failure is not None:
                break
    finally:
        # To close the iterator ends the request; a generator has `close`, a plain iterator holds nothing.
        close = getattr(pieces, "close", None)
        if close is not None:
            close()
    return draft.reply()


@dataclass(slots=True)
class _Draft:
    """The reply so far."""

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: dict[int, _CallDraft] = field(default_factory=dict)
    finish: Finish | None = None
    usage: UsagePiece | None = None
    failure: FailPiece | None = None
    chant: Repetition | None = None
    chants: RepetitionWatch = field(default_factory=RepetitionWatch)

    def take(self, piece: _Told) -> None:
        match piece:
            case TextPiece(text):
                self.text.append(text)
                self.chant = self.chants.feed("text", text)
            case ReasoningPiece(text):
                self.reasoning.append(text)
                self.chant = self.chants.feed("reasoning", text)
            case CallPiece():
                self._take_call(piece)
            case UsagePiece():
                self.usage = piece
            case FinishPiece(reason):
                self.finish = reason
            case FailPiece():
                self.failure = piece
            case _:
                assert_never(piece)

    def _take_call(self, piece: CallPiece) -> None:
        call = self.calls.setdefault(piece.index, _CallDraft())
        call.id = piece.id or call.id
        call.name = piece.name or call.name
        call.arguments.append(piece.arguments)
        if piece.arguments:
            self.chant = self.chants.feed("arguments", piece.arguments)

    def reply(self) -> ModelReply:
        calls = tuple(
            RawCall(call.id, call.name, "".join(call.arguments))
            for _, call in sorted(self.calls.items())
        )
        text, reasoning = "".join(self.text), "".join(self.reasoning)
        return ModelReply(text, reasoning, calls, self.finish, self.usage, self.failure, self.chant)


@dataclass(slots=True)
class _CallDraft:
    """One call so far."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
