"""Watch whether another command asks a running turn to stop."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Self, TypeAlias

from holdfast.usecases.turns.ports import RecordsUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from holdfast.vocab.cancellation import Cancel

Looking: TypeAlias = "AbstractContextManager[Callable[[], str | None]]"
"""The record of the turn while it is open: a function that returns the sentence, or None."""
EVERY = 0.2
"""Seconds between two looks at the record of the turn."""


class StopWatch:
    """The cancellation of one turn (port `Cancel`): set by the user, or by another command.

    A thread looks for the request of another command, also while a model or a command is awaited.
    """

    def __init__(self, looking: Callable[[], Looking], cancel: Cancel) -> None:
        """Join the user's `cancel` and the record; `looking` opens it, as `TurnRecords` does."""
        self._looking = looking
        self._cancel = cancel
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="stop-watch", daemon=True)
        self.sentence: str | None = None
        """The sentence with which the turn is to end; None if no other command has asked."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def is_set(self) -> bool:
        """Return whether the turn is to end."""
        return self.sentence is not None or self._cancel.is_set()

    def _watch(self) -> None:
        while self.sentence is None and not self._over.wait(EVERY):
            # The next transaction of the turn reports a store that does not come back.
            with suppress(RecordsUnavailable), self._looking() as look:
                self._look_until_over(look)

    def _look_until_over(self, look: Callable[[], str | None]) -> None:
        self.sentence = look()
        while self.sentence is None and not self._over.wait(EVERY):
            self.sentence = look()
