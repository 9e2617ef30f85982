from __future__ import annotations

import pytest

from holdfast.loop.context.history import History
from holdfast.loop.context.model_context import ModelContext
from holdfast.loop.limits import LoopLimits
from holdfast.loop.ports import ModelRequest
from holdfast.vocab.transcript import AssistantSaid, SystemText, UserText

RULES = SystemText("rules")
TASK = UserText("Fix the off-by-one.")


def context_of(said: int, window: int = 2_000) -> ModelContext:
    """A context with one reply of `said` characters before the last prompt."""
    messages = (RULES, TASK, AssistantSaid("s" * said), UserText("Go on."))
    return ModelContext(History(messages), LoopLimits(), window, ())


def writes_nothing(_: ModelRequest) -> str:
    return ""


def test_a_forced_pass_is_kept_only_if_it_frees_tokens() -> None:
    """At some size the summary is exactly as long as what it replaces; that is no reduction."""
    kept = []
    for said in range(0, 1_600, 4):
        context = context_of(said)
        before = context.messages
        done = context.compact(writes_nothing, forced=True)
        if done is None:
            assert context.messages == before
        else:
            assert done.tokens_after < done.tokens_before
            assert context.gauge.tokens(context.weight) == done.tokens_after
        kept.append(done is not None)
    assert (kept[0], kept[-1]) == (False, True)


def test_a_pass_that_frees_little_is_kept_only_if_it_is_forced() -> None:
    few = next(said for said in range(0, 1_600, 4) if _is_kept(said, forced=True))
    assert not _is_kept(few, forced=False)


def _is_kept(said: int, *, forced: bool) -> bool:
    return context_of(said).compact(writes_nothing, forced=forced) is not None


def test_two_useless_passes_in_a_row_switch_compaction_off() -> None:
    context = context_of(0)
    asked = []

    def write(request: ModelRequest) -> str:
        asked.append(request)
        return ""

    states = []
    for _ in range(3):
        assert context.compact(write, forced=False) is None
        states.append((context.off, len(asked)))
    assert states == [(False, 1), (True, 2), (True, 2)]


def test_a_useful_pass_between_two_useless_ones_leaves_compaction_on() -> None:
    context = context_of(0)
    assert context.compact(writes_nothing, forced=False) is None
    context.add(AssistantSaid("s" * 6_000))
    context.add(UserText("Go on."))
    assert context.compact(writes_nothing, forced=False) is not None
    assert context.compact(writes_nothing, forced=False) is None
    assert not context.off


def test_a_context_that_is_off_is_never_full() -> None:
    context = context_of(20_000)
    assert context.is_full()
    context.off = True
    assert not context.is_full()


@pytest.mark.parametrize(
    ("reported", "window"), [(None, 2_000), (3_000, 2_000), (2_000, 2_000), (1_000, 1_000)]
)
def test_the_window_only_shrinks(reported: int | None, window: int) -> None:
    context = context_of(0)
    context.limit_window(reported)
    assert context.gauge.window == window


def test_a_server_that_drops_the_front_is_full_until_a_pass_ran() -> None:
    context = context_of(12_000, window=8_000)
    context.calibrate(0, 600)
    assert (context.gauge.window, context.is_full()) == (600, True)
    assert context.compact(writes_nothing, forced=False) is not None
    assert not context.is_full()


def test_a_window_too_small_for_any_pass_is_not_believed() -> None:
    context = ModelContext(History((SystemText("r" * 12_000), TASK)), LoopLimits(), 8_000, ())
    before = context.gauge
    context.calibrate(0, 600)
    assert context.compact(writes_nothing, forced=False) is None
    assert (context.gauge.window, context.gauge.counts, context.off) == (8_000, False, False)
    assert context.gauge.factor == before.factor
    context.calibrate(0, 600)
    assert context.gauge.window == 8_000


def test_the_prompts_that_a_summary_repeats_are_those_of_the_messages_unless_others_are_known() -> (
    None
):
    messages = (RULES, TASK, AssistantSaid("s" * 6_000), UserText("Go on."))
    found: list[str] = []
    for history in (History(messages), History(messages, prompts=("Another task.",))):
        context = ModelContext(history, LoopLimits(), 2_000, ())
        done = context.compact(writes_nothing, forced=True)
        assert done is not None
        found.append(done.summary)
    assert [TASK.text in summary for summary in found] == [True, False]
    assert ["Another task." in summary for summary in found] == [False, True]
