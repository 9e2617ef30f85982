"""The results of the repair after a turn, and its time limit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.guards.tokens import remove_tokens
from holdfast.tools.text_limits import sendable
from holdfast.usecases.redaction import redact
from holdfast.usecases.repair.descriptions import NOT_RUN
from holdfast.vocab.events import RepairEnded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import Event

SECONDS = 300.0
"""The time limit of the repair after a turn: the user waits for the turn's end."""


class RepairReport:
    """The results that were emitted; `failing` are the files that still fail."""

    def __init__(self, emit: Callable[[Event], None], secrets: Sequence[str]) -> None:
        """Emit each result without the secrets."""
        self._emit = emit
        self._secrets = secrets
        self.failing: list[str] = []

    def add(self, ended: RepairEnded) -> None:
        """Emit the end of a repair, and keep its file if it still fails."""
        if not ended.success and ended.outcome != NOT_RUN:
            self.failing.append(ended.path)
        event = replace(ended, message=remove_tokens(sendable(ended.message)))
        self._emit(redact(event, self._secrets))

    def not_run(self, path: str, why: str) -> None:
        """Report that a file, or with "" the project, was not checked or repaired."""
        self.add(RepairEnded(path, NOT_RUN, success=False, message=why))


class RepairDeadline:
    """A cancellation that is set when the turn is cancelled or the time is up (port `Cancel`)."""

    def __init__(self, cancel: Cancel, now: Callable[[], float]) -> None:
        """Begin the time now."""
        self._cancel, self._now = cancel, now
        self._end = now() + SECONDS

    def is_set(self) -> bool:
        """Return whether no more may begin."""
        if self._cancel.is_set():
            return True
        return self._now() >= self._end

    def late(self) -> str | None:
        """Return why no more may begin, or None."""
        if self._cancel.is_set():
            return "the repair was cancelled."
        if self.is_set():
            return (
                f"the {SECONDS:g} s that a repair after a turn may take are over; use "
                "`holdfast repair`."
            )

        return None
