"""Watch whether another command asks a running turn to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from holdfast.usecases.record_watch import RecordWatch
from holdfast.vocab.cancellation import Interruption

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from holdfast.usecases.record_watch import Look
    from holdfast.vocab.cancellation import Cancel


class StopWatch:
    """The cancellation of one turn (port `Cancel`): set by the user, or by another command.

    A thread looks for the request of another command, also while a model or a command is awaited.
    """

    def __init__(
        self, looking: Callable[[], AbstractContextManager[Look[str]]], cancel: Cancel
    ) -> None:
        """Join the user's `cancel` and the record; `looking` opens it, as `TurnRecords` does."""
        self._record: RecordWatch[str] = RecordWatch(looking)
        self._cancel = cancel

    def __enter__(self) -> Self:
        self._record.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._record.__exit__()

    def is_set(self) -> bool:
        """Return whether the turn is to end."""
        return self._record.is_set() or self._cancel.is_set()

    @property
    def sentence(self) -> str | None:
        """The sentence with which the turn is to end; None if no other command has asked."""
        return self._record.found

    @property
    def interrupts(self) -> bool:
        """Whether the turn ends because its process does, and can go on in another."""
        return isinstance(self._cancel, Interruption) and self._cancel.interrupts
