"""Each guard's nudge and stop in a turn, and that there is never more than one of them in a step."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.guards.step_cap import StepCaps
from holdfast.loop.limits import LoopLimits
from holdfast.vocab.events import UsageReported
from holdfast.vocab.tool_calls import FailureKind, ToolCall
from holdfast.vocab.tool_outcome import ToolOutcome
from holdfast.vocab.transcript import AssistantSaid, Sentinel, ToolAnswered
from tests.loop.playing import (
    DONE,
    Pieces,
    Played,
    ScriptedTools,
    calls,
    nudges,
    play,
    reads,
    says,
)

READ = ("read_file", {"path": "a.py"})


def failing(*kinds: FailureKind | None) -> ScriptedTools:
    """Tools that fail in this way, one call after the other; at the end they succeed."""
    outcomes: Iterator[FailureKind | None] = iter(kinds)

    def outcome(call: ToolCall) -> ToolOutcome:
        failure = next(outcomes, None)
        return ToolOutcome(f"{failure or 'ok'}: {dict(call.arguments)}", failure)

    return ScriptedTools(outcome)


def different(count: int) -> list[Pieces]:
    """As many replies, each with another call."""
    return [calls(("search", {"pattern": f"word {n}"})) for n in range(count)]


def bodies(played: Played) -> list[tuple[str, dict[str, object]]]:
    return [(sentinel.kind, dict(sentinel.body)) for sentinel in played.sentinels]


def stored(played: Played) -> list[str]:
    """All texts that stay in the history."""
    return [message.text for message in played.model.asks[-1].messages[:-1]]


# ------------------------------------------------------------------------------------------------------------ mistakes


def test_three_failures_of_any_kind_are_nudged_once_in_the_next_payload_only() -> None:
    played = play([*different(5), DONE], failing("exec_error", "permission_denied", "exec_error"))
    assert [bool(nudge) for nudge in nudges(played)] == [False, False, False, True, False, False]
    assert "different approach" in nudges(played)[3]
    assert played.sentinels == [
        Sentinel(
            "mistake_recovery",
            "Hit repeated different errors — recovery guidance injected, continuing.",
            {
                "failure_kinds": ["exec_error", "permission_denied", "exec_error"],
                "count": 3,
                "escalated": False,
            },
        )
    ]
    assert not any("Note from Holdfast" in text for text in stored(played))


def test_three_more_failures_after_the_nudge_stop_the_turn_and_it_can_go_on() -> None:
    kinds: tuple[FailureKind, ...] = ("exec_error", "schema_reject", "permission_denied")
    played = play(different(9), failing(*kinds, *kinds))
    assert played.ended.stop_reason == "mistakes"
    assert played.ended.steps == 6
    assert played.sentinels[-1] == Sentinel(
        "mistake_recovery",
        "Repeated errors persisted — stopped the turn.",
        {"failure_kinds": list(kinds), "count": 3, "escalated": True, "can_continue": True},
    )


def test_a_success_after_the_nudge_forgives() -> None:
    bad: tuple[FailureKind, ...] = ("exec_error",) * 3
    played = play([*different(7), DONE], failing(*bad, None, *bad))
    assert played.ended.stop_reason == "done"
    assert [body["escalated"] for _, body in bodies(played)] == [False, False]


def test_outcomes_are_counted_call_by_call_in_their_order() -> None:
    three = [("search", {"pattern": f"w{n}"}) for n in range(3)]
    four = [("search", {"pattern": f"v{n}"}) for n in range(4)]
    tripped = play([calls(*three), DONE], failing(*(("exec_error",) * 3)))
    assert len(tripped.sentinels) == 1
    forgiven = play([calls(*four), DONE], failing("exec_error", "exec_error", "exec_error", None))
    assert forgiven.sentinels == []
    after = play([calls(*four), DONE], failing(None, "exec_error", "exec_error", "exec_error"))
    assert len(after.sentinels) == 1


def test_calls_that_cannot_be_read_are_mistakes() -> None:
    played = play(
        [calls(("no_such_tool", {})), calls(("write_file", "{")), calls(("read", "{")), DONE]
    )
    ((kind, body),) = bodies(played)
    assert kind == "mistake_recovery"
    assert body["count"] == 3


def test_the_same_unreadable_call_again_and_again_stops_on_mistakes() -> None:
    played = play([calls(("no_such_tool", {"a": 1}))])
    assert played.ended.stop_reason == "mistakes"
    assert [kind for kind, _ in bodies(played)] == ["mistake_recovery"] * 2


def test_the_same_call_that_its_tool_did_not_understand_stops_on_mistakes() -> None:
    played = play([reads("a.py")], failing(*(("schema_reject",) * 9)))
    assert played.ended.stop_reason == "mistakes"


# --------------------------------------------------------------------------------------------------------------- loops


def test_the_same_call_three_times_is_nudged_and_then_stopped() -> None:
    played = play([reads("a.py")])
    assert played.ended.stop_reason == "loop"
    assert played.ended.steps <= 8
    nudge, stop = played.sentinels
    assert dict(nudge.body) == {"pattern": "identical", "count": 3, "escalated": False}
    assert (stop.body["escalated"], stop.body["can_continue"]) == (True, True)
    assert [bool(text) for text in nudges(played)].count(True) == 1


def test_a_model_that_stops_repeating_itself_goes_on() -> None:
    played = play([*[reads("a.py")] * 3, *different(3), DONE])
    assert played.ended.stop_reason == "done"
    assert [kind for kind, _ in bodies(played)] == ["doom_loop"]


def test_edits_that_make_something_new_are_no_loop() -> None:
    writes = [calls(("write_file", {"path": "a.py", "text": f"x = {n}"}), READ) for n in range(40)]
    played = play([*writes, DONE])
    assert played.ended.stop_reason == "done"
    assert played.sentinels == []


def test_a_result_with_a_text_of_its_own_for_comparing_is_compared_by_it() -> None:
    numbers = iter(range(100))

    def outcome(call: ToolCall) -> ToolOutcome:
        return ToolOutcome(f"listed in {next(numbers)} ways", repeat="a.py")

    assert play([reads("a.py")], ScriptedTools(outcome)).ended.stop_reason == "loop"


# -------------------------------------------------------------------------------------------------------------- arbiter


def test_a_loop_nudge_holds_the_mistake_nudge_back_and_leaves_its_run_as_it_is() -> None:
    played = play([*[reads("a.py")] * 3, *different(1), DONE], failing(*(("exec_error",) * 4)))
    assert [(kind, body["count"]) for kind, body in bodies(played)] == [
        ("doom_loop", 3),
        ("mistake_recovery", 4),
    ]
    assert [bool(text) for text in nudges(played)] == [False, False, False, True, True]


def test_the_cap_comes_before_everything() -> None:
    played = play(
        [reads("a.py")], failing(*(("exec_error",) * 9)), limits=LoopLimits(StepCaps(hard=3))
    )
    assert [kind for kind, _ in bodies(played)] == ["cap_hit"]
    assert played.ended.stop_reason == "cap"


# --------------------------------------------------------------------------------------------------------------- budget


def test_the_soft_cap_is_lifted_by_progress_and_the_hard_one_is_not() -> None:
    writes = [calls(("write_file", {"path": "a.py", "text": f"x = {n}"})) for n in range(300)]
    played = play(writes)
    assert (played.ended.stop_reason, played.ended.steps) == ("cap", 200)


def test_without_progress_the_soft_cap_ends_the_turn() -> None:
    # Waiting is no loop, and brings nothing.
    waits = [calls(("run_command", {"command": f"sleep {n % 7 + 1}"})) for n in range(300)]
    played = play(
        waits,
        ScriptedTools(lambda call: ToolOutcome("exit 0")),
        limits=LoopLimits(StepCaps(soft=8, hard=200, recent=4)),
    )
    assert (played.ended.stop_reason, played.ended.steps) == ("cap", 8)


# --------------------------------------------------------------------------------------------------------------- prefix


def test_each_payload_of_sixty_steps_begins_with_the_one_before_apart_from_a_nudge() -> None:
    replies = [calls(("write_file", {"path": "a.py", "text": f"x = {n}"})) for n in range(60)]
    replies[10:13] = [calls((f"no_such_tool_{n}", {})) for n in range(3)]
    replies[30:33] = [reads("a.py")] * 3
    played = play([*replies, DONE], context=1_000_000)
    assert played.ended.stop_reason == "done"
    asks = played.model.asks
    assert len(asks) == 61
    assert sum(map(bool, nudges(played))) == 2
    for before, after, nudge in zip(asks, asks[1:], nudges(played), strict=False):
        kept = before.messages[:-1] if nudge else before.messages
        assert all(one is two for one, two in zip(kept, after.messages, strict=False))
        assert (before.tools, before.max_tokens) == (after.tools, after.max_tokens)


def test_no_sentinel_and_no_nudge_is_ever_part_of_what_stays() -> None:
    played = play([*[reads("a.py")] * 4, *different(4), DONE], failing(*(("exec_error",) * 4)))
    words = [sentinel.text for sentinel in played.sentinels]
    assert words
    for message in played.model.asks[-1].messages:
        assert isinstance(message.text, str)
        if isinstance(message, AssistantSaid | ToolAnswered):
            assert not any(word in message.text for word in words)
            assert "Note from Holdfast" not in message.text


def test_where_a_server_counts_nothing_a_note_is_in_the_estimate_of_its_request() -> None:
    played = play([says("Let me look at a.py."), DONE])
    first, second = played.of(UsageReported)
    assert len(played.model.asks) == 2
    assert second.prompt > first.prompt
