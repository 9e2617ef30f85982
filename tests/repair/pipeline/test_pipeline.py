"""Every outcome and every way through the pipeline."""

from __future__ import annotations

import ast
import math
from typing import get_args

import pytest

from holdfast.landing.land import land
from holdfast.repair.decisions.decision import Decision
from holdfast.repair.decisions.decision_ids import sha_of
from holdfast.repair.decisions.manifest import Pin
from holdfast.repair.outcomes import (
    Exhausted,
    FirstTrySuccess,
    FixItRepaired,
    NoProgress,
    NoProvider,
    ProductionBlocked,
    ProviderError,
    RejectedLowConfidence,
    Repaired,
    RepairOutcome,
    Replayed,
    RuleRepaired,
    TimedOut,
    VerificationRejected,
)
from holdfast.repair.ports import Checked, CheckTimedOut, Proposal, ProposerFailed
from holdfast.vocab.diagnostics import FixIt
from holdfast.vocab.outcomes import Landed
from holdfast.vocab.requests import WriteFile
from tests.repair.pipeline.stage import ORACLE, NamesCheck, Proposing, Stage, renames

GOOD = "def total(prices):\n    return sum(prices)\n"
BAD = "def total(prices):\n    return sum(price)\n"
ERROR = "shop/cart.py:2:16: error: undefined name `price` [undefined]"
OTHER = "def total(prices):\n    return sum(pricess)\n"
THIRD = "def total(prices):\n    return sum(prize)\n"


def propose(text: str, confidence: object = 0.9) -> Proposal:
    return Proposal(text, confidence, "a slip of the pen", "scripted")


# ------------------------------------------------------------------------------------------------------- without a model


def test_what_passes_is_left_alone_after_one_check() -> None:
    stage = Stage(proposer=Proposing())
    assert stage.repair(GOOD) == FirstTrySuccess(GOOD, ORACLE)
    assert (stage.check.runs, stage.decisions) == ([GOOD], [])


def test_the_compilers_own_fix_comes_first() -> None:
    stage = Stage(NamesCheck(renames("price", "prices")), Proposing())
    stage.rules.swaps["r1"] = ("price)", "prices)")
    assert stage.repair(BAD) == FixItRepaired(GOOD, ORACLE)
    assert stage.check.runs == [BAD, GOOD]
    assert stage.told() == [("repair", "the compiler's own fix-it", "accepted")]
    assert stage.rules.records == []


def test_a_fix_it_that_the_compiler_does_not_call_safe_is_no_way_into_production() -> None:
    guessed = renames("price", "prices", safe=False)
    left = Stage(NamesCheck(guessed)).repair(BAD)
    assert isinstance(left, NoProvider)
    [hint] = left.hints
    assert hint.startswith("a guess of the compiler:\n@@ ")
    allowed = Stage(NamesCheck(guessed)).repair(BAD, unsafe_fixes=True)
    assert allowed == FixItRepaired(GOOD, ORACLE)
    blocked = Stage(NamesCheck(guessed)).repair(BAD, strictness="production", unsafe_fixes=True)
    assert blocked == ProductionBlocked(ERROR)
    assert Stage(NamesCheck(guessed)).repair(BAD, strictness="production") == ProductionBlocked(
        ERROR
    )
    assert Stage(NamesCheck(renames("price", "prices"))).repair(
        BAD, strictness="production"
    ) == FixItRepaired(GOOD, ORACLE)


def test_a_fix_it_that_helps_only_in_part_is_gone_on_from() -> None:
    both = "def total(prices):\n    return sum(price) + taxx\n"
    stage = Stage(
        NamesCheck(renames("price", "prices")),
        Proposing("def total(prices, taxx=0):\n    return sum(prices) + taxx\n"),
    )
    outcome = stage.repair(both)
    assert isinstance(outcome, Repaired)
    assert stage.proposer is not None
    assert stage.proposer.asked[0].text == "def total(prices):\n    return sum(prices) + taxx\n"
    assert stage.told() == [
        ("repair", "the compiler's own fix-it", "accepted"),
        ("repair", "the model's proposal", "accepted"),
    ]


