from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from holdfast.loop.context.token_count import Gauge, weigh, weigh_specs, weigh_text
from holdfast.vocab.tool_calls import ToolCall, ToolSpec
from holdfast.vocab.transcript import AssistantSaid, UserText

GAUGE = Gauge(window=10_000, output=1_000, overhead=500)


@given(st.text(), st.text())
def test_more_text_never_weighs_less(one: str, two: str) -> None:
    assert 0 <= weigh_text(one) <= weigh_text(one + two)


def test_reasoning_weighs_nothing_and_arguments_do() -> None:
    bare = weigh(AssistantSaid("x"))
    assert weigh(AssistantSaid("x", reasoning="hm " * 500)) == bare
    assert (
        weigh(AssistantSaid("x", (ToolCall("1", "write_file", {"text": "y" * 400}),))) > bare + 100
    )


def test_a_text_weighs_a_quarter_of_its_bytes_rounded_up() -> None:
    weights = [
        weigh_text(text) for text in ("", "a", "abcd", "abcde", "    " * 2, "読読", "\ud800")
    ]
    assert weights == [0, 1, 1, 2, 1, 2, 1]


def test_a_message_a_call_and_a_tool_weigh_more_than_their_texts() -> None:
    call = ToolCall("1", "list_dir", {"path": "a"})
    spec = ToolSpec("list_dir", "List it.", {"type": "object"})
    assert weigh(UserText("abcd")) == 4 + 1
    assert weigh(AssistantSaid("abcd", (call, call))) == 4 + 1 + 2 * (8 + 4)
    assert [weigh_specs(specs) for specs in ((), (spec,), (spec, spec))] == [0, 8 + 7, 2 * (8 + 7)]


def test_a_letter_outside_ascii_weighs_more() -> None:
    assert weigh(UserText("読" * 100)) > 2 * weigh(UserText("r" * 100))


def test_the_budget_is_the_context_without_the_reply_and_the_measured_overhead() -> None:
    assert GAUGE.budget == 8_500
    assert (
        GAUGE.calibrated(1_500, 4_000).budget == 10_000 - 1_000 - 1_000
    )  # the server counts twice what we do


def test_what_the_server_counts_calibrates_what_we_expect() -> None:
    assert GAUGE.tokens(1_500) == 2_000
    assert GAUGE.calibrated(1_500, 2_600).tokens(3_500) == 5_200


def test_a_count_far_below_what_was_sent_says_how_much_the_server_holds() -> None:
    honest = GAUGE.calibrated(1_500, 2_000)
    assert honest.calibrated(5_000, 2_048).window == 2_048


def test_a_count_that_stays_where_it_is_while_the_payload_grows_is_noticed_step_by_step() -> None:
    gauge = GAUGE.calibrated(1_500, 2_000)
    for weight in range(1_700, 4_000, 200):
        gauge = gauge.calibrated(weight, 2_048)
    assert gauge.window == 2_048
    assert gauge.factor == 1.0


def test_one_text_with_few_tokens_is_no_dropped_front() -> None:
    gauge = GAUGE.calibrated(2_000, 2_500).calibrated(4_500, 5_000).calibrated(7_000, 5_500)
    assert (gauge.window, gauge.doubted) == (10_000, True)
    gauge = gauge.calibrated(7_500, 7_200)
    assert (gauge.window, gauge.doubted) == (10_000, False)


def test_a_count_a_little_below_says_nothing_about_the_window() -> None:
    assert GAUGE.calibrated(5_000, 4_000).window == 10_000


def test_a_server_that_counts_only_what_it_had_not_cached_is_not_believed() -> None:
    honest = GAUGE.calibrated(5_000, 5_500)
    doubted = honest.calibrated(6_000, 1_100)
    assert doubted == replace(honest, counts=False)
    assert doubted.calibrated(7_000, 1_200) == doubted


def test_a_server_that_always_says_the_same_number_is_not_believed() -> None:
    gauge = GAUGE
    for weight in range(1_000, 9_000, 500):
        gauge = gauge.calibrated(weight, 2_000)
    assert gauge.window == 10_000


def test_a_server_that_does_not_count_the_tools_is_believed() -> None:
    gauge = Gauge(window=32_000, output=4_000, overhead=4_000)
    for weight in range(300, 9_000, 300):
        gauge = gauge.calibrated(weight, weight)
    assert (gauge.window, gauge.counts) == (32_000, True)


def test_a_count_of_nearly_nothing_is_ignored() -> None:
    assert GAUGE.calibrated(5_000, 0) == GAUGE


def test_where_the_rules_alone_fill_the_window_everything_is_too_much() -> None:
    assert Gauge(window=500, output=100, overhead=600).fill(1) == float("inf")


def test_a_count_of_just_enough_is_believed_and_one_less_is_not() -> None:
    gauge = Gauge(10_000, 1_000, 0)
    assert gauge.calibrated(300, 256).trusted.tokens == 256
    assert gauge.calibrated(300, 255) == gauge
    assert gauge.calibrated(0, 300) == gauge
    silent = replace(gauge, counts=False)
    assert silent.calibrated(300, 256) == silent


def test_a_count_that_is_as_large_as_the_window_is_no_smaller_window() -> None:
    gauge = Gauge(2_000, 100, 0).calibrated(900, 900).calibrated(1_000, 1_000)
    assert not gauge.calibrated(9_000, 2_000).counts
    assert gauge.calibrated(9_000, 1_999).window == 1_999


def test_a_front_is_lost_only_if_enough_is_missing() -> None:
    gauge = Gauge(100_000, 100, 0).calibrated(900, 900).calibrated(1_000, 1_000)
    # Of 3,000 tokens 1,400 came: less than half.
    assert gauge.calibrated(3_000, 1_400).window == 1_400
    # Of 1,400 tokens 900 came: fewer than 512 are missing, and they are only doubted.
    assert gauge.calibrated(1_400, 900).doubted
    # A third is believed when it is missing a second time.
    doubted = gauge.calibrated(3_000, 1_900)
    assert (doubted.window, doubted.doubted) == (100_000, True)
    assert doubted.calibrated(3_000, 1_900).window == 1_900
    never_varied = replace(doubted, varied=False)
    assert never_varied.calibrated(3_000, 1_900).window == 100_000
