"""The judge tells the right file from the wrong one, and how far the wrong one is off."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.landing.cases import Case
from bench.landing.judge import Verdict, judge
from holdfast import Replace

BEFORE = "def f():\n    # adds the numbers\n    return 1\n"
AFTER = "def f():\n    # adds the numbers\n    return 2\n"
LAND = Case(
    id="1",
    lang="python",
    kind="typo-soft",
    polarity="land",
    file_name="f.py",
    before=BEFORE,
    edit=Replace("    # adds teh numbers\n    return 1", "    # adds teh numbers\n    return 2"),
    expected=(AFTER,),
    region=(1, 3),
)
REFUSE = replace(LAND, polarity="refuse", expected=())
LOOSE = replace(LAND, refuse_ok=True)


@pytest.mark.parametrize(
    ("case", "out", "verdict"),
    [
        (LAND, AFTER, "landed"),
        (LAND, None, "wrongly_refused"),
        (LAND, BEFORE, "wrongly_refused"),
        (LOOSE, None, "refused_ok"),
        (LOOSE, AFTER, "landed"),
        (REFUSE, None, "refused_ok"),
        (REFUSE, BEFORE, "refused_ok"),
        (REFUSE, AFTER, "wrong"),
        (REFUSE, BEFORE + "\n", "cosmetic"),
        (LAND, AFTER.replace("2\n", "2  \n"), "cosmetic"),
        (LAND, AFTER.replace("\n", "\r\n"), "cosmetic"),
        (LAND, AFTER.replace("    return", "  return"), "indent"),
        (LAND, AFTER.replace("the", "teh"), "ctx"),
        (LAND, AFTER.replace("adds", "takes"), "wrong"),
        (LAND, AFTER + "return 2\n", "wrong"),
    ],
)
def test_a_verdict(case: Case, out: str | None, verdict: Verdict) -> None:
    assert judge(case, out) == verdict


def test_any_of_the_expected_files_is_right() -> None:
    either = replace(LAND, expected=(AFTER, AFTER.rstrip("\n")))
    assert judge(either, AFTER.rstrip("\n")) == "landed"
