"""A complaint for a test, with only what the test is about."""

from __future__ import annotations

from holdfast.rules.learn_rule import learn
from holdfast.rules.rule import Rule
from holdfast.vocab.diagnostics import Area, Diagnostic


def complaint(
    template: str,
    *args: str,
    line: int = 1,
    column: int = 1,
    end_column: int | None = None,
    code: str = "X1",
) -> Diagnostic:
    area = Area(line, column, line, column if end_column is None else end_column)
    return Diagnostic(
        "tool", "1", code, "error", template.format(*args), template, args, "a.py", area
    )


def undefined(name: str, line: int = 1, column: int = 1) -> Diagnostic:
    return complaint("undefined {0}", name, line=line, column=column, end_column=column + len(name))


def learned(before: str, after: str, diagnostic: Diagnostic) -> Rule:
    rule = learn(before, after, diagnostic, "python")
    assert isinstance(rule, Rule), rule
    return rule
