"""A cancel takes effect at the next piece, before the next tool and before the next step, and leaves a valid history."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from holdfast.loop.context.history import rebuild
from holdfast.loop.ports import FinishPiece, ModelRequest, TextPiece
from holdfast.vocab.events import CallEnded, Compacted, Event, Said
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.tool_outcome import ToolOutcome
from holdfast.vocab.transcript import UserText
from tests.loop.playing import (
    DONE,
    PROMPT,
    SYSTEM,
    Pieces,
    Played,
    ScriptedTools,
    Switch,
    assert_valid,
    calls,
    fails,
    play,
    reads,
    says,
)

TWO = calls(("read_file", {"path": "a.py"}), ("write_file", {"path": "a.py", "text": "x"}))


def cancelled_at(kind: str, replies: list[object] | None = None) -> Played:
    switch = Switch()

    def watch(event: Event) -> None:
        if event.kind == kind:
            switch.on = True

    played = play(replies or [TWO, DONE], cancel=switch, then=watch)  # type: ignore[arg-type]
    continued = rebuild([UserText(PROMPT), *played.events, UserText("Go on.")], SYSTEM)
    assert_valid(continued.messages)
    return played


def test_a_turn_that_is_cancelled_before_it_starts_asks_nothing() -> None:
    played = play([DONE], cancel=Switch(on=True))
    assert (played.ended.stop_reason, played.ended.steps, played.model.asks) == ("cancelled", 0, [])


def test_a_cancel_in_the_middle_of_the_stream_ends_the_request_and_keeps_what_was_said() -> None:
    words = [TextPiece(f"word{n} ") for n in range(50)]
    played = cancelled_at("text", [(*words, FinishPiece("stop"))])
    assert played.ended.stop_reason == "cancelled"
    assert played.model.closed == 1
    assert [event.kind for event in played.events].count("text") <= 2
    assert played.of(Said) == [Said("word0")]


def test_a_cancel_while_a_call_is_written_runs_nothing() -> None:
    played = cancelled_at("step_started")
    assert played.ended.stop_reason == "cancelled"
    assert played.tools.ran == []
    assert played.of(Said) == []


def test_a_cancel_during_the_first_tool_leaves_the_second_unrun_and_answered() -> None:
    played = cancelled_at("call_started")
    assert [call.name for call in played.tools.ran] == ["read_file"]
    assert [ended.text for ended in played.of(CallEnded)] == [
        'ok: {"path": "a.py"}',
        "Not run: the user cancelled the turn.",
    ]
    assert played.ended.stop_reason == "cancelled"


def test_a_cancel_before_the_tools_answers_them_all() -> None:
    played = cancelled_at("said")
    assert played.tools.ran == []
    assert [ended.text for ended in played.of(CallEnded)] == [
        "Not run: the user cancelled the turn."
    ] * 2


def test_a_cancel_between_two_steps_starts_no_other() -> None:
    played = cancelled_at("call_ended", [reads("a.py"), DONE])
    assert (played.ended.stop_reason, played.ended.steps) == ("cancelled", 1)


def test_a_cancel_that_the_adapter_noticed_first_is_the_same() -> None:
    played = play([(TextPiece("I look"), *fails("cancelled"))])
    assert played.ended.stop_reason == "cancelled"
    assert played.sentinels == []
    assert played.of(Said) == [Said("I look")]


def test_a_cancel_is_no_mistake() -> None:
    switch = Switch()

    def outcome(call: ToolCall) -> ToolOutcome:
        switch.on = True
        return ToolOutcome("Ended: the user cancelled the turn.", "exec_error")

    played = play([TWO], ScriptedTools(outcome), cancel=switch)
    assert (played.ended.stop_reason, played.sentinels) == ("cancelled", [])


def test_a_cancel_while_the_history_is_summarised_costs_nothing_of_it() -> None:
    switch = Switch()

    def summary(ask: ModelRequest) -> Pieces:
        switch.on = True
        return says("## Goal\nx")

    writes = [
        calls(("write_file", {"path": "a.py", "text": f"y = {n}\n" * 150})) for n in range(60)
    ]
    played = play(writes, context=8_000, summary=summary, cancel=switch)
    assert len(played.model.summaries) == 1
    assert played.ended.stop_reason == "cancelled"
    assert played.of(Compacted) == []


@pytest.mark.parametrize(
    "kind", ["step_started", "text", "usage", "said", "call_started", "call_ended", "sentinel"]
)
def test_wherever_the_cancel_falls_the_turn_ends_at_once(kind: str) -> None:
    replies: list[object] = [calls(("read_file", {"path": "a.py"}), text="I look.")]
    played = cancelled_at(kind, replies)
    assert played.ended.stop_reason == "cancelled"
    when: Callable[[Event], bool] = lambda event: event.kind == kind  # noqa: E731 - said once
    first = next(at for at, event in enumerate(played.events) if when(event))
    assert "step_started" not in played.kinds[first + 1 :]
