"""What a repair tried and what came of it, as decisions: those that helped wait until it is known whether all did."""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdfast.landing.land import land
from holdfast.repair.context import PipelinePorts, RepairUnit
from holdfast.repair.decisions.decision import BuildType, Decision, DecisionVerdict
from holdfast.repair.decisions.decision_ids import (
    cut_reasoning,
    decision_id,
    module_of,
    request_of,
    sha_of,
)
from holdfast.repair.ports import Checked
from holdfast.repair.verify import Candidate, errors_of, tell_errors
from holdfast.vocab.diagnostics import Diagnostic
from holdfast.vocab.outcomes import Landed
from holdfast.vocab.requests import WriteFile


@dataclass(frozen=True, slots=True)
class How:
    """By what a candidate was made."""

    decision_type: BuildType
    choice: str
    model_id: str = ""
    confidence: float | None = None
    reasoning: str = ""
    rule_id: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """A text of the unit, its bytes, and what the check said of it."""

    candidate: Candidate
    checked: Checked


class DecisionRecorder:
    """Keeps the decisions of one repair; `last_refused` is the id of the last attempt that was refused."""

    def __init__(self, unit: RepairUnit, world: PipelinePorts) -> None:
        """Record for one unit."""
        self._unit = unit
        self._world = world
        self._pending: list[Decision] = []
        self._tried: list[str] = []
        self.last_refused = ""

    def helped(self, how: How, base: Standing, made: Candidate, oracle: str) -> None:
        """Note a step that helped; it is on record when the repair has ended."""
        self._pending.append(
            self._decision(how, base, made, verdict="accepted", detail="", oracle=oracle)
        )

    def refused(
        self,
        how: How,
        base: Standing,
        made: Candidate | None,
        verdict: DecisionVerdict,
        detail: str,
    ) -> None:
        """Record an attempt that was refused, or came to nothing."""
        self._tried.append(f"{how.choice}: {detail}"[:200])
        refused = self._decision(
            how, base, made, verdict=verdict, detail=detail, oracle=base.checked.oracle
        )
        self.last_refused = self._world.ledger.record(refused).id

    def settle(self, *, success: bool) -> None:
        """Record the steps that helped, with what else was tried."""
        for decision in self._pending:
            alternatives = tuple(dict.fromkeys(self._tried))
            settled = replace(decision, alternatives=alternatives)
            if not success:
                settled = replace(
                    settled,
                    verdict="failed",
                    detail="it helped, but the unit still failed in the end.",
                )
            self._world.ledger.record(settled)
        self._pending.clear()

    def _decision(
        self,
        how: How,
        base: Standing,
        made: Candidate | None,
        *,
        verdict: DecisionVerdict,
        detail: str,
        oracle: str,
    ) -> Decision:
        unit, errors = self._unit, errors_of(base.checked)
        before_sha = sha_of(base.candidate.data)
        after_sha = sha_of(made.data) if made is not None else ""
        request = request_of(unit.path, unit.target, before_sha, errors)
        return Decision(
            id=decision_id(
                how.decision_type, request, how.model_id, after_sha or f"{verdict}: {detail}"
            ),
            module=module_of(unit.path),
            path=unit.path,
            target=unit.target,
            decision_type=how.decision_type,
            choice=how.choice,
            verdict=verdict,
            detail=cut_reasoning(detail),
            reasoning=cut_reasoning(_reasoning(how, base.checked)),
            model_id=how.model_id,
            confidence=how.confidence,
            timestamp=self._world.now(),
            diff=_diff(base.candidate.text, made.text, unit.path) if made is not None else "",
            before_sha=before_sha,
            after_sha=after_sha,
            oracle=oracle,
            rule_id=how.rule_id,
            diagnostic=_about(errors[0]) if errors else None,
        )


def _about(error: Diagnostic) -> dict[str, str]:
    return {
        "tool": error.tool,
        "code": error.code,
        "message": error.message,
        "template": error.template,
    }


def _reasoning(how: How, checked: Checked) -> str:
    """Say the error first, for it is what people look for, and then what the model said about it."""
    error = tell_errors(checked)
    return f"{error}\n{how.reasoning}" if how.reasoning else error


def _diff(before: str, after: str, path: str) -> str:
    landed = land(before, WriteFile(after), path)
    return landed.diff if isinstance(landed, Landed) else ""
