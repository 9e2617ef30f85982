"""The speed part's needles are what they say; the times themselves are not tested."""

from __future__ import annotations

import pytest

from bench.landing.speed import SIZES, Probe, big_file, speed_case, speed_is_kept
from holdfast import Landed, Replace, land


@pytest.mark.parametrize("size", SIZES)
def test_the_needles_are_in_the_file_nearly_in_it_and_not_in_it(size: int) -> None:
    lines = big_file(3000)
    exact, typos, absent = (speed_case(lines, mode, size) for mode in ("exact", "typos", "absent"))
    assert isinstance(exact.edit, Replace)
    assert isinstance(typos.edit, Replace)
    assert isinstance(absent.edit, Replace)
    assert exact.before.count(exact.edit.old) == 1
    assert exact.expected == (exact.before.replace(exact.edit.old, exact.edit.new),)
    assert typos.edit.old not in typos.before
    assert len(exact.edit.old) - len(typos.edit.old) == (size + 8) // 10
    assert absent.edit.old.split("\n", 1)[0] not in absent.before


def test_an_exact_needle_lands_in_a_large_file() -> None:
    case = speed_case(big_file(3000), "exact", 50)
    outcome = land(case.before, case.edit)
    assert isinstance(outcome, Landed)
    assert outcome.text == case.expected[0]


def test_one_limit_that_is_broken_breaks_all() -> None:
    good = Probe("typos", 50, ms=10, ratio=10, growth=5, right=True)
    slow = Probe("typos", 50, ms=90, ratio=90, growth=5, right=True)
    wrong = Probe("typos", 50, ms=10, ratio=10, growth=5, right=False)
    assert speed_is_kept([good], import_ms=20)
    assert not speed_is_kept([good, slow], import_ms=20)
    assert not speed_is_kept([good, wrong], import_ms=20)
    assert not speed_is_kept([good], import_ms=500)
