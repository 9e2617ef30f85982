from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import pytest

from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.turns.ports import BeginOutcome, TurnBegun, TurnRequest
from holdfast.usecases.turns.recorder import TurnRecorder
from holdfast.vocab.agent_events import AgentCall
from holdfast.vocab.cancellation import TurnStopped
from holdfast.vocab.change_events import ChangeMoved, EditLanded
from holdfast.vocab.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    CheckpointTaken,
    EditRefused,
    Event,
    Said,
    StepStarted,
    TextArrived,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import StopReason
from tests.waiting import wait_until

BEGUN = TurnBegun("s", "c", "t", "m", "", ())
CALL = ToolCall("1", "read_file", {"path": "a"})
OVER = TurnEnded("done", "Done.", 1, 1, 1)


class _Records:
    """Remembers each transaction."""

    def __init__(self) -> None:
        self.kept: list[list[Event]] = []
        self.log: list[Event] = []
        self.ended: StopReason | None = None

    def recorded(self, begun: TurnBegun, after: int) -> Sequence[tuple[int, Event]]:
        return list(enumerate(self.log, 1))[after:]

    def begin(
        self, opening: TurnRequest, announce: Callable[[TurnBegun], Sequence[Event]]
    ) -> BeginOutcome:
        return BEGUN

    def looking(self, begun: TurnBegun) -> AbstractContextManager[Callable[[], str | None]]:
        return nullcontext(lambda: None)

    def keep(self, begun: TurnBegun, events: Sequence[Event]) -> int:
        self.kept.append(list(events))
        self.log += events
        return 1

    def end(self, begun: TurnBegun, events: Sequence[Event], ended: TurnEnded) -> int:
        self.kept.append([*events, ended])
        self.log += [*events, ended]
        self.ended = ended.stop_reason
        return 1

    def mark_interrupted(self, events: Sequence[Event], ended: TurnEnded) -> tuple[str, ...]:
        return ()


def _record(*events: Event, seconds: float = 0.0) -> _Records:
    records, clock = _Records(), iter(range(1_000_000))
    recorder = TurnRecorder(BEGUN, records, lambda *_: None, lambda: next(clock) * seconds)
    for event in events:
        if isinstance(event, TurnEnded):
            recorder.end(event)
        else:
            recorder.emit(event)
    return records


def test_a_call_is_on_record_before_it_is_run_and_its_outcome_before_the_next() -> None:
    refused = EditRefused("a", "not_found", "no")
    said = Said("", calls=(CALL,))
    records = _record(
        StepStarted(1), said, CallStarted(CALL), refused, CallEnded("1", "read_file", "x"), OVER
    )
    assert records.kept == [
        [StepStarted(1), said, CallStarted(CALL)],
        [refused, CallEnded("1", "read_file", "x")],
        [OVER],
    ]
    assert records.ended == "done"


def test_the_stream_is_recorded_in_pieces_not_letter_by_letter() -> None:
    said = Said("x" * 5000)
    records = _record(*[TextArrived("x" * 100)] * 50, said, OVER)
    assert records.kept == [
        [TextArrived("x" * 2000)],
        [TextArrived("x" * 2000)],
        [TextArrived("x" * 1000), said],
        [OVER],
    ]


def test_a_slow_stream_is_recorded_as_it_comes() -> None:
    records = _record(TextArrived("a"), TextArrived("b"), Said("ab"), OVER, seconds=1.0)
    assert records.kept[:2] == [[TextArrived("a")], [TextArrived("b")]]


class _Broken(_Records):
    """Records nothing any more."""

    def stop_asked(self, begun: TurnBegun) -> str | None:
        return None

    def keep(self, begun: TurnBegun, events: Sequence[Event]) -> int:
        raise RecordsUnavailable("the disk is full")

    def end(self, begun: TurnBegun, events: Sequence[Event], ended: TurnEnded) -> int:
        raise RecordsUnavailable("the disk is still full")


def test_a_turn_that_cannot_be_recorded_still_ends_and_says_what_it_did() -> None:
    shown = _Shown()
    recorder = TurnRecorder(BEGUN, _Broken(), shown, lambda: 0.0)
    recorder.emit(StepStarted(1))
    recorder.emit(UsageReported(7, 3))
    with pytest.raises(RecordsUnavailable, match="the disk is full"):
        recorder.emit(CallEnded("1", "write_file", "ok", modified=("a.py",)))
    ended = recorder.give_up("The disk is full.")
    assert ended == TurnEnded("failed", "The disk is full.", 1, 7, 3, ("a.py",))
    assert shown == [(ended, None)]