def test_a_fix_it_that_spoils_the_others_is_left_out() -> None:
    two = "def total(prices):\n    return sum(price) + len(prize)\n"

    def fixits(path: str, name: ast.Name) -> tuple[FixIt, ...]:
        return renames("price", "prices")(path, name) or renames("prize", "(")(path, name)

    stage = Stage(NamesCheck(fixits))
    stage.rules.swaps["r1"] = ("prize", "prices")
    assert isinstance(stage.repair(two), RuleRepaired)
    assert stage.told()[0] == ("repair", "the compiler's own fix-it", "accepted")


def test_a_rule_needs_no_model() -> None:
    stage = Stage(proposer=Proposing())
    stage.rules.swaps["r1"] = ("price)", "prices)")
    assert stage.repair(BAD) == RuleRepaired(GOOD, ("r1",), ORACLE)
    assert stage.rules.records == [("r1", True)]
    assert stage.told() == [("rule_applied", "rule r1", "accepted")]
    assert stage.decisions[0].rule_id == "r1"


def test_a_rule_that_does_not_help_is_counted_and_the_next_is_tried() -> None:
    stage = Stage()
    stage.rules.swaps |= {"bad": ("price)", "prize)"), "good": ("price)", "prices)")}
    assert stage.repair(BAD) == RuleRepaired(GOOD, ("good",), ORACLE)
    assert stage.rules.records == [("bad", False), ("good", True)]
    assert stage.told() == [
        ("rule_applied", "rule bad", "failed"),
        ("rule_applied", "rule good", "accepted"),
    ]
    assert stage.check.runs == [BAD, THIRD, GOOD]


def test_two_rules_fix_two_errors() -> None:
    stage = Stage()
    stage.rules.swaps |= {"one": ("price)", "prices)"), "two": ("taxx", "0")}
    outcome = stage.repair("def total(prices):\n    return sum(price) + taxx\n")
    assert outcome == RuleRepaired(
        "def total(prices):\n    return sum(prices) + 0\n", ("one", "two"), ORACLE
    )


def test_without_anybody_to_ask_the_error_is_kept() -> None:
    assert Stage().repair(BAD) == NoProvider(ERROR)


# -------------------------------------------------------------------------------------------------------- strictness


@pytest.mark.parametrize("proposer", [None, Proposing()])
def test_production_never_asks_and_says_so_whether_or_not_there_is_somebody_to_ask(
    proposer: Proposing | None,
) -> None:
    stage = Stage(proposer=proposer)
    stage.rules.swaps["r1"] = ("price)", "prices)")
    assert stage.repair(BAD, strictness="production") == ProductionBlocked(ERROR, ("r1",))
    assert (stage.rules.records, stage.decisions) == ([], [])


def test_production_names_the_rules_that_were_tried_and_fix_it_and_no_others() -> None:
    stage = Stage()
    stage.rules.swaps |= {
        "useless": ("price)", "prize)"),
        "one": ("price)", "prices)"),
        "two": ("taxx", "0"),
    }
    both = "def total(prices):\n    return sum(price) + taxx\n"
    blocked = stage.repair(both, strictness="production")
    assert isinstance(blocked, ProductionBlocked)
    assert (blocked.needs_pin, blocked.decisions) == (("one", "two"), ())
    stage.rules.pinned |= {"one", "two"}
    assert isinstance(stage.repair(both, strictness="production"), RuleRepaired)


def test_production_names_no_rule_that_does_not_fix_everything() -> None:
    stage = Stage()
    stage.rules.swaps |= {"useless": ("price)", "prize)"), "half": ("taxx", "0")}
    blocked = stage.repair(
        "def total(prices):\n    return sum(price) + taxx\n", strictness="production"
    )
    assert isinstance(blocked, ProductionBlocked)
    assert blocked.needs_pin == ()
    assert (stage.rules.records, stage.decisions) == ([], [])


