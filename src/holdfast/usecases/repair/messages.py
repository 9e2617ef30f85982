"""What is said of a repair, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.repair.outcomes import (
    FirstTrySuccess,
    ProductionBlocked,
    ProviderError,
    RejectedLowConfidence,
    Repaired,
    RepairOutcome,
    Replayed,
    RuleRepaired,
    VerificationRejected,
)
from holdfast.repair.verify import describe
from holdfast.tools.text_limits import sendable
from holdfast.vocab.events import RepairEnded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.usecases.repair.file_repair import FileRepair
    from holdfast.vocab.diagnostics import Diagnostic

WORDS: Mapping[str, str] = {
    "FirstTrySuccess": "passes",
    "FixItRepaired": "repaired by the compiler's own fix-it",
    "RuleRepaired": "repaired by a rule",
    "Replayed": "repaired by a pinned decision",
    "Repaired": "repaired by the model",
    "NoProvider": "fails, and there is no model to ask",
    "ProductionBlocked": "fails, and nothing that is pinned mends it",
    "ProviderError": "fails, and the model gave nothing",
    "RejectedLowConfidence": "fails, and the model is not sure enough",
    "Exhausted": "fails after all attempts",
    "NoProgress": "fails, and the model makes no progress",
    "VerificationRejected": "fails, and what the model proposed was rejected",
    "TimedOut": "was not checked to the end",
    "FailedBefore": "fails, but not since this turn",
    "NotRepaired": "fails, and was not repaired",
    "NotRun": "was not checked",
}
NOT_RUN = "NotRun"
NOT_REPAIRED = "NotRepaired"
_MOST_NAMED = 5


def repair_ended(mended: FileRepair) -> RepairEnded:
    """Return the event of a repair that has ended."""
    name = NOT_RUN
    if mended.outcome is not None:
        name = mended.outcome.name if mended.trouble is None else NOT_REPAIRED
    rules = _rules_of(mended.outcome)
    message = sendable(tell_mended(mended))
    return RepairEnded(mended.path, name, mended.success, message, rules, mended.change_id)


def _rules_of(outcome: RepairOutcome | None) -> tuple[str, ...]:
    match outcome:
        case RuleRepaired(_, rules):
            return rules
        case Repaired(_, _, rule) if rule is not None:
            return (rule,)
        case _:
            return ()


def tell_mended(mended: FileRepair) -> str:
    """Return what came of it and what to do next."""
    if mended.trouble is not None:
        return mended.trouble
    outcome = mended.outcome
    if outcome is None or outcome.is_success():
        return _success(outcome)
    told = [_next_step(outcome), getattr(outcome, "compiler_error", "")]
    return "\n".join(words for words in told if words)


def tell_left_alone(old: Sequence[Diagnostic]) -> str:
    """Return which errors were there before a turn."""
    told = (
        f"{len(old)} errors were there before, and are"
        if len(old) > 1
        else "1 error was there before, and is"
    )
    return "\n".join([f"{told} left alone:", *_first(list(map(describe, old)))])


def tell_end(message: str, failing: Sequence[str]) -> str:
    """Say how a turn has ended, with what its edits still break."""
    if not failing:
        return message
    files = list(dict.fromkeys(path or "the project" for path in failing))
    return f"{message} Its check still fails: {', '.join(_first(files))}."


def _first(told: Sequence[str]) -> list[str]:
    more = len(told) - _MOST_NAMED
    return [*told[:_MOST_NAMED], *([f"and {more} more"] if more > 0 else [])]


def _success(outcome: RepairOutcome | None) -> str:
    match outcome:
        case RuleRepaired(_, rules):
            return f"by {', '.join(rules)}"
        case Replayed(_, decision):
            return f"by decision {decision}"
        case Repaired(_, attempts, rule):
            learned = f"; learned rule {rule}" if rule else ""
            asked = "1 question" if attempts == 1 else f"{attempts} questions"
            return f"after {asked}{learned}" if attempts else f"by a cached response{learned}"
        case _:
            return f"by {outcome.oracle}" if isinstance(outcome, FirstTrySuccess) else ""


def _next_step(outcome: RepairOutcome) -> str:
    match outcome:
        case ProductionBlocked():
            return _tell_pins(outcome)
        case ProviderError(_, message):
            return message
        case RejectedLowConfidence(_, confidence, threshold):
            told = f"the model's confidence is {confidence:g}, and {threshold:g} is asked for"
            return (
                f"{told}; look at its proposal with `holdfast decisions list`, and pin it if it "
                "is right."
            )
        case VerificationRejected(_, reasons):
            return "\n".join(reasons)
        case _:
            return str(getattr(outcome, "message", ""))


def _tell_pins(blocked: ProductionBlocked) -> str:
    """Return what lacks only a pin."""
    rules = [each for each in blocked.needs_pin if each not in blocked.decisions]
    told = [f"this mends it once it is pinned: {_pins('rules', rules)}."] if rules else []
    if blocked.decisions:
        known = _pins("decisions", blocked.decisions)
        told.append(f"this mended just this text before; look at it, and pin it: {known}.")
    if not told:
        told = [
            (
                "repair it at --strictness development, look at the decision, and pin it "
                "(`holdfast decisions pin`)."
            )
        ]
    return "\n".join(told)


def _pins(command: str, ids: Sequence[str]) -> str:
    return " and ".join(f"`holdfast {command} pin {each}`" for each in ids)
