"""A model that counts the tokens it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.loop.ports import UsagePiece
from holdfast.vocab.events import UsageReported

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.loop.ports import Model, ModelRequest, StreamPiece
    from holdfast.vocab.cancellation import Cancel


class MeteredModel:
    """The turn's model (port `Model`) with its usage; several repairs may ask it at once."""

    def __init__(self, model: Model) -> None:
        """Count the usage of this model."""
        self._model = model
        self.used: list[UsageReported] = []

    @property
    def name(self) -> str:
        """Its name."""
        return self._model.name

    @property
    def context(self) -> int | None:
        """The size of its context in tokens."""
        return self._model.context

    def stream(self, ask: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        """Stream the reply, and record its usage."""
        for piece in self._model.stream(ask, cancel):
            if isinstance(piece, UsagePiece):
                self.used.append(UsageReported(piece.prompt, piece.completion))
            yield piece
