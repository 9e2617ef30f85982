"""Compaction inside a turn: when it starts, what survives it, and when it is given up."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.guards.step_cap import StepCaps
from holdfast.loop.context.history import rebuild
from holdfast.loop.context.token_count import weigh
from holdfast.loop.limits import LoopLimits
from holdfast.loop.ports import ModelRequest
from holdfast.vocab.events import Compacted, Event, Retried, UsageReported
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.tool_outcome import ToolOutcome
from holdfast.vocab.transcript import SystemText, UserText
from tests.loop.playing import (
    DONE,
    PROMPT,
    SYSTEM,
    Pieces,
    Played,
    ScriptedTools,
    assert_valid,
    calls,
    fails,
    play,
    says,
    using,
)

SUMMARY = says("## Goal\nMend it.\n## Next Steps\nLook on.\n## Files Read\n- made/up.py\n")


def outcome(call: ToolCall) -> ToolOutcome:
    path = str(call.arguments.get("path", ""))
    if call.name == "read_file":
        return ToolOutcome(f"{path}\n" + "x = 1\n" * 200, read=(path,))
    return ToolOutcome("Written.", modified=(path,))


def reading(start: int, count: int) -> list[Pieces]:
    return [calls(("read_file", {"path": f"src/{n:03}.py"})) for n in range(start, start + count)]


def writing(start: int, count: int) -> list[Pieces]:
    """Replies that are long themselves: there is no output to prune."""
    return [
        calls(("write_file", {"path": f"out/{n:03}.py", "text": f"y = {n}\n" * 150}))
        for n in range(start, start + count)
    ]


def compactions(played: Played) -> list[Compacted]:
    return played.of(Compacted)


def assert_every_payload_valid(asks: Sequence[ModelRequest]) -> None:
    for ask in asks:
        assert_valid(ask.messages)


def test_a_turn_longer_than_the_context_ends_well_with_the_ledger_intact_after_many_compactions() -> (
    None
):
    played = play(
        [*reading(0, 10), *writing(0, 30), *reading(10, 10), *writing(30, 30), DONE],
        ScriptedTools(outcome),
        context=8_000,
        summary=SUMMARY,
    )
    assert played.ended.stop_reason == "done"
    summarised = [done for done in compactions(played) if done.summary]
    assert len(summarised) >= 3
    last = summarised[-1]
    for n in range(20):
        assert f"- src/{n:03}.py" in last.summary or "- src/ (20 files)" in last.summary
    assert "out/" in last.summary
    assert "made/up.py" not in last.summary
    assert PROMPT in last.summary
    assert set(last.read) == {f"src/{n:03}.py" for n in range(20)}
    assert last.summary.count("## Files Read") == last.summary.count("## Files Modified") == 1
    assert_every_payload_valid(played.model.asks)
    assert max(sum(map(weigh, ask.messages)) for ask in played.model.asks) < 8_000


def test_two_compactions_in_a_row_keep_every_path_in_sorted_order() -> None:
    played = play(
        [*reading(0, 3), *writing(0, 80), DONE],
        ScriptedTools(outcome),
        context=16_000,
        summary=SUMMARY,
    )
    summarised = [done for done in compactions(played) if done.summary]
    assert len(summarised) >= 2
    for done in summarised:
        read = done.summary.partition("## Files Read\n")[2].partition("\n\n")[0]
        assert read == "- src/000.py\n- src/001.py\n- src/002.py"
        modified = done.summary.partition("## Files Modified\n")[2].partition("\n\n")[0].split("\n")
        assert modified == sorted(modified) == [f"- {path}" for path in done.modified]
    assert set(summarised[0].modified) < set(summarised[1].modified)


def test_old_output_is_dropped_before_a_model_is_asked_for_a_summary() -> None:
    played = play([*reading(0, 24), DONE], ScriptedTools(outcome), context=10_000, summary=SUMMARY)
    first = compactions(played)[0]
    assert first.summary == ""
    assert played.model.summaries == []
    assert first.tokens_after <= 0.75 * first.tokens_before
    assert [sentinel.kind for sentinel in played.sentinels] == ["compaction"]
    at = played.events.index(first)
    assert played.events[at + 1].kind == "sentinel"


def test_what_was_stored_gives_back_the_payload_after_any_number_of_compactions() -> None:
    seen: list[Event] = []
    played = play(
        [*reading(0, 24), *writing(0, 40), DONE],
        ScriptedTools(outcome),
        context=8_000,
        summary=SUMMARY,
        then=seen.append,
    )
    assert any(done.summary for done in compactions(played))
    assert any(not done.summary for done in compactions(played))
    again = rebuild([UserText(PROMPT), *seen], SYSTEM)
    sent = played.model.asks[-1].messages
    assert again.messages[: len(sent)] == sent
    assert set(again.ledger.read) == {f"src/{n:03}.py" for n in range(24)}
    assert set(again.ledger.modified) == {f"out/{n:03}.py" for n in range(40)}
    assert again.prompts == (PROMPT,)


def test_a_prompt_too_long_for_the_server_is_made_shorter_and_asked_again_in_the_same_step() -> (
    None
):
    overflowed: list[int] = []

    def reply(ask: ModelRequest) -> Pieces:
        if sum(map(weigh, ask.messages)) > 3_000:
            overflowed.append(1)
            return fails("overflow", "the prompt has 3500 tokens, 3000 fit")
        return next(rest)

    rest = iter([*writing(0, 20), DONE])
    played = play([reply], ScriptedTools(outcome), context=100_000, summary=SUMMARY)
    assert played.ended.stop_reason == "done"
    # Once is enough: after the first overflow we know what fits.
    assert len(overflowed) == 1
    assert played.of(Retried) == [
        Retried("the conversation was too long for the model and was made shorter")
    ]
    assert_every_payload_valid(played.model.asks)


def test_what_cannot_be_made_shorter_ends_the_turn_and_says_so() -> None:
    played = play([fails("overflow")], context=8_000, summary=SUMMARY)
    assert played.ended.stop_reason == "failed"
    assert "larger context" in played.ended.message
    assert len(played.model.asks) <= 4


def test_a_server_that_silently_drops_the_front_is_noticed() -> None:
    def reply(ask: ModelRequest) -> Pieces:
        sent = sum(map(weigh, ask.messages))
        return using(min(sent, 2_048), next(rest))

    rest = iter([*writing(0, 30), DONE])
    played = play([reply], ScriptedTools(outcome), context=32_000, summary=SUMMARY)
    assert played.ended.stop_reason == "done"
    assert len(compactions(played)) >= 2
    tail = played.model.asks[-5:]
    assert all(sum(map(weigh, ask.messages)) <= 2_048 for ask in tail)


def test_a_summary_the_server_could_not_write_is_made_without_it() -> None:
    played = play(
        [*writing(0, 40), DONE], ScriptedTools(outcome), context=8_000, summary=fails("server")
    )
    assert played.ended.stop_reason == "done"
    summary = compactions(played)[-1].summary
    assert "- write_file out/" in summary
    assert PROMPT in summary


def test_two_useless_passes_switch_compaction_off_with_a_sentinel() -> None:
    def reply(ask: ModelRequest) -> Pieces:
        return using(6_500, calls(("search", {"pattern": str(len(ask.messages))})))

    # Rules that fill the context by themselves: nothing can be given back.
    history = rebuild([UserText(PROMPT)], SystemText("word " * 5_000))
    played = play(
        [reply],
        history=history,
        context=8_000,
        summary=SUMMARY,
        limits=LoopLimits(StepCaps(hard=5)),
    )
    assert [sentinel.kind for sentinel in played.sentinels] == ["compaction_off", "cap_hit"]
    assert compactions(played) == []
    assert len(played.model.summaries) == 3  # two passes, and the last words


def test_the_tokens_of_a_summary_are_counted() -> None:
    played = play(
        [*writing(0, 20), DONE],
        ScriptedTools(outcome),
        context=8_000,
        summary=using(1_000, SUMMARY),
    )
    assert UsageReported(1_000, 10) in played.events
