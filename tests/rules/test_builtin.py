"""The rules that come with holdfast hold what their examples say, and the real compilers agree."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from holdfast.repair.builtin import builtin_rules
from holdfast.rules.learn_rule import explains
from holdfast.rules.rule import Example, Rule
from holdfast.rules.rule_yaml import dump_rule, parse_rule
from holdfast.vocab.diagnostics import Area
from tests.rules.compilers import complaints, need
from tests.samples import sample

RULES = builtin_rules()
_SLOW = {"mypy", "rustc", "javac", "tsc"}


def test_there_are_enough_of_them_for_the_common_languages() -> None:
    assert len(RULES) >= 120
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
    assert rule.examples or rule.rewrite is None
    assert all(explains(rule, example) for example in (*rule.examples, *rule.counter_examples))
    assert rule.provenance == "builtin"
    assert parse_rule(dump_rule(rule)) == rule


def _compiled(rule: Rule) -> tuple[Example, ...]:
    """The examples that a compiler is asked about: two of a rule are enough here, and one where it takes a second."""
    if os.environ.get("HOLDFAST_ALL_EXAMPLES"):
        return (*rule.examples, *rule.counter_examples)
    return rule.examples[:1]


@pytest.mark.slow
@pytest.mark.parametrize("rule", sample(RULES, 12), ids=lambda rule: f"{rule.target}-{rule.id}")
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


def test_a_table_of_imports_is_a_rule_for_each_line_that_holds_its_names() -> None:
    (rule,) = [rule for rule in RULES if rule.imports == ("#include <string.h>",)]
    assert "strlen" in rule.values[0]
    text = "int f(const char *t) {\n    return strlen(t);\n}\n"
    args = ("strlen",)
    area = Area(2, 12, 2, 18)
    example = Example(text, f"#include <string.h>\n\n{text}", "", args, area)
    assert explains(rule, example)
    assert not explains(rule, replace(example, args=("strlen2",)))
