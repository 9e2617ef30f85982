"""A model whose replies have none of Holdfast's own keys: its server knows one of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from holdfast.loop.ports import CallPiece, ReasoningPiece, TextPiece
from holdfast.usecases.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.loop.ports import Model, ModelRequest, StreamPiece
    from holdfast.vocab.cancellation import Cancel

_Source: TypeAlias = tuple[type, int]


class RedactedModel:
    """A model (port `Model`) that masks secrets in its texts and in the arguments of its calls."""

    def __init__(self, model: Model, secrets: Sequence[str]) -> None:
        """Mask these secrets in the replies of a model."""
        self._model = model
        self._secrets = tuple(secrets)

    @property
    def name(self) -> str:
        """Its name."""
        return self._model.name

    @property
    def context(self) -> int | None:
        """The size of its context in tokens."""
        return self._model.context

    def stream(self, request: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        """Stream the reply; what may be the beginning of a secret waits for the next piece."""
        waiting: StreamPiece | None = None
        for piece in self._model.stream(request, cancel):
            here = _with_beginning(piece, waiting)
            if here is None:
                if waiting is not None:
                    yield waiting
                here = piece

            waiting = None
            text = _text_of(here)
            if text is None:
                yield here
                continue

            masked = redact(text, self._secrets)
            end = len(masked) - self._beginning_at_end(masked)
            yield _with_text(here, masked[:end])
            if end < len(masked):
                waiting = _with_text(_nameless(here), masked[end:])

        if waiting is not None:
            yield waiting

    def _beginning_at_end(self, text: str) -> int:
        """Return the length of the longest beginning of a secret that the text ends with."""
        longest = 0
        for secret in self._secrets:
            for size in range(min(len(secret) - 1, len(text)), longest, -1):
                if text.endswith(secret[:size]):
                    longest = size
                    break

        return longest


def _with_beginning(piece: StreamPiece, waiting: StreamPiece | None) -> StreamPiece | None:
    """Return a piece with the text that waits before it; None if that is of something else."""
    if waiting is None or _source_of(piece) != _source_of(waiting):
        return None
    return _with_text(piece, f"{_text_of(waiting)}{_text_of(piece)}")


def _source_of(piece: StreamPiece) -> _Source | None:
    """Return what a piece is a part of."""
    if isinstance(piece, CallPiece):
        return CallPiece, piece.index
    if isinstance(piece, TextPiece | ReasoningPiece):
        return type(piece), 0
    return None


def _text_of(piece: StreamPiece) -> str | None:
    if isinstance(piece, CallPiece):
        return piece.arguments
    if isinstance(piece, TextPiece | ReasoningPiece):
        return piece.text
    return None


def _with_text(piece: StreamPiece, text: str) -> StreamPiece:
    if isinstance(piece, CallPiece):
        return replace(piece, arguments=text)
    if isinstance(piece, TextPiece | ReasoningPiece):
        return replace(piece, text=text)
    return piece


def _nameless(piece: StreamPiece) -> StreamPiece:
    """Return a piece without the name and id of its call, which have been sent."""
    if isinstance(piece, CallPiece):
        return CallPiece(piece.index)
    return piece
