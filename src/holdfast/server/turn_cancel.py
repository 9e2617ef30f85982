"""How the server ends a turn: at once, or after the step that runs."""

from __future__ import annotations

import threading


class TurnCancel:
    """The request to end a turn because the server stops (port `Interruption`)."""

    def __init__(self) -> None:
        """Begin without a request."""
        self._now = threading.Event()
        self._after_step = threading.Event()

    @property
    def interrupts(self) -> bool:
        """Whether the server stops."""
        return self._after_step.is_set()

    def is_set(self) -> bool:
        """Return whether the turn is to end now."""
        return self._now.is_set()

    def end_after_step(self) -> None:
        """Let the step that runs end, and no other begin."""
        self._after_step.set()

    def end_now(self) -> None:
        """End the turn in the middle of a step."""
        self._after_step.set()
        self._now.set()
