"""An event with its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.vocab.events import Event


@dataclass(frozen=True, slots=True)
class OwnedEvent:
    """An event to publish, with the session and the turn that it belongs to, if any."""

    event: Event
    session: str | None = None
    turn: str | None = None
