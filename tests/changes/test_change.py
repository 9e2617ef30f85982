"""The life of a change: which moves are legal."""

from __future__ import annotations

from typing import get_args

import pytest

from holdfast.changes.change import Change, ChangeState, RequestedEdits, judge_move
from holdfast.changes.plan import ChangePlan

LEGAL = {("proposed", "applied"), ("proposed", "rejected"), ("applied", "rewound")}
STATES: tuple[ChangeState, ...] = get_args(ChangeState)


@pytest.mark.parametrize("old", STATES)
@pytest.mark.parametrize("new", [state for state in STATES if state != "proposed"])
def test_only_three_moves_are_legal_and_the_others_are_refused_with_a_sentence(
    old: ChangeState, new: ChangeState
) -> None:
    refused = judge_move(
        Change("abc", old, "proposal", RequestedEdits(), ChangePlan((), (), ())), new
    )
    assert (refused is None) == ((old, new) in LEGAL)


def test_the_sentence_says_what_it_is_and_what_it_would_have_to_be() -> None:
    change = Change("abc", "rejected", "proposal", RequestedEdits(), ChangePlan((), (), ()))
    refusals = [
        judge_move(change, "rewound"),
        judge_move(change, "applied"),
        judge_move(change, "rejected"),
    ]
    assert [refused and refused.message for refused in refusals] == [
        "change abc is rejected; only an applied change can become rewound.",
        "change abc is rejected; only a proposed change can become applied.",
        "change abc is rejected already; there is nothing to do.",
    ]
