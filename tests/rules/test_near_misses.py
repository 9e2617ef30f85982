"""A rule leaves a program alone that has the same error and may mean something else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.repair.builtin import builtin_rules
from holdfast.rules.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.learn_rule import NotLearned, learn
from holdfast.rules.rule import Rule
from holdfast.rules.rule_book import RuleBook, with_verdict
from holdfast.vocab.diagnostics import Area, Diagnostic, Target


def _said(
    tool: str, code: str, template: str, *args: str, at: tuple[int, int], end: int = 0
) -> Diagnostic:
    area = Area(*at, at[0], max(at[1], end))
    return Diagnostic(tool, "", code, "error", template.format(*args), template, args, "", area)


def _learned(before: str, after: str, said: Diagnostic, target: Target) -> Rule:
    rule = learn(before, after, said, target)
    assert isinstance(rule, Rule), rule
    return rule


def _reason(rule: Rule, text: str, said: Diagnostic) -> str:
    made = rewrite(rule, text, said)
    return made.reason if isinstance(made, NoFit) else "rewritten"


def _at(said: Diagnostic, column: int) -> Diagnostic:
    assert said.area is not None
    return replace(said, area=replace(said.area, column=column, end_column=column))


def _builtin(rule_id: str) -> Rule:
    (rule,) = [rule for rule in builtin_rules() if rule.id == rule_id]
    return rule


def _python_import(name: str) -> Rule:
    for rule in builtin_rules():
        if rule.tool == "ruff" and rule.rewrite is None and name in rule.values.get(0, ()):
            return rule
    raise AssertionError(name)


# ------------------------------------------------------------------------------ a missing name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("json", "def f(text):\n    return json.loads(text)\n"),
        ("Path", "def f(path):\n    return Path(path)\n"),
        ("partial", "def f(g):\n    return partial(g, 1)\n"),
        ("csv", "def f(csv_path):\n    return csv.reader(csv_path)\n"),
    ],
)
def test_a_known_name_is_imported(name: str, text: str) -> None:
    line = text.split("\n")[1]
    said = _said("ruff", "F821", "Undefined name {0}", name, at=(2, line.index(name) + 1))
    assert isinstance(rewrite(_python_import(name), text, said), Rewritten)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("field", "def show(rows):\n    for fields in rows: print(field)\n"),
        ("uuid", "def key(row):\n    return uuid\n"),
        ("socket", "def send(sock, data):\n    socket.send(data)\n"),
        ("random", "def pick(randoms):\n    return random.choice(randoms)\n"),
    ],
)
def test_a_name_that_may_be_a_slip_or_a_variable_is_not_imported(name: str, text: str) -> None:
    line = text.split("\n")[1]
    said = _said("ruff", "F821", "Undefined name {0}", name, at=(2, line.index(f"{name}") + 1))
    if name == "field":
        said = _said("ruff", "F821", "Undefined name {0}", name, at=(2, line.rindex(name) + 1))
    assert _reason(_python_import(name), text, said) == (
        "the program may have another thing that the missing name means"
    )


def test_a_name_that_the_program_declares_elsewhere_is_not_replaced() -> None:
    rule = _builtin("java-none-of-python")
    text = "class A {\n    enum Mode { None, Fast }\n    Mode mode = None;\n}\n"
    said = _said("javac", rule.code, rule.template, "None", "A", at=(3, 17))
    assert _reason(rule, text, said).startswith("the program may have another thing")
    plain = "class A {\n    String mode = None;\n}\n"
    said = _said("javac", rule.code, rule.template, "None", "A", at=(2, 19))
    assert isinstance(rewrite(rule, plain, said), Rewritten)


def test_a_constant_with_the_first_word_of_the_programs_own_ones_is_its_own() -> None:
    rules = [rule for rule in builtin_rules() if rule.imports == ("#include <limits.h>",)]
    text = "enum { INT_LOW, INT_HIGH };\nint f(int n) { return n > INT_MAX; }\n"
    for rule in rules:
        said = _said("gcc", rule.code, rule.template, "INT_MAX", at=(2, 27))
        assert not isinstance(rewrite(rule, text, said), Rewritten)


def test_a_type_that_differs_only_in_its_case_from_one_of_the_program_is_that_one() -> None:
    (rule,) = [
        rule
        for rule in builtin_rules()
        if rule.imports == ("#include <stdbool.h>",) and rule.template == "unknown type name {0}"
    ]
    said = _said("gcc", "", rule.template, "bool", at=(2, 1))
    plain = "enum { NO, YES };\nbool f(int n);\n"
    assert isinstance(rewrite(rule, plain, said), Rewritten)
    own = plain.replace("enum { NO, YES }", "typedef enum { NO, YES } Bool")
    assert _reason(rule, own, said).startswith("the program may have another thing")


# ------------------------------------------------------------------------------- surroundings


def test_a_loop_whose_number_is_not_used_means_an_index() -> None:
    rule = _builtin("c-dot-for-arrow")
    text = (
        "int f(const struct item *xs, int n) {\n    int t = 0;\n"
        "    for (int i = 0; i < n; i++)\n        t += xs.price;\n    return t;\n}\n"
    )
    said = _said("gcc", rule.code, rule.template, "xs", at=(4, 16))
    assert _reason(rule, text, said) == "nothing reads a variable that may be what is meant"


def test_an_operation_in_the_place_of_a_call_is_not_taken_apart_by_another() -> None:
    said = _said("mypy", "attr-defined", "{0} has no attribute {1}", "d", "has", at=(2, 12))
    text = "def f(d: dict[str, int], k: str) -> bool:\n    return d.has(k)\n"
    rule = _learned(text, text.replace("d.has(k)", "k in d"), said, "python")
    assert _reason(rule, text.replace("d.has(k)", "d.has(k) == False"), said) == (
        "an operator around would take only a part of the new text"
    )
    within = text.replace("d.has(k)", "bool(d.has(k))")
    assert _reason(rule, within, _at(said, 17)) == "rewritten"


def test_two_examples_with_two_functions_free_the_function() -> None:
    book = RuleBook()
    for name in ("fill", "load"):
        text = f"void {name}(int *p);\nint f(void) {{\n    int n = 0;\n    {name}(n);\n    return n;\n}}\n"
        said = _said("gcc", "", "argument of {0}", name, at=(4, 10))
        book.learn(text, text.replace(f"{name}(n)", f"{name}(&n)"), [said], "c")
    assert len(book) == 1


# ---------------------------------------------------------------------------------- certainty


@pytest.mark.parametrize(
    ("before", "after", "certain"),
    [
        ("f(a b)\n", "f(a, b)\n", True),
        ("self.n = xs.length\n", "self.n = xs.size\n", True),
        ("f(a)\n", "f(a, stdin)\n", True),
        ("f(a)\n", "f(a, 0)\n", False),
        ("f(a)\n", "f(int(a))\n", True),
        ("f(a)\n", "f(a, None)\n", False),
    ],
)
def test_a_value_that_one_fix_writes_is_a_hint(before: str, after: str, certain: bool) -> None:
    said = _said("tool", "X1", "bad {0}", "length", at=(1, 3))
    rule = learn(before, after, said, "python")
    assert not isinstance(rule, NotLearned), rule
    assert rule.safe is certain


def test_a_rule_that_is_a_choice_is_applied_once_a_person_approves_or_pins_it() -> None:
    rule = _learned("f(a)\n", "f(a, 0)\n", _said("tool", "X1", "bad", at=(1, 1)), "python")
    assert not rule.safe
    assert with_verdict(rule, "approve").safe
    assert with_verdict(rule, "pin").safe
    assert with_verdict(rule, "widen").safe


def test_what_was_learned_is_kept_beside_a_builtin_rule_that_is_only_a_hint() -> None:
    hint = _builtin("rust-assigned-twice")
    assert not hint.safe
    book = RuleBook([hint])
    text = "fn f() -> i32 {\n    let n = 1;\n    n = 2;\n    n\n}\n"
    said = _said("rustc", hint.code, hint.template, "n", at=(3, 5))
    rule = book.learn(text, text.replace("let n", "let mut n"), [said], "rust")
    assert isinstance(rule, Rule)
    assert (rule.id != hint.id, rule.safe) == (True, True)


@pytest.mark.parametrize(
    "rule_id",
    [
        "python-not-sign",
        "python-unclosed-bracket",
        "python-compare-to-none",
        "python-async-def",
        "javascript-not-word",
        "javascript-await-in-arrow",
        "java-print-line",
        "typescript-constant-assigned",
    ],
)
def test_builtin_rules_that_may_change_the_meaning_are_hints(rule_id: str) -> None:
    assert not _builtin(rule_id).safe


def test_a_string_of_blanks_is_no_reason_to_fail() -> None:
    text = 'int f(const char *t) {\n    return *t == " ";\n}\n'
    said = _said("g++", "", "comparison of {0}", "int", at=(2, 15))
    learn(text, text.replace('" "', "' '"), said, "cpp")
