"""The state machine of mistakes: threshold three, nudge, escalate, and what clears it."""

from __future__ import annotations

import pytest

from holdfast.guards.mistakes import MISTAKE_THRESHOLD, Mistakes, detect, guidance, nudged, record
from holdfast.vocab.tool_calls import FAILURE_KINDS, FailureKind


def after(*outcomes: FailureKind | None, state: Mistakes | None = None) -> Mistakes:
    state = state or Mistakes()
    for outcome in outcomes:
        state = record(state, outcome)
    return state


def test_two_failures_are_nothing_yet() -> None:
    assert detect(after("exec_error", "api_error")) is None


def test_three_failures_of_different_kinds_call_for_a_nudge() -> None:
    assert detect(after("exec_error", "api_error", "schema_reject")) == "nudge"


def test_a_success_between_failures_starts_the_count_anew() -> None:
    assert after("exec_error", "api_error", None, "exec_error", "exec_error").run == (
        "exec_error",
        "exec_error",
    )


def test_a_nudge_empties_the_run_and_is_outstanding() -> None:
    assert nudged(after("exec_error", "api_error", "schema_reject")) == Mistakes((), nudges=1)
    assert nudged(Mistakes(("exec_error",) * 3, nudges=1)) == Mistakes((), nudges=2)


def test_three_more_failures_after_a_nudge_escalate() -> None:
    state = nudged(after("exec_error", "api_error", "schema_reject"))
    state = after("tool_not_found", "tool_not_found", state=state)
    assert detect(state) is None
    assert detect(record(state, "tool_not_found")) == "escalate"


def test_a_success_after_a_nudge_makes_the_next_trip_a_first_one() -> None:
    state = nudged(after("exec_error", "exec_error", "exec_error"))
    assert detect(after(None, "exec_error", "exec_error", "exec_error", state=state)) == "nudge"


def test_a_nudge_that_was_held_back_leaves_the_run_and_comes_with_the_next_failure() -> None:
    state = after("exec_error", "exec_error", "exec_error")
    assert detect(state) == "nudge"
    state = record(state, "api_error")
    assert state.run == ("exec_error", "exec_error", "exec_error", "api_error")
    assert detect(state) == "nudge"


def test_a_nudge_that_was_held_back_is_gone_after_a_success() -> None:
    assert detect(after("exec_error", "exec_error", "exec_error", None)) is None


def test_the_guidance_says_three_things_and_one_hint_for_each_kind_in_the_run() -> None:
    message = guidance(("exec_error", "schema_reject", "exec_error"))
    assert message.split("\n") == [
        "The last 3 calls failed. Before the next one:",
        "- Re-read the schemas of the tools.",
        "- Verify that the paths and arguments you use exist.",
        "- Try a different approach rather than variations of the same call.",
        "- A call could not be executed: read the file or list the directory again before you retry.",
        "- Arguments were rejected: send one JSON object with exactly the fields of the tool's schema.",
    ]


@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_each_kind_has_a_hint_of_its_own(kind: FailureKind) -> None:
    others = {guidance((other,) * MISTAKE_THRESHOLD) for other in FAILURE_KINDS if other != kind}
    assert guidance((kind,) * MISTAKE_THRESHOLD) not in others


def test_failures_that_differ_are_stopped_later_than_the_same_one_again() -> None:
    def stopped_at(messages: list[str]) -> int | None:
        state = Mistakes()
        for number, message in enumerate(messages, 1):
            state = record(state, "exec_error", message)
            verdict = detect(state)
            if verdict == "escalate":
                return number
            if verdict == "nudge":
                state = nudged(state)
        return None

    assert stopped_at(["the same"] * 12) == 6
    assert stopped_at([f"failure {number}" for number in range(8)]) is None
    assert stopped_at([f"failure {number}" for number in range(12)]) == 9
    assert stopped_at(["a", "b", "c"] * 4) == 6
