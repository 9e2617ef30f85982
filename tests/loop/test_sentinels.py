"""What a person is told when a turn is nudged or stopped."""

from __future__ import annotations

import pytest

from holdfast.guards.loops import Trip
from holdfast.loop import sentinels


@pytest.mark.parametrize(
    ("escalated", "reaction"), [(False, "sent it a note, continuing"), (True, "stopped the turn")]
)
def test_a_loop_is_told_with_what_was_done_about_it(escalated: bool, reaction: str) -> None:
    told = sentinels.doom_loop(Trip("identical", 4, escalated=escalated))
    assert told.text.endswith(f", 4 times) — {reaction}.")
    assert told.body["escalated"] is escalated
    assert told.body.get("can_continue", False) is escalated
