"""A step costs the same at the beginning and at the end of a long turn, in work and in memory."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from holdfast.guards.step_cap import StepCaps
from holdfast.loop.context.history import History
from holdfast.loop.limits import LoopLimits
from holdfast.loop.ports import (
    CallPiece,
    FinishPiece,
    ModelRequest,
    StreamPiece,
    TextPiece,
    UsagePiece,
)
from holdfast.loop.turn import run_turn
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import Event, StepStarted
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.tool_outcome import ToolOutcome
from holdfast.vocab.transcript import UserText
from tests.loop.playing import PROMPT, SYSTEM, Never, ScriptedTools
from tests.samples import WHOLE


class Forgetful:
    """A model that writes a file in each step and remembers nothing of what it was asked."""

    name = "forgetful"

    def __init__(self, context: int) -> None:
        self.context: int | None = context
        self.asked = 0

    def stream(self, ask: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        if not ask.tools:
            yield from (TextPiece("## Goal\nGo on."), FinishPiece("stop"))
            return
        self.asked += 1
        yield CallPiece(
            0,
            f"c{self.asked}",
            "write_file",
            f'{{"path": "a.py", "text": "{self.asked} {"x" * 400}"}}',
        )
        yield UsagePiece(len(ask.messages) * 140, 100)
        yield FinishPiece("tool_calls")


class Tools(ScriptedTools):
    """Tools that forget what they ran."""

    def run(self, call: ToolCall, cancel: Cancel) -> ToolOutcome:
        self.state = str(call.arguments["text"])
        return ToolOutcome("Written." + "y" * 600, modified=("a.py",))


class AtSteps:
    """Does something when a step starts."""

    def __init__(self, steps: dict[int, Any]) -> None:
        self.steps = steps

    def emit(self, event: Event) -> None:
        if isinstance(event, StepStarted) and event.step in self.steps:
            self.steps[event.step]()


def run(context: int, steps: int, at: dict[int, Any]) -> None:
    ended = run_turn(
        History((SYSTEM, UserText(PROMPT))),
        Forgetful(context),
        Tools(),
        AtSteps(at),
        LoopLimits(StepCaps(hard=steps)),
        Never(),
    )
    assert (ended.stop_reason, ended.steps) == ("cap", steps)


def test_a_step_does_as_much_work_at_the_end_as_at_the_beginning() -> None:
    work: list[int] = [0]
    marks: dict[int, int] = {}

    def count(frame: FrameType, event: str, argument: Any) -> None:
        if event in {"call", "c_call"}:
            work[0] += 1

    def mark(step: int) -> Any:
        return lambda: marks.__setitem__(step, work[0])

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run(10_000_000, 200, {step: mark(step) for step in (10, 20, 180, 190)})
    finally:
        sys.setprofile(before)
    early, late = marks[20] - marks[10], marks[190] - marks[180]
    assert late <= 1.05 * early


@pytest.mark.slow
@pytest.mark.skipif(not WHOLE, reason="takes a minute of a processor: `make soak` runs it")
def test_a_thousand_steps_take_no_more_memory_than_three_hundred() -> None:
    taken: list[int] = []

    def look() -> None:
        gc.collect()
        taken.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        run(16_000, 1_000, dict.fromkeys(range(300, 1_000, 25), look))
    finally:
        tracemalloc.stop()
    early, late = taken[:14], taken[14:]
    # Between two compactions the history grows; what it grows to stays the same.
    assert max(late) <= 1.1 * max(early)
