"""A rule from one example stays within what that example shows."""

from __future__ import annotations

import pytest

from holdfast.rules.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.learn_rule import learn
from holdfast.rules.rule import Rule
from holdfast.vocab.diagnostics import Area, Diagnostic, Target


def _said(template: str, *args: str, at: tuple[int, int]) -> Diagnostic:
    area = Area(*at, *at)
    return Diagnostic("gcc", "", "E", "error", template.format(*args), template, args, "", area)


def _rule(before: str, after: str, said: Diagnostic, target: Target) -> Rule:
    rule = learn(before, after, said, target)
    assert isinstance(rule, Rule), rule
    return rule


FEW = "too few arguments to function {0}"
ASK = _rule(
    "int f(void) {\n    return fgets(line, 80);\n}\n",
    "int f(void) {\n    return fgets(line, 80, stdin);\n}\n",
    _said(FEW, "fgets", at=(2, 12)),
    "c",
)


def _made(rule: Rule, text: str, said: Diagnostic) -> str | None:
    made = rewrite(rule, text, said)
    return made.text if isinstance(made, Rewritten) else None


def test_names_and_literals_that_the_fix_carries_over_are_free() -> None:
    text = "void g(void) {\n    if (x) fgets(row, 12);\n}\n"
    made = _made(ASK, text, _said(FEW, "fgets", at=(2, 12)))
    assert made == text.replace("12)", "12, stdin)")


@pytest.mark.parametrize(
    "call",
    ["fputs(line, 80)", "fgets(line)", "fgets(line, 80, 1)", "fgets(line, n)", "fgets(f(x), 80)"],
)
def test_another_function_number_or_kind_of_operands_is_left_alone(call: str) -> None:
    text = f"int g(void) {{\n    return {call};\n}}\n"
    said = _said(FEW, call.partition("(")[0], at=(2, 12))
    assert isinstance(rewrite(ASK, text, said), NoFit)


def test_a_comma_in_a_call_is_no_comma_in_a_condition() -> None:
    expected = "expected ')' before {0}"
    rule = _rule(
        'void f(void) {\n    printf("%s" name);\n}\n',
        'void f(void) {\n    printf("%s", name);\n}\n',
        _said(expected, "name", at=(2, 17)),
        "c",
    )
    call = 'void g(void) {\n    puts("a" other);\n}\n'
    made = _made(rule, call, _said(expected, "other", at=(2, 14)))
    assert made == call.replace('"a" other', '"a", other')
    condition = 'void g(void) {\n    while ("a" other) ;\n}\n'
    assert _made(rule, condition, _said(expected, "other", at=(2, 16))) is None


def test_a_cast_stays_with_the_declared_type_where_the_message_names_none() -> None:
    said = _said("array subscript is not an integer", at=(2, 15))
    rule = _rule(
        "int f(int *row, double at) {\n    return row[at];\n}\n",
        "int f(int *row, double at) {\n    return row[(int)at];\n}\n",
        said,
        "c",
    )
    double = "int g(int *all, double x) {\n    return all[x];\n}\n"
    assert _made(rule, double, said) == double.replace("[x]", "[(int)x]")
    pointer = "int g(int *all, char *x) {\n    return all[x];\n}\n"
    assert _made(rule, pointer, said) is None


def test_lines_that_were_added_before_a_statement_are_indented_like_it() -> None:
    rule = _rule(
        "def f(t):\n    m = t.x()\n    return m.group()\n",
        "def f(t):\n    m = t.x()\n    if m is None:\n        return ''\n    return m.group()\n",
        _said("{0} may be None", "Match", at=(3, 12)),
        "python",
    )
    text = "class A:\n    def f(self):\n        return k.group()\n"
    made = _made(rule, text, _said("{0} may be None", "Match", at=(3, 16)))
    assert made == text.replace(
        "        return k", "        if k is None:\n            return ''\n        return k"
    )


def test_two_places_that_fit_are_none() -> None:
    said = _said("cannot assign twice to {0}", "n", at=(3, 5))
    rule = _rule(
        "fn f() {\n    let n = 1;\n    n += 1;\n}\n",
        "fn f() {\n    let mut n = 1;\n    n += 1;\n}\n",
        said,
        "rust",
    )
    twice = "fn f() {\n    let n = 1;\n    n += 1;\n    let n = 2;\n}\n"
    assert rewrite(rule, twice, said) == NoFit("the pattern fits at 2 places")


def test_a_type_that_is_a_keyword_stays_as_it_is() -> None:
    said = _said("Type {0} is not assignable to type {1}.", "string", "number", at=(1, 7))
    rule = _rule("const n: number = t;\n", "const n: number = Number(t);\n", said, "typescript")
    assert _made(rule, "const k: number = word;\n", said) == "const k: number = Number(word);\n"
    assert _made(rule, "const k: string = word;\n", said) is None
