"""The rules that come with holdfast hold what their examples say, and the real compilers agree."""

from __future__ import annotations

import os

import pytest

from holdfast.repair.builtin import builtin_rules
from holdfast.rules.learn.merge_rules import explains
from holdfast.rules.rule import Example, Rule
from holdfast.rules.rule_json import dump_rule, id_of, parse_rule
from tests.rules.compilers import complaints, need

RULES = builtin_rules()
_SLOW = {"mypy", "rustc", "javac", "tsc"}


def test_there_are_enough_of_them_for_the_common_languages() -> None:
    assert len(RULES) >= 150
    assert {rule.target for rule in RULES} >= {
        "python",
        "c",
        "cpp",
        "rust",
        "java",
        "javascript",
        "typescript",
    }
    assert len({rule.id for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.target}-{rule.id}")
def test_each_does_what_its_examples_say(rule: Rule) -> None:
    assert len(rule.examples) >= 2
    assert len(rule.counter_examples) >= 1
    assert all(explains(rule, example) for example in (*rule.examples, *rule.counter_examples))
    assert rule.provenance == "builtin"
    assert parse_rule(dump_rule(rule)) == rule


def _compiled(rule: Rule) -> tuple[Example, ...]:
    """The examples that a compiler is asked about: two of a rule are enough here, and one where it takes a second."""
    if os.environ.get("HOLDFAST_ALL_EXAMPLES"):
        return (*rule.examples, *rule.counter_examples)
    return rule.examples[:1] if rule.tool in _SLOW else (rule.examples[0], rule.counter_examples[0])


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.target}-{rule.id}")
def test_the_compiler_says_what_the_examples_say_it_said(rule: Rule) -> None:
    need(rule.tool)
    for example in _compiled(rule):
        said = [
            (each.code, each.template, each.args, each.area)
            for each in complaints(rule.tool, example.before)
            if each.template == rule.template
        ]
        assert (rule.code, rule.template, example.args, example.area) in said
        if example.after is not None:
            assert complaints(rule.tool, example.after) == ()


def test_a_new_rule_is_named_by_what_it_answers_and_does() -> None:
    assert all(len(rule.id) == 16 and set(rule.id) <= set("0123456789abcdef") for rule in RULES)
    assert id_of(RULES[0]) == id_of(parse_rule(dump_rule(RULES[0])))
