"""What would mend a unit in production, if only somebody had pinned it."""

from __future__ import annotations

from collections.abc import Collection

from holdfast.repair.candidate import make_candidate
from holdfast.repair.context import DecisionLedger, NoRule, RepairUnit, Rules
from holdfast.repair.decision_recorder import Standing
from holdfast.repair.decisions.decision_ids import module_of, sha_of
from holdfast.repair.verify import Candidate, Judge, StillFailing, Verified, errors_of

_ROUNDS = 4
"""How often a check is run, at most, to say which rules would help."""


def rules_that_would_mend(
    unit: RepairUnit, rules: Rules | None, judge: Judge, at: Standing, seen: Collection[str]
) -> tuple[str, ...]:
    """Give the rules that, one after the other, mend the unit; () if they do not. Nothing is recorded, nor counted.

    That is tried, not guessed: whoever pins a rule because this names it must not find that it was of no use. `seen`
    are texts that are known to fail.
    """
    if rules is None:
        return ()
    helped: list[str] = []
    failed: set[str] = set()
    for _ in range(_ROUNDS):
        found = rules.look_up(unit, at.candidate.text, errors_of(at.checked), "development", failed)
        if isinstance(found, NoRule):
            return ()
        made = make_candidate(unit, found.text)
        tried = (
            _try(made, judge, at) if isinstance(made, Candidate) and made.text not in seen else None
        )
        if tried is None:
            failed.add(found.rule_id)
            continue
        helped.append(found.rule_id)
        if isinstance(tried, Verified):
            return tuple(helped)
        at = tried
    return ()


def _try(made: Candidate, judge: Judge, then: Standing) -> Standing | Verified | None:
    """Give where a text leads that is better than what there was; None if it is not."""
    verdict = judge.verify(made)
    if isinstance(verdict, Verified):
        return verdict
    if not isinstance(verdict, StillFailing):
        return None
    better = judge.is_better(verdict.checked, made.text, then.checked, then.candidate.text)
    return Standing(made, verdict.checked) if better else None


def decisions_that_would_mend(
    unit: RepairUnit, ledger: DecisionLedger, at: Standing
) -> tuple[str, ...]:
    """Give the decisions that mended just this text before, step by step, and that nobody has pinned."""
    waiting = ledger.unpinned(module_of(unit.path))
    reached = {sha_of(at.candidate.data)}
    found: dict[str, None] = {}
    for _ in waiting:
        for each in waiting:
            if each.before_sha in reached and each.id not in found:
                found[each.id] = None
                reached.add(each.after_sha)
    return tuple(found)
