"""The benchmark of repair counts a wrong fix as wrong, whatever the compiler says of it."""

from __future__ import annotations

from dataclasses import replace

from bench.repair.paid_once import report, share_of
from holdfast.repair.outcomes import NoProvider, Repaired, RuleRepaired
from tests.end_to_end.repair.paid_once.case import read_cases
from tests.end_to_end.repair.paid_once.drive import Driven

CASE = read_cases("gcc")[0]
RIGHT = Driven(
    CASE,
    Repaired(CASE.fixed, 1, "r1"),
    RuleRepaired(CASE.second_fixed, ("r1",)),
    NoProvider("no"),
    CASE.second_fixed,
    left=True,
    refused=0,
)


def test_each_verdict_is_told_from_the_others() -> None:
    assert RIGHT.verdict == "applied"
    assert replace(RIGHT, made=CASE.second).verdict == "WRONG"
    assert replace(RIGHT, left=False).verdict == "WRONG"
    assert replace(RIGHT, second=None, made=CASE.second).verdict == "missed"
    assert replace(RIGHT, first=Repaired(CASE.fixed, 1), second=None).verdict == "not learned"


def test_the_table_sums_up() -> None:
    share = share_of(
        "gcc", 1, [RIGHT, replace(RIGHT, made=CASE.second), replace(RIGHT, second=None)]
    )
    assert (share.cases, share.learned, share.applied, share.as_recorded, share.wrong) == (
        3,
        3,
        2,
        1,
        1,
    )
    assert report([share, share]).endswith("| all | 6 | 2 | 6 | 4 | 2 | 0 | 2 |")
