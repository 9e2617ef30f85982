"""A fix that was paid for once repairs another program with the same error, and leaves a near miss alone."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.rules.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.learn_rule import NotLearned, learn
from holdfast.rules.rule import Rule
from tests.rules.cases import CASES, Case
from tests.rules.compilers import complaints, need
from tests.samples import sample

pytestmark = pytest.mark.slow

_SLOW = {"mypy", "rustc", "javac", "tsc"}


def _params() -> list[Any]:
    return [
        pytest.param(case, id=case.name, marks=[pytest.mark.slow] if case.tool in _SLOW else [])
        for case in sample(CASES, 16)
    ]


def _learned(case: Case) -> Rule | None:
    for said in complaints(case.tool, case.before):
        rule = learn(case.before, case.after, said, case.target)
        if not isinstance(rule, NotLearned):
            return rule
    return None


@pytest.mark.parametrize("case", _params())
def test_a_rule_repairs_another_program_as_it_was_recorded_or_not_at_all_and_no_near_miss(
    case: Case,
) -> None:
    need(case.tool)
    rule = _learned(case)
    if rule is None:
        pytest.skip("no rule follows from one example")

    made = [rewrite(rule, case.second, each) for each in complaints(case.tool, case.second)]
    texts = [each.text for each in made if isinstance(each, Rewritten)]
    assert texts[:1] in ([], [case.second_after])

    near = complaints(case.tool, case.near)
    assert near, "the near miss must have a complaint"
    for each in near:
        changed = rewrite(rule, case.near, each)
        assert isinstance(changed, NoFit) or complaints(case.tool, changed.text)


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
