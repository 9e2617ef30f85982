"""Each class of reply, and the order of what happens in a turn."""

from __future__ import annotations

import json

import pytest

from holdfast.guards.open_matters import question
from holdfast.guards.step_cap import StepCaps
from holdfast.loop.context.history import History, rebuild
from holdfast.loop.limits import LoopLimits
from holdfast.loop.ports import (
    CallPiece,
    FinishPiece,
    ModelRequest,
    ReasoningPiece,
    RetryPiece,
    TextPiece,
)
from holdfast.loop.retry_policy import CUT, CUT_CALL, ONLY_THOUGHT
from holdfast.loop.retry_policy import EMPTY as EMPTY_NUDGE
from holdfast.vocab.events import (
    CallEnded,
    CallStarted,
    CommandRan,
    Retried,
    Said,
    StepStarted,
    TextArrived,
    TurnEnded,
    UsageReported,
)
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.tool_outcome import ToolOutcome
from holdfast.vocab.transcript import AssistantSaid, ToolAnswered, UserText
from tests.loop.playing import (
    DONE,
    EMPTY,
    PROMPT,
    SPECS,
    SYSTEM,
    Pieces,
    ScriptedTools,
    assert_valid,
    calls,
    fails,
    nudges,
    play,
    reads,
    says,
    thinks,
    using,
)

READ = ("read_file", {"path": "a.py"})
WRITE = ("write_file", {"path": "a.py", "text": "x = 2"})
CHANT: Pieces = (
    *(TextPiece("I will just end the turn. LOOP ") for _ in range(200)),
    FinishPiece("stop"),
)
NARRATED = says("Now let me write the file.")


def test_a_turn_reads_writes_and_says_so_with_every_fact_in_order() -> None:
    def outcome(call: ToolCall) -> ToolOutcome:
        if call.name == "read_file":
            return ToolOutcome("x = 1", read=("a.py",))
        ran = CommandRan("pytest", 0, "1 passed")
        return ToolOutcome("Written.", modified=("a.py",), events=(ran,))

    played = play(
        [
            using(100, calls(READ, text="I look first.")),
            using(120, calls(WRITE)),
            using(140, DONE),
        ],
        ScriptedTools(outcome),
    )
    assert played.kinds == [
        *("step_started", "text", "usage", "said", "call_started", "call_ended"),
        *("step_started", "usage", "said", "call_started", "command_ran", "call_ended"),
        *("step_started", "text", "usage", "said", "turn_ended"),
    ]
    assert played.ended == TurnEnded("done", "Done after 3 steps.", 3, 360, 30, ("a.py",))
    assert played.of(UsageReported)[0] == UsageReported(100, 10)


def test_the_questions_have_the_tools_the_history_and_what_came_of_the_calls() -> None:
    played = play([calls(READ, text="I look first."), DONE])
    call = ToolCall("call_0", "read_file", {"path": "a.py"})
    assert played.model.asks[0] == ModelRequest((SYSTEM, UserText(PROMPT)), SPECS, 4096)
    assert played.model.asks[1].messages == (
        SYSTEM,
        UserText(PROMPT),
        AssistantSaid("I look first.", (call,)),
        ToolAnswered("call_0", "read_file", 'ok: {"path": "a.py"}'),
    )


def test_calls_are_run_in_their_order_with_the_bad_ones_answered_in_their_place() -> None:
    played = play([calls(READ, ("write_file", "[1]"), ("no_such_tool", {}), WRITE), DONE])
    assert [call.name for call in played.tools.ran] == ["read_file", "write_file"]
    assert [(ended.name, ended.failure) for ended in played.of(CallEnded)] == [
        ("read_file", None),
        ("write_file", "schema_reject"),
        ("no_such_tool", "tool_not_found"),
        ("write_file", None),
    ]
    assert_valid(played.model.asks[1].messages)


