"""What the cases of tests/end_to_end/repair/paid_once have taught: where a rule holds back, and where it need not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.repair.diagnostics import rustc
from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.rules.learn.learn_rule import learn
from holdfast.rules.match.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.rule import Rule
from holdfast.rules.rule_book import RuleBook
from tests.rules.complaint import complaint, learned, undefined


def test_one_equals_sign_becomes_two_in_a_condition_and_not_in_a_statement() -> None:
    said = complaint("cannot assign", line=1, column=4, code="")
    rule = learned("if f() = 3:\n    g()\n", "if f() == 3:\n    g()\n", said)

    again = rewrite(
        rule, "while h() = 4:\n    g()\n", replace(said, area=complaint("", column=7).area)
    )
    assert again == Rewritten("while h() == 4:\n    g()\n", ((10, 11),))
    for statement in ("f() = 3\n", "f() = 3 and 4\n"):
        alone = rewrite(rule, statement, replace(said, area=complaint("", column=1).area))
        assert alone == NoFit("a comparison would be a statement of its own"), statement


def test_a_bracket_too_many_leaves_the_next_line_as_it_is() -> None:
    said = complaint("unmatched", line=1, column=5, code="syntax")
    rule = learned("f(1))\ng()\n", "f(1)\ng()\n", said)
    made = rewrite(rule, "f(2))\n    g()\n", said)
    assert isinstance(made, Rewritten)
    assert made.text == "f(2)\n    g()\n"


def test_two_tools_that_complain_about_a_line_give_a_rule_each() -> None:
    book = RuleBook()
    one = undefined("xrange", column=10)
    other = replace(one, tool="another", template="no {0}", message="no xrange")
    elsewhere = replace(other, tool="third", area=complaint("", line=2).area)
    before, after = "for i in xrange(3):\n    print(i)\n", "for i in range(3):\n    print(i)\n"
    first = book.learn(before, after, [one, other, elsewhere], "python")
    assert isinstance(first, Rule)
    assert (first.tool, sorted(rule.tool for rule in book)) == ("tool", ["another", "tool"])


@pytest.mark.parametrize(
    "template",
    [
        "Argument {0} to {1} has incompatible type",
        "compiler.err.cant.resolve.location: {0}, (compiler.misc.location: kindname.class, {1}, null)",
    ],
)
def test_what_only_says_where_it_is_may_be_another_name(template: str) -> None:
    said = complaint(template, "1", "double", column=8, end_column=9)
    rule = learn("double(text)\n", "double(int(text))\n", said, "python")
    assert isinstance(rule, Rule)
    assert 1 not in rule.constants


def test_a_suggestion_with_a_placeholder_is_no_fix() -> None:
    span = (
        '{"file_name": "a.rs", "byte_start": 0, "byte_end": 0, "line_start": 1, "line_end": 1, "column_start": 1,'
        ' "column_end": 1, "is_primary": true, "text": [], "suggested_replacement": "todo!()",'
        ' "suggestion_applicability": "%s"}'
    )
    said = (
        '{"$message_type": "diagnostic", "message": "x", "code": {"code": "E0004"}, "level": "error", "spans": [%s],'
        ' "children": [{"message": "add an arm", "code": null, "level": "help", "spans": [%s], "children": []}]}'
    )
    for kind, count in (("HasPlaceholders", 0), ("MachineApplicable", 1)):
        line = said % (span % "Unspecified", span % kind)
        [found] = rustc.parse(line, version="1", sources=SourceLines({"a.rs": "fn f() {}\n"}))
        assert len([each for each in found.fixits if each.message == "add an arm"]) == count, kind
