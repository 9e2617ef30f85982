"""The benchmark of rule lookup measures lookups that hit, and its verdict can be bad."""

from __future__ import annotations

from bench.repair.lookup import Measured, growth, measure, report


def test_a_lookup_costs_about_the_same_among_more_rules() -> None:
    measured = measure((10, 1_000), rounds=3)
    assert [each.rules for each in measured] == [10, 1_000]
    # Far from the true bound: a shared machine is not a stopwatch, and a search through all rules is 100 times slower.
    assert growth(measured)[0] < 30


def test_growth_beyond_the_bound_is_told() -> None:
    assert "TOO MUCH" in report([Measured(10, 1.0, 1.0), Measured(1_000, 4.0, 1.0)])
    assert "as it must be" in report([Measured(10, 1.0, 1.0), Measured(1_000, 2.0, 3.0)])
