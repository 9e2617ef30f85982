"""Keeps what happens in a turn, and shows it: the sink of the turn."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.usecases.turns.ports import RecordsUnavailable
from holdfast.vocab.events import (
    CallEnded,
    CallStarted,
    Compacted,
    ReasoningArrived,
    RepairEnded,
    Said,
    SentinelRaised,
    StepStarted,
    TextArrived,
    TurnEnded,
    UsageReported,
)

if TYPE_CHECKING:
    from holdfast.usecases.turns.ports import TurnBegun, TurnRecords
    from holdfast.vocab.events import Event

# A killed process loses at most so much of what the model was just saying.
_MOST_CHARACTERS = 2000
_MOST_SECONDS = 0.5


class TurnRecorder:
    """Records facts in few transactions: a call before it is run, its outcome before the next, the stream in between.

    The stream is shown at once and recorded in pieces; `Said` settles it.
    """

    def __init__(
        self,
        begun: TurnBegun,
        records: TurnRecords,
        show: Callable[[Event], None],
        now: Callable[[], float],
    ) -> None:
        """Keep the facts of a turn in `records`; `now` gives seconds."""
        self._begun = begun
        self._records = records
        self._show = show
        self._now = now
        self._waiting: list[Event] = []
        self._characters = 0
        self._written_at = now()
        self._steps = self._prompt_tokens = self._completion_tokens = 0
        self._files: set[str] = set()

    def emit(self, event: Event) -> None:
        """Take one fact."""
        if isinstance(event, TurnEnded):
            self._records.end(self._begun, [*self._waiting, event], event.stop_reason)
            self._waiting.clear()
            self._show(event)
            return
        self._count(event)
        self._wait(event)
        if self._due(event):
            self.flush()
        self._show(event)

    def give_up(self, message: str) -> TurnEnded:
        """End a turn that cannot go on; on record if that can still be. Who cannot write it down still shows it."""
        files = tuple(sorted(self._files))
        ended = TurnEnded(
            "failed", message, self._steps, self._prompt_tokens, self._completion_tokens, files
        )
        # The first failure is the one that is told; a turn without an end is found by whoever comes next.
        with suppress(RecordsUnavailable):
            self._records.end(self._begun, [*self._waiting, ended], "failed")
        self._waiting.clear()
        self._show(ended)
        return ended

    def flush(self) -> None:
        """Record what waits."""
        if self._waiting:
            self._records.keep(self._begun, self._waiting)
        self._waiting.clear()
        self._characters = 0
        self._written_at = self._now()

    def _count(self, event: Event) -> None:
        match event:
            case StepStarted():
                self._steps = event.step
            case UsageReported():
                self._prompt_tokens += event.prompt
                self._completion_tokens += event.completion
            case CallEnded():
                self._files.update(event.modified)
            case _:
                pass

    def _wait(self, event: Event) -> None:
        last = self._waiting[-1] if self._waiting else None
        if isinstance(event, TextArrived | ReasoningArrived):
            self._characters += len(event.text)
            if type(last) is type(event) and isinstance(last, TextArrived | ReasoningArrived):
                self._waiting[-1] = type(event)(last.text + event.text)
                return
        self._waiting.append(event)

    def _due(self, event: Event) -> bool:
        match event:
            case Said():
                # Its calls follow at once, and take it with them.
                return not event.calls
            case CallStarted() | CallEnded() | SentinelRaised() | Compacted() | RepairEnded():
                return True
            case TextArrived() | ReasoningArrived():
                return (
                    self._characters >= _MOST_CHARACTERS
                    or self._now() - self._written_at >= _MOST_SECONDS
                )
            case _:
                return False
