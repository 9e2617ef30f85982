"""Descriptions of a repair, for people, and its event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.repair.check_errors import describe
from holdfast.repair.outcomes import (
    FirstTrySuccess,
    NeedsReview,
    ProductionBlocked,
    ProviderError,
    RejectedLowConfidence,
    Repaired,
    RepairOutcome,
    Replayed,
    RuleRepaired,
    VerificationRejected,
)
from holdfast.tools.text_limits import sendable
from holdfast.vocab.events import RepairEnded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.usecases.repair.file_repair import FileRepair
    from holdfast.vocab.diagnostics import Diagnostic

NOT_RUN = "NotRun"
NOT_REPAIRED = "NotRepaired"
_MOST_NAMED = 5
OUTCOME_WORDS: Mapping[str, str] = {
    "FirstTrySuccess": "passes",
    "FixItRepaired": "repaired by the compiler's own fix-it",
    "RuleRepaired": "repaired by a rule",
    "Replayed": "repaired by a pinned decision",
    "Repaired": "repaired by the model",
    "NoProvider": "fails, and there is no model to ask",
    "ProductionBlocked": "fails, and no pinned decision fixes it",
    "ProviderError": "fails, and the model returned nothing",
    "RejectedLowConfidence": "fails, and the model is not sure enough",
    "Exhausted": "fails after all attempts",
    "NoProgress": "fails, and the model makes no progress",
    "NeedsReview": "fails, and what the model proposed needs a review",
    "VerificationRejected": "fails, and what the model proposed was rejected",
    "TimedOut": "was not checked to the end",
    "FailedBefore": "was already failing before this turn",
    "NotRepaired": "fails, and was not repaired",
    "NotRun": "was not checked",
}
"""What a person is told of each outcome."""


def repair_ended(repair: FileRepair) -> RepairEnded:
    """Return the event of a repair that has ended."""
    name = _outcome_name(repair)
    rules = _rules_of(repair.outcome)
    message = sendable(describe_repair(repair))
    return RepairEnded(repair.path, name, repair.success, message, rules, repair.change_id)


def _outcome_name(repair: FileRepair) -> str:
    if repair.outcome is None:
        return NOT_RUN
    if repair.trouble is not None:
        return NOT_REPAIRED
    return repair.outcome.name


def _rules_of(outcome: RepairOutcome | None) -> tuple[str, ...]:
    match outcome:
        case RuleRepaired(_, rules):
            return rules
        case Repaired(_, _, rule) if rule is not None:
            return (rule,)
        case _:
            return ()


def describe_repair(repair: FileRepair) -> str:
    """Return the result of a repair in words, and the next step."""
    if repair.trouble is not None:
        return repair.trouble

    outcome = repair.outcome
    if outcome is None or outcome.is_success():
        return _success(outcome)

    parts = (_next_step(outcome), getattr(outcome, "compiler_error", ""))
    return "\n".join(filter(None, parts))


def describe_old_errors(errors: Sequence[Diagnostic]) -> str:
    """Return a message that lists the errors that were there before a turn."""
    title = "1 error was there before, and is left alone:"
    if len(errors) > 1:
        title = f"{len(errors)} errors were there before, and are left alone:"
    return "\n".join([title, *_first(list(map(describe, errors)))])


def describe_turn_end(message: str, failing: Sequence[str]) -> str:
    """Return the message of a turn's end, with the files that still fail their check."""
    if not failing:
        return message
    names = [path or "the project" for path in failing]
    each_once = list(dict.fromkeys(names))
    shown = ", ".join(_first(each_once))
    return f"{message} Its check still fails: {shown}."


def _first(names: Sequence[str]) -> list[str]:
    first = list(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    if more > 0:
        first.append(f"and {more} more")
    return first


def _success(outcome: RepairOutcome | None) -> str:
    match outcome:
        case RuleRepaired(_, rules):
            return f"by rule {' and rule '.join(_first(tuple(dict.fromkeys(rules))))}"
        case Replayed(_, decision):
            return f"by decision {decision}"
        case Repaired(_, attempts, rule):
            source = _source_of_repair(attempts)
            if rule:
                return f"{source}; learned rule {rule}"
            return source
        case FirstTrySuccess():
            return f"by {outcome.oracle}"
        case _:
            return ""


def _source_of_repair(attempts: int) -> str:
    if attempts == 0:
        return "by a cached response"
    if attempts == 1:
        return "after 1 model request"
    return f"after {attempts} model requests"


def _next_step(outcome: RepairOutcome) -> str:
    match outcome:
        case ProductionBlocked():
            return _missing_pins(outcome)
        case ProviderError(_, message):
            return message
        case RejectedLowConfidence(_, confidence, threshold):
            # Not `:g`, which rounds 0.7499999 to a number that is not below 0.75.
            problem = f"the model's confidence is {confidence}, and {threshold:g} is asked for"
            return (
                f"{problem}; look at its proposal with `holdfast decisions list`, and pin it if "
                "it is right."
            )
        case VerificationRejected(_, reasons):
            return "\n".join(reasons)
        case NeedsReview(_, reasons, proposal):
            doubts = "\n".join(reasons)
            return f"{doubts}\n{proposal}".rstrip()
        case _:
            return str(getattr(outcome, "message", ""))


def _missing_pins(blocked: ProductionBlocked) -> str:
    """Return the commands that pin what repairs this text, or how to get a decision to pin."""
    rules = [each for each in blocked.needs_pin if each not in blocked.decisions]
    lines = []
    if rules:
        lines.append(f"pin this rule to fix it: {_pins('rules', rules)}.")

    if blocked.decisions:
        known = _pins("decisions", blocked.decisions)
        lines.append(f"this fixed exactly this text before; look at it, and pin it: {known}.")

    if not lines:
        return (
            "repair it at --strictness development, look at the decision, and pin it "
            "(`holdfast decisions pin`)."
        )

    return "\n".join(lines)


def _pins(command: str, ids: Sequence[str]) -> str:
    return " and ".join(f"`holdfast {command} pin {each}`" for each in ids)
