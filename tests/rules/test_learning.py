"""What one example is enough for, and whether a rule explains an example."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.rules.learn_rule import NotLearned, explains, learn_from, suggested_rule
from holdfast.rules.rule import Rule, TreeRewrite, example_of
from tests.rules.complaint import complaint

FEW = complaint("few {0}", "load")
BEFORE, AFTER = "load(a)\n", "load(a, b)\n"
RULE = Rule(
    "r", "python", "tool", "X1", "few {0}", TreeRewrite("load($A)", "load($A, b)"), values={0: ("load",)}
)  # fmt: skip


@pytest.mark.parametrize(
    ("after", "is_explained"),
    [
        (AFTER, True),
        ("\n\nload(a, b)   \n\n", True),
        ("load(a,  b)\n", False),
        ("load(a, c)\n", False),
        (BEFORE, False),
        ("", False),
        (None, False),
    ],
)
def test_a_rule_explains_what_it_makes_but_for_blank_lines(
    after: str | None, is_explained: bool
) -> None:
    assert explains(RULE, example_of(BEFORE, after, FEW)) is is_explained


def test_a_rule_explains_what_it_must_not_change_by_leaving_it_alone() -> None:
    other = example_of("load(a, c)\n", None, FEW)
    assert explains(RULE, other)
    assert not explains(RULE, replace(other, after="load(a, c)\n"))


@pytest.mark.parametrize(
    ("pattern", "fix", "is_rule"),
    [
        ("load($A)", "load($A, b)", True),
        ("$F($A)", "$F($A, b)", True),
        ("load($A)", "load($A, c)", False),
        ("save($A)", "save($A, b)", False),
        ("load($A", "load($A, b", False),
    ],
)
def test_a_suggestion_is_a_rule_for_the_names_in_the_message_if_it_repeats_the_fix(
    pattern: str, fix: str, is_rule: bool
) -> None:
    rule = suggested_rule(BEFORE, AFTER, FEW, "python", (pattern, fix))
    expected = replace(
        RULE,
        id=rule.id if rule is not None else "",
        rewrite=TreeRewrite(pattern, fix),
        provenance="model",
        status="proposed",
        examples=(example_of(BEFORE, AFTER, FEW),),
    )
    assert rule == (expected if is_rule else None)


def test_no_example_or_one_without_a_change_is_no_rule() -> None:
    same = example_of(BEFORE, f"{BEFORE}\n# Now.\n", FEW)
    assert learn_from([same], FEW, "python") == NotLearned("nothing but blanks differs")


@pytest.mark.parametrize(
    "comments", [("", ""), ("# A.\n", ""), ("# A.\n", "# A.\n"), ("# A.\n", "# B.\n")]
)
def test_a_choice_is_for_code_without_another_comment_whatever_those_of_the_examples_are(
    comments: tuple[str, str],
) -> None:
    examples = []
    for comment, name in zip(comments, "ac", strict=True):
        before = f"{comment}load({name})\n"
        said = complaint("few {0}", "load", line=1 + bool(comment))
        examples.append(example_of(before, before.replace(")", ", b)"), said))
    rule = learn_from(examples, FEW, "python")
    assert isinstance(rule, Rule)
    assert rule.uncommented


@pytest.mark.parametrize(
    ("args", "added", "safe"),
    [
        (("load",), "b", True),
        (("load",), "1", False),
        (("load",), "'x'", False),
        (("load", "object"), "b", False),
        (("load", "const object&"), "b", False),
        (("load", "objects"), "b", True),
    ],
)
def test_a_rule_from_one_fix_is_certain_unless_it_writes_a_value_or_any_type_is_possible(
    args: tuple[str, ...], added: str, safe: bool
) -> None:
    said = complaint("few {0}" + " {1}" * (len(args) - 1), *args)
    rule = learn_from([example_of(BEFORE, f"load(a, {added})\n", said)], said, "python")
    assert isinstance(rule, Rule)
    assert rule.safe is safe
