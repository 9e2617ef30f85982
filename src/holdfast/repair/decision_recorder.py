"""The attempts of one repair as decisions; accepted steps are recorded when it has ended."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing.projection.exact_text import diff_between
from holdfast.repair.check_errors import describe_errors, errors_of
from holdfast.repair.decisions.decision import BuildType, Decision, DecisionVerdict
from holdfast.repair.decisions.decision_ids import (
    cut_reasoning,
    decision_id,
    module_of,
    request_of,
    sha_of,
)
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.repair.ports import Checked, PipelinePorts, RepairUnit
    from holdfast.repair.verify import Candidate, CheckedCandidate
    from holdfast.vocab.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class RepairMethod:
    """The source of a candidate. What a `pinned` rule makes is pinned, too."""

    decision_type: BuildType
    choice: str
    model_id: str = ""
    confidence: float | None = None
    reasoning: str = ""
    rule_id: str | None = None
    pinned: bool = False


class DecisionRecorder:
    """The decisions of one repair; `last_refused` is the id of the last refused attempt."""

    def __init__(self, unit: RepairUnit, ports: PipelinePorts) -> None:
        """Record for one unit."""
        self._unit = unit
        self._ports = ports
        self._pending: list[Decision] = []
        self._tried: list[str] = []
        self.last_refused = ""

    def add_accepted(
        self, method: RepairMethod, base: CheckedCandidate, made: Candidate, oracle: str
    ) -> None:
        """Add a step that helped; `finish` records it."""
        decision = self._decision(method, base, made, verdict="accepted", detail="", oracle=oracle)
        self._pending.append(decision)

    def record_refused(
        self,
        method: RepairMethod,
        base: CheckedCandidate,
        made: Candidate | None,
        verdict: DecisionVerdict,
        detail: str,
    ) -> None:
        """Record an attempt that was rejected or failed."""
        self._tried.append(f"{method.choice}: {detail}"[:200])
        decision = self._decision(
            method, base, made, verdict=verdict, detail=detail, oracle=base.checked.oracle
        )
        self.last_refused = self._ports.ledger.record(decision).id

    def name_learned_rule(self, rule_id: str) -> None:
        """Name the rule that was learned from the last step that helped."""
        if self._pending:
            self._pending[-1] = replace(self._pending[-1], rule_id=rule_id)

    def finish(self, *, success: bool) -> None:
        """Record the steps that helped, with the refused attempts as their alternatives."""
        alternatives = tuple(dict.fromkeys(self._tried))
        for decision in self._pending:
            final = replace(decision, alternatives=alternatives)
            if not success:
                final = replace(
                    final,
                    verdict="failed",
                    detail="it helped, but the unit still failed in the end.",
                )
            self._ports.ledger.record(final)

        self._pending.clear()

    def _decision(
        self,
        method: RepairMethod,
        base: CheckedCandidate,
        made: Candidate | None,
        *,
        verdict: DecisionVerdict,
        detail: str,
        oracle: str,
    ) -> Decision:
        unit, errors = self._unit, errors_of(base.checked)
        before_sha = sha_of(base.candidate.data)
        after_sha, diff = "", ""
        if made is not None:
            after_sha = sha_of(made.data)
            diff = diff_between(base.candidate.text, made.text)

        request = request_of(unit.path, unit.target, before_sha, errors)
        result = after_sha or f"{verdict}: {detail}"
        # Two branches may make the same decision. Its file has no time, and what another version of
        # a compiler or other words of a model change is a part of the id: git merges two files, and
        # not two versions of one.
        made_by = json.dumps([result, oracle, method.confidence, method.reasoning])
        diagnostic = None
        if errors:
            diagnostic = _diagnostic_fields(errors[0])

        pinned_by = None
        if method.pinned:
            pinned_by = f"rule {method.rule_id}"

        return Decision(
            id=decision_id(method.decision_type, request, method.model_id, made_by),
            module=module_of(unit.path),
            path=unit.path,
            target=unit.target,
            decision_type=method.decision_type,
            choice=method.choice,
            verdict=verdict,
            detail=cut_reasoning(detail),
            reasoning=cut_reasoning(_reasoning(method, base.checked)),
            model_id=method.model_id,
            confidence=method.confidence,
            pinned=method.pinned,
            pinned_by=pinned_by,
            diff=diff,
            before_sha=before_sha,
            after_sha=after_sha,
            oracle=oracle,
            rule_id=method.rule_id,
            diagnostic=diagnostic,
        )


def _diagnostic_fields(error: Diagnostic) -> dict[str, str]:
    return {
        "tool": error.tool,
        "code": error.code,
        "message": error.message,
        "template": error.template,
    }


def _reasoning(method: RepairMethod, checked: Checked) -> str:
    """Return the error, which people look for first, and then the model's reasoning."""
    error = describe_errors(checked)
    if not method.reasoning:
        return error
    return f"{error}\n{method.reasoning}"
