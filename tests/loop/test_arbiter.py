from __future__ import annotations

from itertools import product
from typing import Literal

import pytest

from holdfast.guards.loops import Trip
from holdfast.loop.arbiter import (
    Intervention,
    NudgeLoop,
    NudgeMistakes,
    NudgeReply,
    StopAtCap,
    StopLoop,
    StopMistakes,
    decide,
)

FIRST = Trip("identical", 3, escalated=False)
SECOND = Trip("identical", 6, escalated=True)

CAPS: tuple[Literal["soft", "hard"] | None, ...] = (None, "soft", "hard")
TRIPS = (None, FIRST, SECOND)
MISTAKES: tuple[Literal["nudge", "escalate"] | None, ...] = (None, "nudge", "escalate")
REPLIES = (None, "Your reply was empty.")

# cap > loop stop > mistake escalate > loop nudge > mistake nudge > a word about the reply
WITHOUT_CAP: dict[tuple[Trip | None, str | None], Intervention | None] = {
    (SECOND, "escalate"): StopLoop(SECOND),
    (SECOND, "nudge"): StopLoop(SECOND),
    (SECOND, None): StopLoop(SECOND),
    (FIRST, "escalate"): StopMistakes(),
    (FIRST, "nudge"): NudgeLoop(FIRST),
    (FIRST, None): NudgeLoop(FIRST),
    (None, "escalate"): StopMistakes(),
    (None, "nudge"): NudgeMistakes(),
}


@pytest.mark.parametrize(
    ("cap", "trip", "mistakes", "reply"), tuple(product(CAPS, TRIPS, MISTAKES, REPLIES))
)
def test_the_arbiter_picks_the_first_in_the_order_and_nothing_else(
    cap: Literal["soft", "hard"] | None,
    trip: Trip | None,
    mistakes: Literal["nudge", "escalate"] | None,
    reply: str | None,
) -> None:
    if cap is not None:
        expected: Intervention | None = StopAtCap()
    elif (trip, mistakes) in WITHOUT_CAP:
        expected = WITHOUT_CAP[trip, mistakes]
    else:
        expected = NudgeReply(reply) if reply else None
    assert decide(cap, trip, mistakes, reply) == expected