def test_production_names_the_decisions_that_fixed_exactly_this_text_and_pinning_them_is_enough() -> (
    None
):
    both = "def total(prices):\n    return sum(price) + taxx\n"
    whole = "def total(prices, taxx=0):\n    return sum(prices) + taxx\n"
    stage = Stage(NamesCheck(renames("price", "prices", safe=False)), Proposing(whole))
    stage.repair(both, unsafe_fixes=True)
    stage.proposer = None
    blocked = stage.repair(both, strictness="production")
    assert isinstance(blocked, ProductionBlocked)
    assert set(blocked.decisions) == {each.id for each in stage.decisions}
    assert len(blocked.decisions) == 2
    for decision in stage.decisions:
        stage.manifest.pin(decision, Pin("ann", "2026-02-02"))
    assert stage.repair(both, strictness="production").accepted_code() == whole


def test_production_applies_a_pinned_rule() -> None:
    stage = Stage()
    stage.rules.swaps["r1"] = ("price)", "prices)")
    stage.rules.pinned.add("r1")
    assert stage.repair(BAD, strictness="production") == RuleRepaired(GOOD, ("r1",), ORACLE)


def test_production_does_not_take_a_cached_response() -> None:
    stage = Stage(proposer=Proposing(GOOD))
    stage.repair(BAD)
    [decision] = stage.decisions
    known = (decision.id,)
    assert stage.repair(BAD, strictness="production") == ProductionBlocked(ERROR, known, known)


@pytest.mark.parametrize("strictness", ["sketch", "development"])
def test_sketch_and_development_ask_and_learn(strictness: str) -> None:
    stage = Stage(proposer=Proposing(GOOD))
    assert stage.repair(BAD, strictness=strictness) == Repaired(GOOD, 1, "rule-1", ORACLE)
    assert stage.rules.learned == [(BAD, GOOD)]


# ------------------------------------------------------------------------------------------------------------ replay


def test_a_pinned_decision_is_replayed_without_a_provider_in_production() -> None:
    stage = Stage(proposer=Proposing(GOOD))
    stage.repair(BAD)
    stage.proposer, stage.answers = None, type(stage.answers)()
    [decision] = stage.decisions
    stage.manifest.pin(decision, Pin("ann", "2026-02-02", "looked at"))
    before = dict(stage.files.files)
    assert stage.repair(BAD, strictness="production") == Replayed(GOOD, decision.id, ORACLE)
    assert stage.files.files == before


def test_a_pin_lets_a_low_confidence_pass_and_never_verify() -> None:
    stage = Stage(proposer=Proposing(propose(GOOD, 0.2), propose("", 0.2)))
    assert stage.repair(BAD) == RejectedLowConfidence(ERROR, 0.2, 0.75)
    [decision] = stage.decisions
    assert (decision.verdict, decision.confidence) == ("rejected", 0.2)
    stage.manifest.pin(decision, Pin("ann", "2026-02-02"))
    assert stage.repair(BAD, strictness="production") == Replayed(GOOD, decision.id, ORACLE)


def test_a_pinned_decision_that_deletes_the_code_is_still_refused() -> None:
    stage = Stage(proposer=Proposing(propose("x = 1\n", 0.2)))
    stage.repair(BAD)
    stage.manifest.pin(stage.decisions[0], Pin("ann", "2026-02-02"))
    assert stage.repair(BAD, strictness="production") == ProductionBlocked(ERROR)


def test_a_replay_fits_the_same_error_after_the_file_has_moved_on() -> None:
    stage = Stage(proposer=Proposing(GOOD))
    stage.repair(BAD)
    stage.manifest.pin(stage.decisions[0], Pin("ann", "2026-02-02"))
    moved = '"""Carts."""\n\n' + BAD
    assert isinstance(stage.repair(moved, strictness="production"), Replayed)


@pytest.mark.parametrize("turned", [False, True])
def test_steps_that_were_pinned_are_replayed_in_the_order_in_which_they_fit(turned: bool) -> None:
    first, second = ("f" * 16, "0" * 16) if turned else ("0" * 16, "f" * 16)
    two = "def total(prices):\n    return sum(price) + taxx\n"
    one = two.replace("price)", "prices)")
    none = one.replace("taxx", "0")
    stage = Stage()
    for name, before, after in ((first, two, one), (second, one, none)):
        about = {
            "before_sha": sha_of(before.encode()),
            "after_sha": sha_of(after.encode()),
            "pinned": True,
        }
        landed = land(before, WriteFile(after), "shop/cart.py")
        assert isinstance(landed, Landed)
        module = "shop.cart.py"
        stage.manifest.record(
            Decision(
                name,
                module,
                "shop/cart.py",
                "python",
                "repair",
                "x",
                diff=landed.diff,
                **about,  # type: ignore[arg-type]
            )
        )
    assert stage.repair(two, strictness="production") == Replayed(none, second, ORACLE)


