"""The budget: what progress can lift and what it cannot."""

from __future__ import annotations

from typing import Literal

import pytest

from holdfast.guards.step_cap import StepCaps, judge


@pytest.mark.parametrize(
    ("steps", "since", "verdict"),
    [
        (59, 59, None),
        (60, 0, None),
        (60, 11, None),
        (60, 12, "soft"),
        (150, 11, None),
        (150, 40, "soft"),
        (199, 0, None),
        (200, 0, "hard"),
        (201, 0, "hard"),
    ],
)
def test_past_the_soft_cap_a_turn_goes_on_while_there_is_progress(
    steps: int, since: int, verdict: Literal["soft", "hard"] | None
) -> None:
    assert judge(steps, since, StepCaps()) == verdict


def test_a_hard_cap_below_the_soft_one_ends_the_turn_first() -> None:
    assert judge(6, 0, StepCaps(soft=60, hard=6)) == "hard"
