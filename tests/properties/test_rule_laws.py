"""Laws of rules: what was learned does it again, touches nothing else, and is written down without loss."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from holdfast.repair.builtin import builtin_rules
from holdfast.rules.learn.learn_rule import learn
from holdfast.rules.learn.merge_rules import merge
from holdfast.rules.match.apply_rule import Rewritten, rewrite
from holdfast.rules.rule import Rule, complaint_of
from holdfast.rules.rule_json import dump_rule, parse_rule
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
        made = rewrite(rule, before, complaint)
        assert isinstance(made, Rewritten)
        assert made.text == after
        assert parse_rule(dump_rule(rule)) == rule
        assert dump_rule(parse_rule(dump_rule(rule))) == dump_rule(rule)


@given(TEXTS, TEXTS, st.lists(WORDS, max_size=4), complaints())
def test_a_second_example_is_merged_once(
    before: str, after: str, more: list[str], complaint: Diagnostic
) -> None:
    rule = learn(before, after, complaint, "python")
    other = learn(before + "".join(more), after + "".join(more), complaint, "python")
    if isinstance(rule, Rule) and isinstance(other, Rule):
        once = merge(rule, other.examples[0])
        if isinstance(once, Rule):
            assert merge(once, other.examples[0]) == once


@given(st.sampled_from(builtin_rules()), st.integers(0, 3), TEXTS, complaints())
def test_a_rule_touches_nothing_but_its_spans(
    rule: Rule, number: int, tail: str, strange: Diagnostic
) -> None:
    example = rule.examples[number % len(rule.examples)]
    text = example.before + tail
    for complaint in (complaint_of(rule, example), strange):
        made = rewrite(rule, text, complaint)
        if isinstance(made, Rewritten):
            _assert_kept(text, made)


def _assert_kept(text: str, made: Rewritten) -> None:
    """What is outside of the spans is there again, in order, at both ends and between."""
    edges = [0, *(edge for span in made.spans for edge in span), len(text)]
    kept = [text[start:end] for start, end in list(pairwise(edges))[::2]]
    assert made.text.startswith(kept[0])
    assert made.text.endswith(kept[-1])
    at = 0
    for piece in kept:
        at = made.text.index(piece, at) + len(piece)
