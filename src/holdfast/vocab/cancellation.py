"""The signal by which a turn is stopped, and the error of a turn that was stopped by others."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


class Cancel(Protocol):
    """The request to end the turn; a `threading.Event` fulfils this protocol."""

    def is_set(self) -> bool:
        """Return whether the turn is to end."""


@runtime_checkable
class Interruption(Protocol):
    """A request to end the turn that may come because its process ends."""

    def is_set(self) -> bool:
        """Return whether the turn is to end."""

    @property
    def interrupts(self) -> bool:
        """Whether the process ends: then the turn is interrupted, not cancelled."""


class TurnStopped(Exception):  # noqa: N818 - the word for it
    """Another command stopped this turn, and nothing more of it is recorded.

    The message is the sentence with which the turn ends.
    """
