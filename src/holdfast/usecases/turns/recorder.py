"""The sink of a turn: it records what happens in the turn, and shows what is on record."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.vocab.agent_events import AgentCall, AgentStateChanged
from holdfast.vocab.cancellation import TurnStopped
from holdfast.vocab.change_events import ChangeMoved, ChangesRemoved, EditLanded, EditObserved
from holdfast.vocab.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    CheckpointRestored,
    CheckpointsRemoved,
    CheckpointTaken,
    Compacted,
    ReasoningArrived,
    RepairEnded,
    Said,
    SentinelRaised,
    StepStarted,
    TextArrived,
    TurnEnded,
    TurnStarted,
    UsageReported,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holdfast.usecases.turns.ports import ShowEvent, TurnBegun, TurnRecords
    from holdfast.vocab.events import Event
    from holdfast.vocab.transcript import StopReason

# A killed process loses at most so much of what the model was just saying; and whoever follows the
# turn waits at most so long for it.
_MOST_CHARACTERS = 2000
_MOST_SECONDS = 0.1


_PUBLISHED = (
    TurnStarted,
    CheckpointTaken,
    CheckpointsRemoved,
    CheckpointRestored,
    ChangeMoved,
    ChangesRemoved,
    EditLanded,
    EditObserved,
    ApprovalAsked,
    ApprovalGiven,
)
"""What the use case that did it has published already."""


class TurnRecorder:
    """Records events in few transactions, and shows what is on record.

    A call is recorded before it is run, its outcome before the next, the stream in between at least
    every tenth of a second. Only what is on record is shown: nothing leaves the process without
    its number, and whoever shows the turn here sees what a follower elsewhere sees.
    """

    def __init__(
        self,
        begun: TurnBegun,
        records: TurnRecords,
        show: ShowEvent,
        now: Callable[[], float],
    ) -> None:
        """Record the events of a turn in `records`; `now` returns seconds."""
        self._begun = begun
        self._records = records
        self._show = show
        self._now = now
        self._waiting: list[Event] = []
        self._characters = 0
        self._written_at = now()
        self._shown = begun.seq
        self._steps = self._prompt_tokens = self._completion_tokens = 0
        self._files: set[str] = set()
        self._observed: set[str] = set()
        # The turn and the thread that records what it leaves waiting.
        self._lock = threading.Condition(threading.RLock())
        self._over = False
        self._problem: Exception | None = None

    @contextmanager
    def flushing(self) -> Iterator[None]:
        """Record what waits in time, also while the turn does nothing that is recorded."""
        thread = threading.Thread(target=self._flush_in_time, name="recorder", daemon=True)
        thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._over = True
                self._lock.notify()
            thread.join()

    def _flush_in_time(self) -> None:
        with self._lock:
            while not self._over and self._problem is None:
                self._lock.wait_for(lambda: self._over or self._waiting)
                # Not `now`, which may be the clock of a test.
                if self._lock.wait_for(lambda: self._over, _MOST_SECONDS):
                    return
                try:
                    self.flush()
                except Exception as error:  # noqa: BLE001 - the turn raises it, in its own thread
                    self._problem = error

    def emit(self, event: Event) -> None:
        """Record one event, and show what is on record."""
        with self._lock:
            self._count(event)
            if isinstance(event, _PUBLISHED):
                self._show_published()
                return
            if self._problem is not None:
                raise self._problem
            self._wait(event)
            if self._due(event):
                self.flush()
            elif len(self._waiting) == 1:
                self._lock.notify()

    def _show_published(self) -> None:
        """Show what others have recorded: it has happened, whether this turn can go on or not."""
        if self._problem is None:
            try:
                self._record()
            except TurnStopped as stopped:
                self._problem = stopped
        self._show_recorded()

    def end(self, ended: TurnEnded) -> None:
        """Record and show the end of the turn."""
        with self._lock:
            self._records.end(self._begun, self._waiting, ended)
            self._waiting.clear()
            self._show_end(ended)

    def give_up(self, message: str) -> TurnEnded:
        """End a turn that cannot go on, and return its end.

        It is shown also if it cannot be recorded.
        """
        return self._end_early(self._ended("failed", message))

    def end_stopped(self, message: str) -> TurnEnded:
        """End a turn that another command has stopped, and return its end; as `give_up`."""
        return self._end_early(replace(self._ended("cancelled", message), ended_by="stop"))

    def _ended(self, reason: StopReason, message: str) -> TurnEnded:
        return TurnEnded(
            reason,
            message,
            self._steps,
            self._prompt_tokens,
            self._completion_tokens,
            tuple(sorted(self._files)),
            observed=tuple(sorted(self._observed)),
        )

    def _end_early(self, ended: TurnEnded) -> TurnEnded:
        # The first failure is the one that is shown; a turn without an end is found by the next
        # command.
        with self._lock:
            with suppress(RecordsUnavailable):
                self._records.end(self._begun, self._waiting, ended)
            self._waiting.clear()
            self._show_end(ended)
        return ended

    def flush(self) -> None:
        """Record what waits, and show it."""
        with self._lock:
            events = tuple(self._waiting)
            last = self._record()
            if last is None:
                return
            # Numbers have no gaps: if there are no more than these, others have recorded nothing.
            if last == self._shown + len(events):
                self._show_all(enumerate(events, self._shown + 1))
            else:
                self._show_recorded()

    def _record(self) -> int | None:
        """Record what waits; return the number of the last event, None if nothing waits."""
        last = None
        if self._waiting:
            last = self._records.keep(self._begun, self._waiting)
            self._waiting.clear()

        self._characters = 0
        self._written_at = self._now()
        return last

    def _show_recorded(self) -> bool:
        """Show what is on record of the turn and was not shown; return whether its end was."""
        return self._show_all(self._records.recorded(self._begun, self._shown))

    def _show_all(self, recorded: Iterable[tuple[int, Event]]) -> bool:
        """Show these events, which are on record; return whether the turn's end is among them."""
        over = False
        for seq, event in recorded:
            self._shown = seq
            self._show(event, seq)
            over = over or isinstance(event, TurnEnded)
        return over

    def _show_end(self, ended: TurnEnded) -> None:
        """Show the end of the turn, also if it could not be recorded: then it has no number."""
        shown = False
        with suppress(RecordsUnavailable):
            shown = self._show_recorded()
        if not shown:
            self._show(ended, None)

    def _count(self, event: Event) -> None:
        match event:
            case StepStarted():
                self._steps = event.step
            case UsageReported():
                self._prompt_tokens += event.prompt
                self._completion_tokens += event.completion
            case CallEnded():
                self._files.update(event.modified)
            case EditObserved():
                self._files.add(event.path)
                self._observed.add(event.path)
            case _:
                pass

    def _wait(self, event: Event) -> None:
        last = None
        if self._waiting:
            last = self._waiting[-1]

        if isinstance(event, AgentCall) and _is_older_state(last, event):
            self._waiting[-1] = event
            return
        if not isinstance(event, TextArrived | ReasoningArrived):
            self._waiting.append(event)
            return

        self._characters += len(event.text)
        if isinstance(last, TextArrived | ReasoningArrived) and type(last) is type(event):
            self._waiting[-1] = type(event)(last.text + event.text)
        else:
            self._waiting.append(event)

    def _due(self, event: Event) -> bool:
        match event:
            case Said():
                # Its calls follow at once, and take it with them.
                return not event.calls
            case CallStarted() | CallEnded() | SentinelRaised() | Compacted() | RepairEnded():
                return True
            case AgentStateChanged() | AgentCall(status="done" | "failed"):
                return True
            case TextArrived() | ReasoningArrived() | AgentCall():
                if self._characters >= _MOST_CHARACTERS:
                    return True
                return self._now() - self._written_at >= _MOST_SECONDS
            case _:
                return False


def _is_older_state(last: Event | None, call: AgentCall) -> bool:
    """Return whether a call that waits is replaced by this one: each has the whole state."""
    return isinstance(last, AgentCall) and last.call_id == call.call_id