def test_a_tool_that_is_switched_off_is_not_allowed_rather_than_unknown() -> None:
    tools = ScriptedTools(withheld=frozenset({"list_dir"}))
    played = play([calls(("list_dir", {"path": "."})), DONE], tools=tools)
    assert tools.ran == []
    (ended,) = played.of(CallEnded)
    assert ended.failure == "permission_denied"
    assert ended.text.startswith("list_dir is switched off in this session; the tools are: ")


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_call>',
        '{"name": "read_file", "arguments": {"path": "a.py"}}',
    ],
)
def test_a_call_written_as_text_runs_and_stands_in_the_history_as_a_call(text: str) -> None:
    played = play([says(text), DONE])
    assert [dict(call.arguments) for call in played.tools.ran] == [{"path": "a.py"}]
    said = played.model.asks[1].messages[2]
    assert isinstance(said, AssistantSaid)
    assert "tool_call" not in said.text
    assert [call.name for call in said.calls] == ["read_file"]
    assert_valid(played.model.asks[1].messages)


def test_an_empty_reply_is_asked_for_again_without_a_word_then_with_one() -> None:
    played = play([EMPTY, EMPTY, DONE])
    assert played.ended.stop_reason == "done"
    assert nudges(played) == ["", "", EMPTY_NUDGE]
    assert [step.step for step in played.of(StepStarted)] == [1, 2]
    assert [retried.reason for retried in played.of(Retried)] == ["the reply was empty"] * 2
    assert played.sentinels == []


def test_thoughts_without_words_are_distinguished_from_an_empty_reply() -> None:
    played = play([thinks("Hm."), thinks("Hm."), DONE])
    assert nudges(played) == ["", "", ONLY_THOUGHT]


def test_empty_replies_without_end_are_counted_nudged_and_stopped() -> None:
    played = play([EMPTY])
    assert played.ended.stop_reason == "mistakes"
    assert played.ended.message.endswith("The last error: the reply was empty.")
    assert len(played.model.asks) == 8
    assert [sentinel.body for sentinel in played.sentinels] == [
        {"failure_kinds": ["api_error"] * 3, "count": 3, "escalated": False},
        {"failure_kinds": ["api_error"] * 3, "count": 3, "escalated": True, "can_continue": True},
    ]


def test_a_call_ends_the_run_of_empty_replies() -> None:
    played = play([EMPTY, EMPTY, reads("a.py"), EMPTY, EMPTY, DONE])
    assert nudges(played) == ["", "", EMPTY_NUDGE, "", "", EMPTY_NUDGE]
    assert played.ended.stop_reason == "done"


def test_a_model_that_only_announces_an_action_is_nudged_twice_and_then_counts_as_mistaken() -> (
    None
):
    played = play([NARRATED])
    assert played.ended.stop_reason == "mistakes"
    (sentinel,) = played.sentinels
    assert sentinel.kind == "mistake_recovery"
    assert sentinel.body == {
        "failure_kinds": [],
        "count": 0,
        "announcements": 3,
        "escalated": True,
        "can_continue": True,
    }
    assert [bool(nudge) for nudge in nudges(played)] == [False, True, True]
    assert "Now let me write the file." in nudges(played)[1]
    assert played.of(Said) == [Said("Now let me write the file.")]


def test_a_model_that_was_nudged_to_make_the_call_makes_it() -> None:
    played = play([NARRATED, calls(WRITE), DONE])
    assert [call.name for call in played.tools.ran] == ["write_file"]
    assert all(
        "[Note" not in getattr(message, "text", "") for message in played.model.asks[2].messages
    )


def test_a_cut_reply_never_changes_anything_and_its_read_only_calls_run() -> None:
    played = play([calls(READ, WRITE, finish="length"), DONE])
    assert [call.name for call in played.tools.ran] == ["read_file"]
    answer = played.of(CallEnded)[1]
    assert (answer.name, answer.failure) == ("write_file", "schema_reject")
    assert "cut short" in answer.text
    left_open = question(played.ended.unresolved)
    assert nudges(played) == ["", CUT_CALL, left_open]
    assert_valid(played.model.asks[1].messages)


def test_a_call_cut_in_the_middle_of_its_text_is_not_run() -> None:
    cut: Pieces = (
        CallPiece(0, "c", "write_file", '{"path": "a.py", "text": "def main():\\n    ret'),
        FinishPiece("length"),
    )
    played = play([cut, DONE])
    assert played.tools.ran == []
    assert_valid(played.model.asks[1].messages)


def test_words_that_were_cut_are_asked_for_in_smaller_pieces() -> None:
    played = play([(TextPiece("To explain this in full, " * 9), FinishPiece("length")), DONE])
    assert nudges(played) == ["", CUT]
    assert played.of(Said) == [Said("The off-by-one in a.py is fixed.")]