# ------------------------------------------------------------------------------------------------------------- model


def test_a_proposal_that_passes_is_recorded_with_its_oracle_and_its_diff() -> None:
    stage = Stage(proposer=Proposing(propose(GOOD, 0.75)))
    assert stage.repair(BAD) == Repaired(GOOD, 1, "rule-1", ORACLE)
    [decision] = stage.decisions
    assert (decision.verdict, decision.oracle, decision.model_id, decision.confidence) == (
        "accepted",
        ORACLE,
        "scripted",
        0.75,
    )
    assert decision.reasoning == f"{ERROR}\na slip of the pen"
    assert "-    return sum(price)\n+    return sum(prices)\n" in decision.diff


def test_the_same_question_is_paid_for_once() -> None:
    stage = Stage(proposer=Proposing(GOOD))
    stage.repair(BAD)
    stage.proposer, before = None, dict(stage.files.files)
    outcome = stage.repair(BAD)
    assert outcome == Repaired(GOOD, 0, "rule-1", ORACLE)
    assert isinstance(outcome, Repaired)
    assert outcome.cached
    assert stage.files.files == before


def test_a_proposal_that_fails_is_rolled_forward_with_its_own_error() -> None:
    stage = Stage(proposer=Proposing(OTHER, GOOD))
    assert stage.repair(BAD) == Repaired(GOOD, 2, "rule-1", ORACLE)
    assert stage.proposer is not None
    second = stage.proposer.asked[1]
    assert second.text == OTHER
    assert [each.message for each in second.diagnostics] == ["undefined name `pricess`"]
    assert OTHER in second.tried[0]
    # What is learned and replayed leads from the text that was there, not from the failed attempt.
    assert stage.rules.learned == [(BAD, GOOD)]
    assert stage.told() == [
        ("repair", "the model's proposal", "accepted"),
        ("repair", "the model's proposal", "failed"),
    ]
    [accepted] = [each for each in stage.decisions if each.verdict == "accepted"]
    assert "-    return sum(price)\n" in accepted.diff


def test_a_proposal_that_is_worse_is_not_rolled_forward() -> None:
    worse = "def total(prices):\n    return sum(a) + b\n"
    stage = Stage(proposer=Proposing(worse, OTHER))
    outcome = stage.repair(BAD)
    assert isinstance(outcome, Exhausted)
    assert (outcome.attempts, outcome.compiler_error, outcome.best) == (2, ERROR, OTHER)
    assert stage.proposer is not None
    assert stage.proposer.asked[1].text == BAD


def test_two_attempts_are_all() -> None:
    stage = Stage(proposer=Proposing(OTHER, THIRD))
    outcome = stage.repair(BAD)
    assert isinstance(outcome, Exhausted)
    assert (outcome.attempts, outcome.compiler_error, outcome.best) == (2, ERROR, THIRD)
    assert stage.check.runs == [BAD, OTHER, THIRD]
    assert [each.verdict for each in stage.decisions] == ["failed", "failed"]


def test_when_all_attempts_are_used_up_it_says_what_was_wrong_with_the_last_and_where_that_is_on_record() -> (
    None
):
    stage = Stage(proposer=Proposing(OTHER, THIRD))
    outcome = stage.repair(BAD)
    assert isinstance(outcome, Exhausted)
    said = "shop/cart.py:2:16: error: undefined name `prize` [undefined]"
    assert (outcome.reasons, outcome.message) == (
        (said,),
        f"2 proposals failed, the last one with: {said}.",
    )
    recorded = {each.id: each.detail for each in stage.decisions}
    assert recorded[outcome.decision_id] == said


