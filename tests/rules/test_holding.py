"""To what a rule holds the names and types of a message: as loosely as its fix allows, and no looser."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.rules.learn.learn_rule import NotLearned, learn
from holdfast.rules.match.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.match.type_similarity import forms_of, loosest_form
from holdfast.rules.rule import Rule
from holdfast.vocab.diagnostics import Diagnostic, Target
from tests.rules.complaint import complaint


def rule_of(before: str, after: str, said: Diagnostic, target: Target) -> Rule:
    rule = learn(before, after, said, target)
    assert isinstance(rule, Rule), rule
    return rule


def alike(one: str, other: str, text: str = "", words: tuple[str, ...] = ()) -> bool:
    return loosest_form(one, text, words) in forms_of(other, text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("const char [8]", "const char [17]"),
        ("std::vector<int>", "std::vector<std::string>"),
        ("const std::string", "std::string"),
        ("list[int]", "list[str]"),
        ("{ url: string; }", "{ title: string; done: boolean; }"),
        ("f64: Ord", "f32: Ord"),
        ("int", "double"),
        ("double[]", "java.lang.String[]"),
    ],
)
def test_types_that_differ_in_what_no_fix_reads_are_alike(one: str, other: str) -> None:
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("str", "bytes"),
        ("Option<i32>", "Result<i32, E>"),
        ("char *", "char **"),
        ("int", "String"),
        ("&str", "str"),
    ],
)
def test_other_types_are_not(one: str, other: str) -> None:
    assert not alike(one, other)


def test_a_fix_that_names_a_type_of_numbers_is_for_that_one_only() -> None:
    assert not alike("int", "long", words=("Integer", "parseInt"))
    assert not alike("int", "double", words=("parseInt",))
    assert alike("i32", "u64", words=("f64",))
    assert not alike("i32", "f32", words=("f64",))


def test_a_type_of_the_program_is_another_one_in_the_next() -> None:
    assert loosest_form("Option<Point>", "struct Point;", ()) == loosest_form(
        "Option<Cart>", "struct Cart;", ()
    )
    assert loosest_form("Point", "struct Point;", ()) != loosest_form("String", "struct Point;", ())


PARAMETER = complaint("parameter {0} has no type", "n", column=12)


def test_a_type_that_is_made_up_is_for_names_that_are_used_alike() -> None:
    rule = rule_of(
        "function f(n) { return n * 2; }\n",
        "function f(n: number) { return n * 2; }\n",
        PARAMETER,
        "typescript",
    )
    reckoned = rewrite(rule, "function g(m) { return m - 1; }\n", replace(PARAMETER, args=("m",)))
    logged = rewrite(rule, "function g(m) { console.log(m); }\n", replace(PARAMETER, args=("m",)))
    assert isinstance(reckoned, Rewritten)
    assert reckoned.text == "function g(m: number) { return m - 1; }\n"
    assert logged == NoFit("the message has an argument that is in no example")


def test_a_value_that_is_made_up_is_for_that_function_only() -> None:
    said = complaint(
        "too few arguments to function {0}", "strtol", line=1, column=29, end_column=35
    )
    before = "long f(char *t) { return strtol(t, NULL); }\n"
    said = replace(said, area=complaint("", column=26, end_column=32).area)
    rule = rule_of(before, "long f(char *t) { return strtol(t, NULL, 10); }\n", said, "c")
    other = rewrite(rule, before.replace("strtol", "opened"), replace(said, args=("opened",)))
    assert other == NoFit("the message has an argument that is in no example")
    assert isinstance(rewrite(rule, before.replace("t", "t"), said), Rewritten)


def test_a_name_is_not_taken_from_an_object_that_has_none_of_it() -> None:
    before = (
        "class A:\n    def f(self):\n        self.x = 1\n\n    def g(self):\n        return x\n"
    )
    said = complaint("undefined {0}", "x", line=6, column=16, end_column=17)
    rule = rule_of(before, before.replace("return x", "return self.x"), said, "python")
    tax = before.replace("return x", "return y")
    assert rewrite(rule, tax, replace(said, args=("y",))) == NoFit("self has no y")
    known = tax.replace("self.x = 1", "self.y = 1")
    assert isinstance(rewrite(rule, known, replace(said, args=("y",))), Rewritten)


def test_a_second_declaration_of_a_constant_stays() -> None:
    before = "let t = 1;\nlet t = 2;\n"
    said = complaint("{0} has already been declared", "t", line=2, column=5, code="")
    rule = rule_of(before, "let t = 1;\nt = 2;\n", said, "javascript")
    assert isinstance(rewrite(rule, before, said), Rewritten)
    assert rewrite(rule, before.replace("let t = 1", "const t = 1"), said) == NoFit(
        "t is a constant"
    )


def test_a_bracket_among_brackets_closes_what_the_new_one_opened() -> None:
    said = complaint("cannot compare {0}", "size_t", column=12, end_column=20)
    rule = rule_of(
        "int x = max(a, v.size());\n",
        "int x = max(a, static_cast<int>(v.size()));\n",
        replace(said, area=complaint("", column=16, end_column=24).area),
        "cpp",
    )
    made = rewrite(
        rule,
        "int y = max(b, w[0].length());\n",
        replace(said, area=complaint("", column=16, end_column=29).area),
    )
    assert isinstance(made, Rewritten)
    assert made.text == "int y = max(b, static_cast<int>(w[0].length()));\n"


def test_new_lines_are_indented_as_the_line_they_come_to() -> None:
    before = "int f(int n) {\n    for (int i = 0; i < n; i++) {}\n    return i;\n}\n"
    after = "int f(int n) {\n    int i;\n    for (i = 0; i < n; i++) {}\n    return i;\n}\n"
    said = complaint("{0} undeclared", "i", line=3, column=12, end_column=13)
    rule = rule_of(before, after, said, "c")
    deep = "int g(int n) {\n    if (n) {\n        for (int k = 0; k < n; k++) {}\n        return k;\n    }\n    return 0;\n}\n"
    made = rewrite(
        rule,
        deep,
        replace(said, args=("k",), area=complaint("", line=4, column=16, end_column=17).area),
    )
    assert isinstance(made, Rewritten)
    assert "        int k;\n        for (k = 0;" in made.text


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("import os\n\n\nx = Path()\n", "import os\nfrom pathlib import Path\n\n\nx = Path()\n"),
        (
            '"""Doc."""\n\n\nx = Path()\n',
            '"""Doc."""\n\nfrom pathlib import Path\n\n\nx = Path()\n',
        ),
        ("x = Path()\n", "from pathlib import Path\n\n\nx = Path()\n"),
    ],
)
def test_an_import_goes_where_people_put_it(lines: str, wanted: str) -> None:
    said = complaint("undefined {0}", "Path", line=1, column=5, end_column=9)
    rule = rule_of("y = Path()\n", "from pathlib import Path\n\n\ny = Path()\n", said, "python")
    area = complaint("", line=lines.count("\n"), column=5, end_column=9).area
    made = rewrite(rule, lines, replace(said, area=area))
    assert isinstance(made, Rewritten)
    assert made.text == wanted


def test_a_statement_out_of_nowhere_is_no_rule() -> None:
    before = "int f(int n) {\n    if (n > 0) {\n        return 1;\n    }\n}\n"
    said = complaint("missing return statement", line=5, column=1, code="missing.ret")
    rule = learn(before, before.replace("    }\n}\n", "    }\n    return -1;\n}\n"), said, "java")
    assert rule == NotLearned("the differences are not tied to the message or to its place")


def test_a_name_of_the_program_is_not_taken_into_the_next() -> None:
    before = 'def f(name, count):\n    return "%s %d" % (name,)\n'
    said = complaint("too few values: {0} for {1}", "1", "2", line=2, column=12)
    rule = learn(before, before.replace("(name,)", "(name, count)"), said, "python")
    assert rule == NotLearned("the fix uses count, a name of this program")


def test_code_is_deleted_only_where_it_stands_twice_or_is_named() -> None:
    text = "int f(int n) {\n    switch (n) {\n    case 1: return 2;\n    case 1: return 2;\n    }\n    return 0;\n}\n"
    said = complaint("duplicate case value", line=4, column=5, end_column=9)
    rule = rule_of(text, text.replace("    case 1: return 2;\n", "", 1), said, "c")
    assert isinstance(rewrite(rule, text, said), Rewritten)
    other = text.replace("case 1: return 2;\n    }", "case 1: return 3;\n    }")
    assert rewrite(rule, other, said) == NoFit("it would delete code that is nowhere else")


def test_only_a_variable_of_the_module_is_made_global() -> None:
    before = "count = 0\n\n\ndef f():\n    count += 1\n"
    said = complaint("local {0} used before it is set", "count", line=5, column=5, end_column=10)
    rule = rule_of(
        before, before.replace("    count", "    global count\n    count"), said, "python"
    )
    assert isinstance(rewrite(rule, before, said), Rewritten)
    imported = before.replace("count = 0", "from a import count")
    assert rewrite(rule, imported, said) == NoFit("count is no variable of the module")


def test_a_conversion_is_to_the_same_kind_of_type_and_not_of_what_is_written_out() -> None:
    said = complaint("cannot add {0} and {1}", "str", "int", column=9, end_column=10)
    rule = rule_of("x = a + b\n", "x = a + str(b)\n", said, "python")
    assert isinstance(rewrite(rule, "x = c + d\n", said), Rewritten)
    assert rewrite(rule, "x = c + d\n", replace(said, args=("bytes", "int"))) == NoFit(
        "the message has an argument that is in no example"
    )
    assert rewrite(rule, "x = c + 1\n", said) == NoFit(
        "a literal would be converted instead of written with the wanted type"
    )


def test_a_text_that_is_also_used_as_a_text_is_not_read_as_a_number() -> None:
    said = complaint("{0} given, {1} wanted", "str", "int", line=2, column=14, end_column=15)
    rule = rule_of(
        "def f(a):\n    return g(a)\n", "def f(a):\n    return g(int(a))\n", said, "python"
    )
    both = rewrite(rule, "def f(b):\n    return g(b) + b.upper()\n", said)
    assert both == NoFit("b is used as a text, too")