class _Shown(list[tuple[Event, int | None]]):
    """What was shown, with its numbers."""

    def __call__(self, event: Event, seq: int | None) -> None:
        self.append((event, seq))


def test_a_turn_that_is_given_up_is_on_record_as_failed_if_it_can_be() -> None:
    records = _Records()
    ended = TurnRecorder(BEGUN, records, lambda *_: None, lambda: 0.0).give_up("An error.")
    assert (records.kept, records.ended) == ([[ended]], "failed")


def test_nothing_is_shown_before_it_is_on_record_with_its_number() -> None:
    shown = _Shown()
    recorder = TurnRecorder(BEGUN, _Records(), shown, lambda: 0.0)
    for event in (TextArrived("a"), UsageReported(1, 2)):
        recorder.emit(event)
    assert shown == []
    recorder.end(OVER)
    assert shown == [(TextArrived("a"), 1), (UsageReported(1, 2), 2), (OVER, 3)]


def test_what_waits_is_recorded_in_time_though_nothing_else_happens() -> None:
    shown = _Shown()
    records = _Records()
    recorder = TurnRecorder(BEGUN, records, shown, lambda: 0.0)
    with recorder.flushing():
        recorder.emit(TextArrived("a"))
        assert wait_until(lambda: len(shown) == 1)
        recorder.emit(TextArrived("b"))
        assert wait_until(lambda: len(shown) == 2)
    assert records.kept == [[TextArrived("a")], [TextArrived("b")]]


def test_what_could_not_be_recorded_in_time_fails_the_turn_itself() -> None:
    recorder = TurnRecorder(BEGUN, _Broken(), lambda *_: None, lambda: 0.0)
    with recorder.flushing():
        recorder.emit(TextArrived("a"))

        def fails() -> bool:
            try:
                recorder.emit(StepStarted(1))
            except RecordsUnavailable:
                return True
            return False

        assert wait_until(fails)


def test_after_a_stop_what_others_have_published_is_shown_and_nothing_more_is_recorded() -> None:
    class _Stopped(_Records):
        """Another command has stopped the turn."""

        def keep(self, begun: TurnBegun, events: Sequence[Event]) -> int:
            self.kept.append(list(events))
            raise TurnStopped("Stopped.")

    records, shown = _Stopped(), _Shown()
    recorder = TurnRecorder(BEGUN, records, shown, lambda: 0.0)
    recorder.emit(StepStarted(1))
    for event in (ChangeMoved("c", "applied"), ChangeMoved("d", "applied")):
        records.log.append(event)
        recorder.emit(event)
    assert records.kept == [[StepStarted(1)]]
    assert [event for event, _ in shown] == records.log
    with pytest.raises(TurnStopped):
        recorder.emit(StepStarted(2))


def test_what_a_use_case_has_published_is_shown_and_not_recorded_again() -> None:
    records, shown = _Records(), _Shown()
    recorder = TurnRecorder(BEGUN, records, shown, lambda: 0.0)
    published: list[Event] = [
        TurnStarted("s", "t", "m", "Go."),
        CheckpointTaken("k"),
        ChangeMoved("c", "applied"),
        EditLanded("a", "edit", "exact", 1.0, "", "c"),
        ApprovalAsked("command", "make", "why", "q"),
        ApprovalGiven("make", "once", "q"),
    ]
    for event in published:
        records.log.append(event)
        recorder.emit(event)
    recorder.flush()
    assert records.kept == []
    assert shown == [(event, number) for number, event in enumerate(published, 1)]


def test_states_of_one_call_of_an_agent_that_follow_each_other_are_one() -> None:
    running = AgentCall("c1", "Edit", "edit", "running")
    records = _record(
        TextArrived("first"),
        AgentCall("c1", "Edit", "edit", "pending"),
        running,
        AgentCall("c2", "Edit", "edit", "pending"),
        TextArrived("a"),
        AgentCall("c2", "Edit", "edit", "running"),
        OVER,
    )
    assert records.log[:-1] == [
        TextArrived("first"),
        running,
        AgentCall("c2", "Edit", "edit", "pending"),
        TextArrived("a"),
        AgentCall("c2", "Edit", "edit", "running"),
    ]