def test_a_proposal_that_was_rejected_and_comes_again_says_why_it_was() -> None:
    emptied = "def total(prices):\n    pass\n"
    stage = Stage(proposer=Proposing(emptied, emptied))
    outcome = stage.repair(BAD)
    assert isinstance(outcome, NoProgress)
    assert outcome.reasons != ()
    reasons = "; ".join(reason.rstrip(".") for reason in outcome.reasons)
    assert (
        outcome.message == f"the model proposed the same text again, which was refused: {reasons}."
    )
    [decision] = stage.decisions
    assert (decision.id, decision.detail) == (outcome.decision_id, " ".join(outcome.reasons))


def test_a_proposal_that_a_rule_has_made_before_says_what_was_said_of_it_then() -> None:
    stage = Stage(proposer=Proposing(THIRD, GOOD))
    stage.rules.swaps["r1"] = ("price)", "prize)")
    assert stage.repair(BAD) == Repaired(GOOD, 2, "rule-1", ORACLE)
    stage = Stage(proposer=Proposing(THIRD, THIRD))
    stage.rules.swaps["r1"] = ("price)", "prize)")
    outcome = stage.repair(BAD)
    assert isinstance(outcome, NoProgress)
    assert outcome.reasons == ("shop/cart.py:2:16: error: undefined name `prize` [undefined]",)


def test_a_repeated_candidate_stops_early_and_is_not_checked_again() -> None:
    stage = Stage(proposer=Proposing(OTHER, OTHER))
    outcome = stage.repair(BAD)
    assert isinstance(outcome, NoProgress)
    assert (outcome.compiler_error, outcome.attempts, outcome.best) == (ERROR, 2, OTHER)
    assert stage.check.runs == [BAD, OTHER]


def test_the_unit_itself_as_a_proposal_is_no_progress() -> None:
    stage = Stage(proposer=Proposing(BAD))
    assert stage.repair(BAD) == NoProgress(ERROR, 1, "the model proposed the same text again.")


def test_the_very_same_errors_stop_early() -> None:
    stage = Stage(proposer=Proposing("def total(prices):\n    return 0 + sum(price)\n"))
    outcome = stage.repair(BAD)
    assert isinstance(outcome, NoProgress)
    assert outcome.attempts == 1


def test_a_provider_that_fails_keeps_the_compilers_error() -> None:
    stage = Stage(proposer=Proposing(ProposerFailed("the server is down.")))
    assert stage.repair(BAD) == ProviderError(ERROR, "the server is down.", 1)
    assert [(each.verdict, each.detail) for each in stage.decisions] == [
        ("failed", "the server is down.")
    ]


@pytest.mark.parametrize(
    ("confidence", "accepted"), [(0.75, True), (0.7499, False), (1, True), (1.0, True), (0, False)]
)
def test_the_threshold_itself_is_sure_enough(confidence: float, accepted: bool) -> None:
    outcome = Stage(proposer=Proposing(propose(GOOD, confidence))).repair(BAD)
    wanted = (
        Repaired(GOOD, 1, "rule-1", ORACLE)
        if accepted
        else RejectedLowConfidence(ERROR, confidence, 0.75)
    )
    assert outcome == wanted


@pytest.mark.parametrize(("confidence", "accepted"), [(0.9, True), (0.89, False)])
def test_strict_asks_for_more(confidence: float, accepted: bool) -> None:
    outcome = Stage(proposer=Proposing(propose(GOOD, confidence))).repair(BAD, strict=True)
    assert outcome.is_success() is accepted


NOT_A_NUMBER = "the confidence is not a number; expected a number from 0 to 1."
OUTSIDE = "the confidence is outside of 0 to 1."
TRUTH = "the confidence is true or false, not a number from 0 to 1."


@pytest.mark.parametrize(
    ("confidence", "message"),
    [
        (math.nan, "the confidence is NaN; expected a number from 0 to 1."),
        (math.inf, OUTSIDE),
        (-math.inf, OUTSIDE),
        (True, TRUTH),
        (False, TRUTH),
        (1.01, OUTSIDE),
        (-0.01, OUTSIDE),
        ("0.9", NOT_A_NUMBER),
        ("high", NOT_A_NUMBER),
        (None, "the confidence is missing; expected a number from 0 to 1."),
        ([0.9], NOT_A_NUMBER),
        (10**400, OUTSIDE),
    ],
)
def test_what_is_no_confidence_is_an_error_of_the_provider(
    confidence: object, message: str
) -> None:
    stage = Stage(proposer=Proposing(propose(GOOD, confidence), GOOD))
    outcome = stage.repair(BAD)
    assert outcome == ProviderError(ERROR, message)
    assert stage.check.runs == [BAD]
    assert [(each.verdict, each.confidence) for each in stage.decisions] == [("rejected", None)]


