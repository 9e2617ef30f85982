"""A fix that was paid for once repairs another program with the same error, and leaves a near miss alone."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.rules.learn.learn_rule import learn
from holdfast.rules.match.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.rule import Rule
from tests.rules.cases import CASES, Case
from tests.rules.compilers import complaints, need

pytestmark = pytest.mark.slow

_SLOW = {"mypy", "rustc", "javac", "tsc"}


def _params() -> list[Any]:
    return [
        pytest.param(case, id=case.name, marks=[pytest.mark.slow] if case.tool in _SLOW else [])
        for case in CASES
    ]


def _learned(case: Case) -> Rule:
    rule = learn(case.before, case.after, complaints(case.tool, case.before)[0], case.target)
    assert isinstance(rule, Rule)
    return rule


@pytest.mark.parametrize("case", _params())
def test_a_rule_repairs_another_program_as_it_was_recorded_and_no_near_miss(case: Case) -> None:
    need(case.tool)
    rule = _learned(case)

    made = [rewrite(rule, case.second, each) for each in complaints(case.tool, case.second)]
    assert [each.text for each in made if isinstance(each, Rewritten)][:1] == [case.second_after]
    assert complaints(case.tool, case.second_after) == ()

    near = complaints(case.tool, case.near)
    assert near, "the near miss must have a complaint"
    assert all(isinstance(rewrite(rule, case.near, each), NoFit) for each in near)


def test_the_table_is_as_wide_as_it_is_said_to_be() -> None:
    assert len(CASES) >= 20
    assert {case.target for case in CASES} == {
        "python",
        "c",
        "cpp",
        "rust",
        "java",
        "javascript",
        "typescript",
    }
    assert len({case.tool for case in CASES}) >= 5