def test_words_that_are_cut_each_time_stop_the_turn_on_mistakes() -> None:
    played = play([(TextPiece("To explain this in full:"), FinishPiece("length"))])
    assert played.ended.stop_reason == "mistakes"


@pytest.mark.parametrize("kind", ["server", "cut", "bad"])
def test_a_server_that_fails_once_is_asked_again_without_a_word(kind: str) -> None:
    played = play([fails(kind, "the server is busy"), DONE])
    assert played.ended.stop_reason == "done"
    assert played.of(Retried) == [Retried("the server is busy")]
    assert len(played.of(StepStarted)) == 1


def test_a_server_that_fails_on_and_on_is_a_mistake_each_second_time() -> None:
    played = play([fails("server")])
    assert played.ended.stop_reason == "mistakes"
    assert len(played.model.asks) == 12
    assert [sentinel.body["failure_kinds"] for sentinel in played.sentinels] == [
        ["api_error"] * 3
    ] * 2


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("unreachable", "unreachable"), ("login", "needs_login"), ("refused", "failed")],
)
def test_what_cannot_pass_stops_the_turn_at_once_with_the_words_of_the_server(
    kind: str, reason: str
) -> None:
    played = play([fails(kind, "nothing listens on port 1; start the server.")])
    assert len(played.model.asks) == 1
    message = "nothing listens on port 1; start the server."
    assert played.ended == TurnEnded(reason, message, 1, 0, 0)  # type: ignore[arg-type]


def test_a_reply_of_which_only_a_part_came_is_dropped() -> None:
    played = play([(TextPiece("I will n"), *fails("cut", "the stream ended early")), DONE])
    assert played.of(Said) == [Said("The off-by-one in a.py is fixed.")]


def test_a_retry_of_the_adapter_is_shown() -> None:
    played = play([(RetryPiece("the server was busy"), *DONE)])
    assert played.of(Retried) == [Retried("the server was busy")]


def test_a_model_that_repeats_itself_is_cut_and_asked_once_more_with_changed_sampling() -> None:
    played = play([CHANT, DONE])
    assert [ask.sampling for ask in played.model.asks] == ["usual", "changed"]
    assert played.ended.stop_reason == "done"
    assert [sentinel.kind for sentinel in played.sentinels] == ["chant"]
    assert len([event for event in played.events if event.kind == "text"]) < 100
    assert played.model.closed == 2
    assert played.of(Said) == [Said("The off-by-one in a.py is fixed.")]


def test_a_model_that_goes_on_repeating_itself_stops_on_mistakes() -> None:
    played = play([CHANT])
    assert played.ended.stop_reason == "mistakes"
    assert [ask.sampling for ask in played.model.asks] == ["usual", "changed"] * 6


def test_reasoning_is_shown_and_kept_beside_what_was_said() -> None:
    played = play([(ReasoningPiece("Hm."), *DONE)])
    assert "reasoning" in played.kinds
    assert played.of(Said)[0].reasoning == "Hm."


def test_an_end_that_might_have_been_a_call_is_shown_when_it_was_none() -> None:
    played = play([says("The line is fixed: x <")])
    assert played.of(TextArrived) == [TextArrived("The line is fixed: x "), TextArrived("<")]
    assert played.of(Said) == [Said("The line is fixed: x <")]


def test_a_call_that_needs_somebody_ends_the_turn_with_the_rest_answered() -> None:
    def outcome(call: ToolCall) -> ToolOutcome:
        if call.name == "run_command":
            return ToolOutcome("Not run: it needs approval.", "permission_denied", unanswered=True)
        return ToolOutcome("ok")

    played = play(
        [calls(READ, ("run_command", {"command": "rm -r ."}), WRITE)], ScriptedTools(outcome)
    )
    assert played.ended.stop_reason == "needs_approval"
    assert [call.name for call in played.tools.ran] == ["read_file", "run_command"]
    assert [ended.text for ended in played.of(CallEnded)] == [
        "ok",
        "Not run: it needs approval.",
        "Not run: the turn stopped at an earlier call that needs approval.",
    ]
    assert [sentinel.kind for sentinel in played.sentinels] == ["needs_approval"]


