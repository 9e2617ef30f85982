"""All that a turn has of the world."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.loop.ports import Model, Sink, Toolbox
from holdfast.vocab.cancellation import Cancel


@dataclass(frozen=True, slots=True)
class TurnPorts:
    """The four ports of a turn."""

    model: Model
    toolbox: Toolbox
    sink: Sink
    cancel: Cancel
