"""A clock that stands."""

from __future__ import annotations

from datetime import UTC, datetime

from holdfast.testing import FixedClock


def test_it_does_not_advance_by_itself() -> None:
    clock = FixedClock(datetime(2030, 5, 1, tzinfo=UTC))
    before = (clock(), clock(), clock.now())
    clock.advance(90)

    assert before == (0.0, 0.0, datetime(2030, 5, 1, tzinfo=UTC))
    assert (clock(), clock.now()) == (90.0, datetime(2030, 5, 1, 0, 1, 30, tzinfo=UTC))


def test_each_reading_can_add_a_step() -> None:
    clock = FixedClock(step=2)

    assert [clock(), clock(), clock()] == [2, 4, 6]


def test_it_sleeps_without_waiting() -> None:
    clock = FixedClock()
    clock.sleep(3600)

    assert (clock.slept, clock()) == ([3600], 3600)
