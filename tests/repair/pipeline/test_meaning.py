"""A fix changes only what the errors are about, and what may change the meaning is shown to a person."""

from __future__ import annotations

import pytest

from holdfast.repair.outcomes import NeedsReview, Repaired, RuleRepaired, VerificationRejected
from holdfast.vocab.diagnostics import Area, Diagnostic, Target
from tests.repair.pipeline.judged import objections
from tests.repair.pipeline.stage import MemoryRules, Proposing, Stage


def _said(message: str, line: int, column: int, *args: str) -> Diagnostic:
    area = Area(line, column, line, column)
    return Diagnostic("mypy", "", "misc", "error", message, message, args, "", area)


def _judged(before: str, after: str, said: Diagnostic, language: Target = "python") -> list[str]:
    path = {"python": "a.py", "typescript": "a.ts", "c": "a.c", "java": "A.java"}[language]
    return list(objections(before, after, path, language, [said]))


PAY = "def pay(amount, balance):\n    assert amount > 0\n    return balance - amount + ''\n"
PAY_SAID = _said("Unsupported operand types", 3, 12, "int", "str")


def test_an_edit_that_no_error_points_at_is_refused() -> None:
    honest = PAY.replace(" + ''", "")
    assert _judged(PAY, honest, PAY_SAID) == []
    (reason,) = _judged(PAY, honest.replace("    assert amount > 0\n", ""), PAY_SAID)
    assert reason == (
        "it changes `assert amount > 0` in line 2, which no error points at;"
        " change only what the errors are about."
    )


def test_a_declaration_or_an_import_of_the_name_in_the_message_is_about_it() -> None:
    before = "def f():\n    return os.sep\n"
    said = _said("undefined name `os`", 2, 12, "os")
    assert _judged(before, f"import os\n\n\n{before}", said) == []
    assert _judged(before, before.replace("    return", "    os = box()\n    return"), said) == []
    (reason,) = _judged(before, before.replace("f()", "f(os)"), said)
    assert reason == "it changes how f is called; keep the parameters."


@pytest.mark.parametrize(
    ("language", "old", "new", "word"),
    [
        ("python", "if not ok(n): return m", "if ok(n): return k", "not"),
        ("python", "return n < size(m)", "return n <= size(k)", "<"),
        ("python", "return total(m)", "return 19", "19"),
        ("python", "wait(30, m)", "wait(0, k)", "30"),
        ("python", "return int(m)", "return int(eval(k))", "eval"),
        ("typescript", "return m.get(1);", "return m.get(1) as number;", "`as`"),
        ("c", "write(f, m);", "(void)write(f, k);", "result"),
        ("java", "return f(m);", "try { return f(k); } catch (E e) { return g(); }", "catch"),
    ],
)
def test_a_change_of_meaning_at_the_error_is_not_simply_accepted(
    language: Target, old: str, new: str, word: str
) -> None:
    before, after = f"x = 1;\n{old}\n", f"x = 1;\n{new}\n"
    reasons = _judged(before, after, _said("Incompatible types", 2, 1), language)
    assert any(word in reason for reason in reasons), reasons


BAD = "def total(prices, rate):\n    if rate > 1:\n        return 0\n    return sum(price)\n"


def test_a_proposal_that_changes_something_else_is_rejected_and_nothing_is_learned() -> None:
    cheat = BAD.replace("rate > 1", "rate > 2").replace("price)", "prices)")
    stage = Stage(proposer=Proposing(cheat, cheat + "\n"))
    outcome = stage.repair(BAD)
    assert isinstance(outcome, VerificationRejected)
    assert "which no error points at" in outcome.reasons[0]
    assert stage.rules.learned == []


def test_a_doubtful_proposal_needs_a_review_and_nothing_is_learned() -> None:
    hard_coded = BAD.replace("return sum(price)", "return 19 + rate")
    stage = Stage(proposer=Proposing(hard_coded))
    outcome = stage.repair(BAD)
    assert isinstance(outcome, NeedsReview)
    assert outcome.reasons == (
        "it changes a calculation (`+ 19` is new).",
        "it writes `19` where `sum` was used.",
    )
    assert "+    return 19 + rate" in outcome.proposal
    assert (outcome.is_success(), stage.rules.learned) == (False, [])
    honest = Stage(proposer=Proposing(BAD.replace("price)", "prices)")))
    assert isinstance(honest.repair(BAD), Repaired)


def test_a_rule_that_nobody_has_judged_does_not_make_a_doubtful_text() -> None:
    swap = ("sum(price)", "19 + rate")
    for reviewed, outcome in ((False, NeedsReview), (True, RuleRepaired)):
        rules = MemoryRules({"r1": swap}, reviewed=reviewed)
        stage = Stage(proposer=Proposing(BAD.replace(*swap)), rules=rules)
        assert isinstance(stage.repair(BAD), outcome)
        assert rules.records == ([] if not reviewed else [("r1", True)])