def test_a_call_that_was_not_understood_is_not_started() -> None:
    played = play([calls(("write_file", "{")), DONE])
    assert played.of(CallStarted) == []


def test_arguments_that_are_wrong_twice_are_asked_for_by_schema_once() -> None:
    bad = calls(("write_file", '{"path": 1 2}'))
    played = play([bad, bad, calls(WRITE), DONE])
    assert [ask.force for ask in played.model.asks] == [None, None, "write_file", None]


def test_a_long_answer_is_cut_to_what_a_small_context_can_hold() -> None:
    played = play(
        [reads("a.py"), DONE], ScriptedTools(lambda call: ToolOutcome("x" * 100_000)), context=4096
    )
    (ended,) = played.of(CallEnded)
    assert len(ended.text) < 4096 * 4 * 0.35
    assert "characters left out" in ended.text


def test_the_reply_may_take_a_quarter_of_a_small_context() -> None:
    assert play([DONE], context=4096).model.asks[0].max_tokens == 1024


def test_tokens_are_estimated_where_the_server_does_not_count() -> None:
    (used,) = play([DONE]).of(UsageReported)
    assert used.estimated
    assert used.prompt > 10
    assert used.completion > 5


def test_the_last_step_has_no_tools_and_says_where_things_stand() -> None:
    played = play(
        [*(reads(f"{n}.py") for n in range(4)), says("Half of it is done.")],
        limits=LoopLimits(StepCaps(hard=4)),
    )
    assert played.ended.stop_reason == "cap"
    assert played.ended.steps == 4
    assert [bool(ask.tools) for ask in played.model.asks] == [True] * 4 + [False]
    assert "no tool is available" in nudges(played)[-1]
    assert played.of(Said)[-1] == Said("Half of it is done.")
    (sentinel,) = played.sentinels
    assert (sentinel.kind, dict(sentinel.body)) == ("cap_hit", {"steps": 4, "can_continue": True})
    assert played.kinds[-3:] == ["said", "sentinel", "turn_ended"]


def test_a_call_in_the_last_words_is_not_run() -> None:
    played = play([reads("a.py"), calls(WRITE)], limits=LoopLimits(StepCaps(hard=1)))
    assert [call.name for call in played.tools.ran] == ["read_file"]
    assert played.ended.stop_reason == "cap"


def test_the_tree_is_looked_at_only_after_what_may_change_it() -> None:
    played = play([reads("a.py"), reads("b.py"), calls(WRITE), DONE])
    assert played.tools.looked == 2


def test_what_was_stored_gives_back_what_the_turn_would_have_sent_next() -> None:
    played = play([EMPTY, calls(READ, ("write_file", "{")), NARRATED, calls(WRITE), DONE])
    start: list[UserText] = [UserText(PROMPT)]
    again = rebuild([*start, *played.events], SYSTEM)
    sent = played.model.asks[-1].messages
    assert again.messages[: len(sent)] == sent
    assert again.messages[len(sent) :] == (AssistantSaid("The off-by-one in a.py is fixed."),)


def test_a_continued_turn_starts_with_the_bytes_of_the_last_and_fresh_guards() -> None:
    bad = [calls((f"no_such_tool_{n}", {})) for n in range(6)]
    first = play(bad)
    assert first.ended.stop_reason == "mistakes"
    history = rebuild([UserText(PROMPT), *first.events], SYSTEM)
    assert isinstance(history.messages[-1], ToolAnswered)
    second = play([*bad[:2], DONE], history=history)
    assert second.ended.stop_reason == "done"
    assert second.sentinels == []
    last = first.model.asks[-1].messages
    assert second.model.asks[0].messages[: len(last)] == (
        *last[:-1],
        history.messages[len(last) - 1],
    )


def test_arguments_in_the_history_are_json_whatever_the_model_wrote() -> None:
    played = play([calls(("write_file", '{"path": "a.py", "text": "x')), DONE])
    said = played.model.asks[1].messages[2]
    assert isinstance(said, AssistantSaid)
    assert isinstance(json.loads(json.dumps(dict(said.calls[0].arguments))), dict)


def test_a_history_without_rules_or_ledger_is_enough_to_start() -> None:
    assert play([DONE], history=History((UserText("Hello."),))).ended.stop_reason == "done"
