"""Laws of rules: what was learned does it again, touches nothing else, and is written down without loss."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.repair.builtin import builtin_rules
from holdfast.rules.apply_rule import Rewritten, rewrite
from holdfast.rules.learn_rule import explains, learn
from holdfast.rules.rule import Rule
from holdfast.rules.rule_yaml import dump_rule, parse_rule
from holdfast.vocab.diagnostics import Area, Diagnostic

WORDS = st.sampled_from(
    [
        "x",
        "total",
        "1",
        "'a'",
        "(",
        ")",
        ":",
        "=",
        "==",
        "if",
        "print",
        " ",
        " ",
        "\n",
        "\n    ",
        ".",
        "# c\n",
        "import os\n",
        "é",
        "\t",
    ]
)
TEXTS = st.lists(WORDS, max_size=14).map("".join)
TARGETS = st.sampled_from(
    ["python", "c", "rust", "java", "javascript", "typescript", "cpp", "go", "any"]
)


@st.composite
def complaints(draw: st.DrawFn) -> Diagnostic:
    line, column = draw(st.integers(0, 5)), draw(st.integers(0, 9))
    area = draw(
        st.sampled_from(
            [None, Area(line, column, line, column), Area(line, column, line, column + 3)]
        )
    )
    args = tuple(
        draw(st.lists(st.sampled_from(["x", "total", "os", "1", "std::x", ")"]), max_size=2))
    )
    template = " ".join(["bad", *(f"{{{number}}}" for number in range(len(args)))])
    return Diagnostic("tool", "1", "X", "error", template.format(*args), template, args, "a", area)


@given(TEXTS, TEXTS, complaints(), TARGETS)
def test_what_is_learned_from_a_pair_makes_the_one_of_the_other(
    before: str, after: str, complaint: Diagnostic, target: str
) -> None:
    rule = learn(before, after, complaint, target)  # type: ignore[arg-type]
    if isinstance(rule, Rule):
        assert explains(rule, rule.examples[0])
        assert parse_rule(dump_rule(rule)) == rule
        assert dump_rule(parse_rule(dump_rule(rule))) == dump_rule(rule)


@given(st.sampled_from(builtin_rules()), TEXTS, complaints())
def test_a_rule_for_another_diagnostic_changes_nothing(
    rule: Rule, text: str, strange: Diagnostic
) -> None:
    assert not isinstance(rewrite(rule, text, strange), Rewritten)