def test_low_confidence_stops_and_is_not_checked() -> None:
    stage = Stage(proposer=Proposing(propose(GOOD, 0.5), GOOD))
    assert stage.repair(BAD) == RejectedLowConfidence(ERROR, 0.5, 0.75)
    assert stage.check.runs == [BAD]


def test_a_proposal_that_compiles_and_loses_code_is_rejected_twice() -> None:
    stage = Stage(proposer=Proposing("", "def total(prices):\n    pass\n"))
    outcome = stage.repair(BAD)
    assert isinstance(outcome, VerificationRejected)
    assert outcome.attempts == 2
    assert stage.proposer is not None
    assert stage.proposer.asked[1].text == BAD
    assert "total" in stage.proposer.asked[1].tried[0]


def test_a_proposal_in_which_lines_are_left_out_is_rejected() -> None:
    stage = Stage(proposer=Proposing("# ... rest of the code ...\n", GOOD))
    assert isinstance(stage.repair(BAD), Repaired)
    assert stage.check.runs == [BAD, GOOD]


# -------------------------------------------------------------------------------------------------------------- time


def test_a_check_that_hangs_at_once_is_timed_out() -> None:
    stage = Stage(NamesCheck(hangs=lambda _: True), Proposing())
    outcome = stage.repair(BAD)
    assert outcome == TimedOut(f"{ORACLE} was ended after 5 s without an answer.", 5.0, ORACLE)


def test_a_candidate_that_makes_the_check_hang_is_timed_out_and_on_record() -> None:
    stage = Stage(NamesCheck(hangs=lambda text: text == GOOD), Proposing(GOOD))
    assert stage.repair(BAD) == TimedOut(
        f"{ORACLE} was ended after 5 s without an answer.", 5.0, ORACLE
    )
    assert stage.told() == [("repair", "the model's proposal", "failed")]


# ------------------------------------------------------------------------------------------------------------- tests


class Fails:
    target = "python"

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        return Checked(False, (), "pytest 9", "1 failed in 0.1s")


def test_the_projects_own_tests_have_the_last_word() -> None:
    stage = Stage(proposer=Proposing(GOOD, OTHER), tests=Fails())  # type: ignore[arg-type]
    stage.repair(BAD)
    assert stage.decisions[0].verdict != "accepted"
    assert any("tests fail" in each.detail for each in stage.decisions)


def test_the_oracle_names_the_tests_too() -> None:
    outcome = Stage(proposer=Proposing(GOOD), tests=NamesCheck()).repair(BAD)
    assert outcome == Repaired(GOOD, 1, "rule-1", f"{ORACLE} + {ORACLE}")


# ------------------------------------------------------------------------------------------------------------- bytes


def test_the_unit_keeps_its_line_endings_and_its_encoding() -> None:
    data = ("\ufeff" + BAD).replace("\n", "\r\n").encode()
    outcome = Stage(_Signed(), Proposing(GOOD)).repair(data)
    assert outcome.accepted_code() == GOOD.replace("\n", "\r\n")


class _Signed(NamesCheck):
    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        return super().run(path, text.decode("utf-8-sig").encode())


# ---------------------------------------------------------------------------------------------------------- outcomes


def test_every_outcome_knows_its_code_and_whether_it_is_a_success() -> None:
    successes = {FirstTrySuccess, FixItRepaired, RuleRepaired, Replayed, Repaired}
    for kind in get_args(RepairOutcome):
        assert kind.name == kind.__name__
        made = kind.__new__(kind)
        if kind in successes:
            object.__setattr__(made, "code", "x")
        assert (made.is_success(), made.accepted_code()) == (
            (True, "x") if kind in successes else (False, None)
        )
    assert len(get_args(RepairOutcome)) == 14
