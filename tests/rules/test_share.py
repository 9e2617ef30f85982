"""A model fixes all errors of a file at once; each rule fixes one of them."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.rules.learn.attribute_edits import attribute_edits
from holdfast.rules.match.apply_rule import Rewritten, rewrite
from holdfast.rules.rule import Rule
from holdfast.rules.rule_book import RuleBook
from holdfast.vocab.diagnostics import Diagnostic, Target
from tests.rules.complaint import complaint, undefined


def made_of(rules: Sequence[Rule], text: str, said: Diagnostic) -> list[str]:
    made = (rewrite(rule, text, said) for rule in rules)
    return [each.text for each in made if isinstance(each, Rewritten)]


def shares(
    before: str, after: str, said: Sequence[Diagnostic], target: Target = "python"
) -> list[str]:
    return [share.after for share in attribute_edits(before, after, said, target)]


def test_each_line_is_the_share_of_the_complaint_about_it() -> None:
    before, after = "a = xrange(3)\nb = unicode(4)\n", "a = range(3)\nb = str(4)\n"
    said = [undefined("xrange", 1, 5), undefined("unicode", 2, 5)]
    assert shares(before, after, said) == [
        "a = range(3)\nb = unicode(4)\n",
        "a = xrange(3)\nb = str(4)\n",
    ]


def test_two_edits_on_one_line_belong_to_the_complaint_that_each_is_nearest_to() -> None:
    before, after = "int n = size(s) return n;\n", "int n = strlen(s); return n;\n"
    unknown = complaint(
        "implicit declaration of {0}", "size", column=9, end_column=13, code="implicit"
    )
    missing = complaint("expected ';' before 'return'", column=17, end_column=23, code="syntax")
    assert shares(before, after, [unknown, missing], "c") == [
        "int n = strlen(s) return n;\n",
        "int n = size(s); return n;\n",
    ]


def test_a_rule_for_one_of_two_complaints_does_nothing_about_the_other() -> None:
    book = RuleBook()
    unknown = complaint(
        "implicit declaration of {0}", "size", column=9, end_column=13, code="implicit"
    )
    missing = complaint("expected ';' before 'return'", column=17, end_column=23, code="syntax")
    book.learn(
        "int n = size(s) return n;\n", "int n = strlen(s); return n;\n", [unknown, missing], "c"
    )
    text = "int k = size(t);\n"
    assert made_of(list(book), text, unknown) == ["int k = strlen(t);\n"]


def test_imports_that_came_together_are_the_share_of_who_names_them() -> None:
    before = "class A {\n    List<String> a = new ArrayList<>();\n}\n"
    after = f"import java.util.ArrayList;\nimport java.util.List;\n\n{before}"
    said = [
        complaint("no {0}", "List", line=2, column=5),
        complaint("no {0}", "ArrayList", line=2, column=26),
    ]
    assert shares(before, after, said, "java") == [
        f"import java.util.List;\n\n{before}",
        f"import java.util.ArrayList;\n\n{before}",
    ]


def test_what_no_complaint_is_near_to_belongs_to_all_of_them() -> None:
    before, after = "x = 1\nf(x)\ng(y)\nh(y)\n", "x = 2\ny = 0\nf(x)\ng(y)\nh(y)\n"
    said = [undefined("y", 3, 3), undefined("y", 4, 3)]
    assert shares(before, after, said) == [after, after]


def test_a_complaint_that_nothing_answers_has_no_share() -> None:
    before, after = "a = xrange(3)\nb = xrange(4)\nc = d\n", "a = range(3)\nb = range(4)\nc = d\n"
    said = [undefined("xrange", 1, 5), undefined("xrange", 2, 5), undefined("d", 3, 5)]
    assert [share.diagnostic for share in attribute_edits(before, after, said, "python")] == said[
        :2
    ]
