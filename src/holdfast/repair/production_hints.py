"""The rules and decisions that would repair a unit in production if they were pinned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.repair.check_errors import errors_of
from holdfast.repair.decisions.decision_ids import module_of, sha_of
from holdfast.repair.ports import DecisionLedger, NoRule, RepairUnit, Rules
from holdfast.repair.verify import CheckedCandidate, Judge, StillFailing, Verified, make_candidate
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Collection

_ROUNDS = 4
"""The most checks that are run to find out which rules would help."""


def find_rules_to_pin(
    unit: RepairUnit,
    rules: Rules | None,
    judge: Judge,
    start: CheckedCandidate,
    seen: Collection[str],
) -> tuple[str, ...]:
    """Return the rules that repair the unit one after the other; () if they do not.

    The rules are tried, not guessed: a user who pins a rule because it is named here must not find
    that it was of no use. Nothing is recorded or counted. `seen` are texts that are known to fail.
    """
    if rules is None:
        return ()

    at = start
    helped: list[str] = []
    failed: set[str] = set()
    for _ in range(_ROUNDS):
        found = rules.look_up(unit, at.candidate.text, errors_of(at.checked), "development", failed)
        if isinstance(found, NoRule):
            return ()
        tried = _try_text(found.text, unit, judge, at, seen)
        if tried is None:
            failed.add(found.rule_id)
            continue
        helped.append(found.rule_id)
        if isinstance(tried, Verified):
            return tuple(helped)
        at = tried

    return ()


def _try_text(
    text: str, unit: RepairUnit, judge: Judge, then: CheckedCandidate, seen: Collection[str]
) -> CheckedCandidate | Verified | None:
    """Verify a text; return None if it is no better than `then`."""
    made = make_candidate(unit, text)
    if isinstance(made, Refused) or made.text in seen:
        return None

    verdict = judge.verify(made, base=then)
    if isinstance(verdict, Verified):
        return verdict
    if not isinstance(verdict, StillFailing):
        return None

    now = CheckedCandidate(made, verdict.checked)
    if judge.is_better(now, then):
        return now

    return None


def find_decisions_to_pin(
    unit: RepairUnit, ledger: DecisionLedger, start: CheckedCandidate
) -> tuple[str, ...]:
    """Return the unpinned decisions that repaired this same text before, step by step."""
    unpinned = ledger.unpinned(module_of(unit.path))
    reached = {sha_of(start.candidate.data)}
    found: dict[str, None] = {}
    for _ in unpinned:
        for decision in unpinned:
            if decision.before_sha in reached and decision.id not in found:
                found[decision.id] = None
                reached.add(decision.after_sha)

    return tuple(found)
