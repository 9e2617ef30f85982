from __future__ import annotations

from collections.abc import Sequence

import pytest

from holdfast.usecases.turns.ports import BeginOutcome, RecordsUnavailable, TurnBegun, TurnRequest
from holdfast.usecases.turns.recorder import TurnRecorder
from holdfast.vocab.events import (
    CallEnded,
    CallStarted,
    EditRefused,
    Event,
    Said,
    StepStarted,
    TextArrived,
    TurnEnded,
    UsageReported,
)
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import StopReason

BEGUN = TurnBegun("s", "c", "t", "m", "", ())
CALL = ToolCall("1", "read_file", {"path": "a"})
OVER = TurnEnded("done", "Done.", 1, 1, 1)


class _Records:
    """Remembers each transaction."""

    def __init__(self) -> None:
        self.kept: list[list[Event]] = []
        self.ended: StopReason | None = None

    def begin(self, opening: TurnRequest) -> BeginOutcome:
        return BEGUN

    def keep(self, begun: TurnBegun, events: Sequence[Event]) -> None:
        self.kept.append(list(events))

    def end(self, begun: TurnBegun, events: Sequence[Event], stop_reason: StopReason) -> None:
        self.kept.append(list(events))
        self.ended = stop_reason

    def mark_interrupted(self) -> tuple[str, ...]:
        return ()


def _record(*events: Event, seconds: float = 0.0) -> _Records:
    records, clock = _Records(), iter(range(1_000_000))
    recorder = TurnRecorder(BEGUN, records, lambda _: None, lambda: next(clock) * seconds)
    for event in events:
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
    records = _record(*[TextArrived("x" * 100)] * 30, Said("x" * 3000), OVER)
    assert [[type(event).__name__ for event in each] for each in records.kept] == [
        ["TextArrived"],
        ["TextArrived", "Said"],
        ["TurnEnded"],
    ]
    assert records.kept[0] == [TextArrived("x" * 2000)]


def test_a_slow_stream_is_recorded_as_it_comes() -> None:
    records = _record(TextArrived("a"), TextArrived("b"), Said("ab"), OVER, seconds=1.0)
    assert records.kept[:2] == [[TextArrived("a")], [TextArrived("b")]]


class _Broken(_Records):
    """Records nothing any more."""

    def keep(self, begun: TurnBegun, events: Sequence[Event]) -> None:
        raise RecordsUnavailable("the disk is full")

    def end(self, begun: TurnBegun, events: Sequence[Event], stop_reason: StopReason) -> None:
        raise RecordsUnavailable("the disk is still full")


def test_a_turn_that_cannot_be_recorded_still_ends_and_says_what_it_did() -> None:
    shown: list[Event] = []
    recorder = TurnRecorder(BEGUN, _Broken(), shown.append, lambda: 0.0)
    recorder.emit(StepStarted(1))
    recorder.emit(UsageReported(7, 3))
    with pytest.raises(RecordsUnavailable, match="the disk is full"):
        recorder.emit(CallEnded("1", "write_file", "ok", modified=("a.py",)))
    ended = recorder.give_up("The disk is full.")
    assert ended == TurnEnded("failed", "The disk is full.", 1, 7, 3, ("a.py",))
    assert shown[-1] == ended


def test_a_turn_that_is_given_up_is_on_record_as_failed_if_it_can_be() -> None:
    records = _Records()
    ended = TurnRecorder(BEGUN, records, lambda _: None, lambda: 0.0).give_up("An error.")
    assert (records.kept, records.ended) == ([[ended]], "failed")


def test_everything_is_shown_at_once() -> None:
    shown: list[Event] = []
    recorder = TurnRecorder(BEGUN, _Records(), shown.append, lambda: 0.0)
    for event in (TextArrived("a"), UsageReported(1, 2), OVER):
        recorder.emit(event)
    assert shown == [TextArrived("a"), UsageReported(1, 2), OVER]
