"""Repair one unit by the cheapest thing that works.

Check once; then fix-its of the compiler → pinned decisions → rules → a cached response → the model. Every proposal goes
through the one `verify()`, and every text is checked at most once. Nothing here writes the unit: whoever called gets
the code that passed, and swaps the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from holdfast.landing.encoding import decode
from holdfast.landing.land import land
from holdfast.repair.candidate import make_candidate
from holdfast.repair.confidence import NoConfidence, Sure, Unsure, judge_confidence
from holdfast.repair.context import NoRule, PipelinePorts, Provider, RepairUnit
from holdfast.repair.decision_recorder import DecisionRecorder, How, Standing
from holdfast.repair.decisions.decision import Decision, DecisionVerdict
from holdfast.repair.decisions.decision_ids import module_of, sha_of
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
from holdfast.repair.ports import CheckTimedOut, Proposal, ProposalAsked, ProposerFailed
from holdfast.repair.production_hints import decisions_that_would_mend, rules_that_would_mend
from holdfast.repair.response_cache import find_response, keep_response
from holdfast.repair.strictness import RepairPolicy
from holdfast.repair.verify import (
    Candidate,
    GuardRejected,
    Judge,
    StillFailing,
    Verified,
    errors_of,
    same_errors,
    tell_errors,
)
from holdfast.syntax.fixits import apply_fixits
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import Patch

_FIXIT_ROUNDS = 8
"""A fix-it can bring out the next; more rounds than this are a circle."""
_FIXITS_ALONE = 3
_RULE_ROUNDS = 64
_MOST_REASONS = 3

_Ended: TypeAlias = RepairOutcome | None


@dataclass(frozen=True, slots=True)
class _SeenBefore:
    """The text was tried already, or is the unit's own; `reasons` are what was said of it then."""

    reasons: tuple[str, ...] = ()


_Verdict: TypeAlias = Verified | StillFailing | GuardRejected | CheckTimedOut | _SeenBefore


def repair(
    unit: RepairUnit, world: PipelinePorts, policy: RepairPolicy | None = None
) -> RepairOutcome:
    """Repair a unit, and say how that ended. The unit's file is not written.

    Raises `ToolchainMissing` and `CheckCrashed`, and what the ledger raises if it cannot be written.
    """
    text = decode(unit.data).text
    first = world.check.run(unit.path, unit.data)
    if isinstance(first, CheckTimedOut):
        return _timed_out(first)
    judge = Judge(
        unit.path, unit.target, text, unit.data, first, world.check, world.tests, world.project
    )
    if judge.passes(first):
        return FirstTrySuccess(text, first.oracle)
    return _Repair(unit, world, policy or RepairPolicy(), judge).run()


class _Repair:
    """One repair under way; what is on the disk is as it was.

    `sure` is where the steps lead that helped, `now` is what the model is asked about: its own text, if that is no
    worse.
    """

    def __init__(
        self, unit: RepairUnit, world: PipelinePorts, policy: RepairPolicy, judge: Judge
    ) -> None:
        self._unit = unit
        self._world = world
        self._policy = policy
        self._judge = judge
        self._sure = self._now = Standing(Candidate(judge.text, unit.data), judge.first)
        self._seen: dict[str, tuple[str, ...]] = {judge.text: ()}
        self._records = DecisionRecorder(unit, world)
        self._error = tell_errors(judge.first)

    def run(self) -> RepairOutcome:
        outcome = self._try_all()
        # Before the caller writes the file: what cannot be recorded is not done.
        self._records.settle(success=outcome.is_success())
        return outcome

    def _try_all(self) -> RepairOutcome:
        for stage in (self._take_fixits, self._replay, self._apply_rules):
            ended = stage()
            if ended is not None:
                return ended
        # Before "no provider", so that production never gives the wrong reason (docs/decisions/0011).
        if not self._policy.allowed.fresh_model_calls:
            return self._blocked()
        provider = self._world.provider()
        return self._take_cached(provider.model) or self._ask_model(provider)

    def _blocked(self) -> ProductionBlocked:
        rules = rules_that_would_mend(
            self._unit, self._world.rules, self._judge, self._sure, self._seen
        )
        decisions = decisions_that_would_mend(self._unit, self._world.ledger, self._sure)
        return ProductionBlocked(self._error, (*rules, *decisions), decisions)

    # ------------------------------------------------------------------------------------------------- without a model

    def _take_fixits(self) -> _Ended:
        for guessed in (False, True) if self._policy.allowed.guessed_fixits else (False,):
            for _ in range(_FIXIT_ROUNDS):
                base = self._now
                ended = self._take_fixits_once(guessed=guessed)
                if ended is not None:
                    return ended
                if self._now is base:
                    break
        return None

    def _take_fixits_once(self, *, guessed: bool) -> _Ended:
        """Take the fix-its of all errors at once; if that is no help, of the first few alone: one may spoil all."""
        base, how = self._now, How("repair", "the compiler's own fix-it")
        errors = errors_of(base.checked)
        fixable = [each for each in errors if each.fixits]
        for some in (errors, *((each,) for each in fixable[:_FIXITS_ALONE])):
            text = apply_fixits(base.candidate.text, self._unit.path, some, guessed=guessed)
            verdict = self._verify(text, how) if text is not None else _SeenBefore()
            if isinstance(verdict, Verified):
                return FixItRepaired(self._now.candidate.text, verdict.oracle)
            if isinstance(verdict, CheckTimedOut):
                return _timed_out(verdict)
            if self._now is not base:
                return None
        return None

    def _replay(self) -> _Ended:
        left = list(self._world.ledger.pinned(module_of(self._unit.path)))
        base = None
        # They are in no order of time: a step may be the next one only when another has helped.
        while base is not self._now:
            base = self._now
            for decision in left:
                ended = self._replay_one(decision)
                if ended is not None:
                    return ended
                if self._now is not base:
                    left.remove(decision)
                    break
        return None

    def _replay_one(self, decision: Decision) -> _Ended:
        text = self._replayed(decision)
        if text is None:
            return None
        how = How("repair", f"replay of {decision.id}", decision.model_id, rule_id=decision.rule_id)
        verdict = self._verify(text, how, replay=True)
        if isinstance(verdict, CheckTimedOut):
            return _timed_out(verdict)
        if isinstance(verdict, Verified):
            return Replayed(self._now.candidate.text, decision.id, verdict.oracle)
        return None

    def _replayed(self, decision: Decision) -> str | None:
        """Give what a pinned decision makes of the text; None if it is about another text and another error."""
        same_text = decision.before_sha == sha_of(self._now.candidate.data)
        said = {(each.tool, each.code, each.message) for each in errors_of(self._now.checked)}
        about = decision.diagnostic or {}
        same_error = (about.get("tool"), about.get("code"), about.get("message")) in said
        if not same_text and not same_error:
            return None
        landed = land(self._now.candidate.text, Patch(decision.diff), self._unit.path)
        # On another text a pin says nothing about a place that was found only loosely.
        if isinstance(landed, Refused) or (not same_text and landed.rung != "exact"):
            return None
        return landed.text

    def _apply_rules(self) -> _Ended:
        rules = self._world.rules
        if rules is None:
            return None
        applied: list[str] = []
        failed: set[str] = set()
        for _ in range(_RULE_ROUNDS):
            text, errors = self._now.candidate.text, errors_of(self._now.checked)
            found = rules.look_up(self._unit, text, errors, self._policy.strictness, failed)
            if isinstance(found, NoRule):
                return None
            how = How("rule_applied", f"rule {found.rule_id}", rule_id=found.rule_id)
            verdict = self._verify(found.text, how)
            helped = self._now.candidate.text != text
            if not isinstance(verdict, _SeenBefore | CheckTimedOut):
                rules.record(found.rule_id, helped=helped)
            if isinstance(verdict, CheckTimedOut):
                return _timed_out(verdict)
            if helped:
                applied.append(found.rule_id)
            else:
                failed.add(found.rule_id)
            if isinstance(verdict, Verified):
                return RuleRepaired(self._now.candidate.text, tuple(applied), verdict.oracle)
        return None

    # ---------------------------------------------------------------------------------------------------- with a model

    def _take_cached(self, model: str) -> _Ended:
        answers = self._world.answers
        response = (
            find_response(answers, self._question(()), model)
            if answers is not None and model
            else None
        )
        if response is None:
            return None
        judged = judge_confidence(response.confidence, strict=self._policy.strict)
        if not isinstance(judged, Sure):
            return None
        base = self._sure
        verdict = self._verify(response.text, _by_model(response, judged.confidence))
        if isinstance(verdict, CheckTimedOut):
            return _timed_out(verdict)
        return self._repaired(base, verdict, 0) if isinstance(verdict, Verified) else None

    def _ask_model(self, provider: Provider) -> RepairOutcome:
        if provider.proposer is None:
            return NoProvider(self._error)
        start, first_asked = self._sure, self._question(())
        tried: list[str] = []
        verdict: _Verdict = _SeenBefore()
        for attempt in range(1, self._policy.max_attempts + 1):
            base = self._now
            judged = self._judge_proposal(
                provider.proposer.propose(self._question(tuple(tried))), attempt
            )
            if isinstance(judged, ProviderError | RejectedLowConfidence):
                return judged
            proposal, confidence = judged
            verdict = self._verify(proposal.text, _by_model(proposal, confidence), roll=True)
            if isinstance(verdict, Verified):
                if self._world.answers is not None:
                    kept = replace(proposal, text=self._now.candidate.text)
                    keep_response(
                        self._world.answers, first_asked, provider.model, kept, confidence
                    )
                return self._repaired(start, verdict, attempt)
            if isinstance(verdict, CheckTimedOut):
                return _timed_out(verdict)
            if isinstance(verdict, _SeenBefore):
                return self._no_progress(
                    attempt, "the model proposed the same text again", verdict.reasons
                )
            more = attempt < self._policy.max_attempts
            if (
                more
                and isinstance(verdict, StillFailing)
                and same_errors(verdict.checked, base.checked)
            ):
                return self._no_progress(attempt, "the proposal has the very same errors", ())
            tried.append(_what_failed(proposal.text, verdict))
        return self._exhausted(verdict)

    def _no_progress(self, attempt: int, told: str, reasons: tuple[str, ...]) -> NoProgress:
        message = f"{told}, which was refused: {_shortly(reasons)}" if reasons else f"{told}."
        return NoProgress(
            self._error, attempt, message, self._best(), reasons, self._records.last_refused
        )

    def _exhausted(self, last: _Verdict) -> RepairOutcome:
        attempts, record = self._policy.max_attempts, self._records.last_refused
        if isinstance(last, GuardRejected):
            return VerificationRejected(self._error, last.reasons, attempts, record)
        reasons = _reasons(last)
        message = f"{attempts} proposals failed, the last one with: {_shortly(reasons)}"
        return Exhausted(attempts, self._error, self._best(), message, reasons, record)

    def _question(self, tried: tuple[str, ...]) -> ProposalAsked:
        standing = self._now
        return ProposalAsked(
            self._unit.path,
            self._unit.target,
            standing.candidate.text,
            standing.checked.diagnostics,
            tried,
        )

    def _judge_proposal(
        self, proposal: Proposal | ProposerFailed, attempt: int
    ) -> tuple[Proposal, float] | ProviderError | RejectedLowConfidence:
        if isinstance(proposal, ProposerFailed):
            self._refuse(How("repair", "the model's proposal"), None, "failed", proposal.message)
            return ProviderError(self._error, proposal.message, attempt)
        judged = judge_confidence(proposal.confidence, strict=self._policy.strict)
        match judged:
            case Sure(confidence):
                return proposal, confidence
            case NoConfidence(message):
                self._refuse(_by_model(proposal, None), proposal.text, "rejected", message)
                return ProviderError(self._error, message, attempt)
            case Unsure(confidence, threshold):
                detail = (
                    f"the model's confidence is {confidence:g}, and {threshold:g} is asked for."
                )
                self._refuse(_by_model(proposal, confidence), proposal.text, "rejected", detail)
                return RejectedLowConfidence(self._error, confidence, threshold, attempt)

    def _refuse(self, how: How, text: str | None, verdict: DecisionVerdict, detail: str) -> None:
        made = make_candidate(self._unit, text) if text is not None else None
        self._records.refused(
            how, self._sure, made if isinstance(made, Candidate) else None, verdict, detail
        )

    def _repaired(self, base: Standing, verdict: Verified, attempts: int) -> Repaired:
        after = self._now.candidate.text
        return Repaired(after, attempts, self._learn(base, after), verdict.oracle)

    def _learn(self, base: Standing, after: str) -> str | None:
        rules = self._world.rules
        if rules is None or not self._policy.allowed.new_rules:
            return None
        return rules.learn(self._unit, base.candidate.text, after, errors_of(base.checked))

    def _best(self) -> str | None:
        text = self._now.candidate.text
        return text if text != self._judge.text else None

    # --------------------------------------------------------------------------------------------------------- verify

    def _verify(self, text: str, how: How, *, roll: bool = False, replay: bool = False) -> _Verdict:
        """Land a proposal in the unit's own way, judge it, record it, and go on from it if it is better.

        `roll` goes on from it unless it is worse: the model is told of its own text, and may mend it.
        """
        made = make_candidate(self._unit, text)
        if isinstance(made, Refused):
            if made.reason in {"no_change", "already_applied"}:
                return _SeenBefore()
            self._records.refused(how, self._sure, None, "rejected", made.message)
            return GuardRejected((made.message,), self._now.checked)
        if made.text in self._seen:
            return _SeenBefore(self._seen[made.text])
        verdict = self._judge.verify(made)
        self._seen[made.text] = _reasons(verdict)
        match verdict:
            case Verified(oracle, checked):
                self._go_on(how, Standing(made, checked), oracle, replay=replay)
            case GuardRejected(reasons):
                self._records.refused(how, self._sure, made, "rejected", " ".join(reasons))
            case CheckTimedOut(oracle, seconds):
                self._records.refused(
                    how, self._sure, made, "failed", f"{oracle} was ended after {seconds:g} s."
                )
            case StillFailing(checked):
                self._weigh(how, Standing(made, checked), roll=roll, replay=replay)
        return verdict

    def _weigh(self, how: How, made: Standing, *, roll: bool, replay: bool) -> None:
        """Go on from a text that does not pass, if it is better than what there was; or else leave it."""
        then = self._sure
        if self._is_better(made, then):
            self._go_on(how, made, made.checked.oracle, replay=replay)
            return
        self._records.refused(how, then, made.candidate, "failed", tell_errors(made.checked))
        if roll and len(errors_of(made.checked)) <= len(errors_of(self._now.checked)):
            self._now = made

    def _is_better(self, made: Standing, then: Standing) -> bool:
        return self._judge.is_better(
            made.checked, made.candidate.text, then.checked, then.candidate.text
        )

    def _go_on(self, how: How, made: Standing, oracle: str, *, replay: bool) -> None:
        if not replay:  # that one is on record, and pinned
            self._records.helped(how, self._sure, made.candidate, oracle)
        self._sure = self._now = made


def _by_model(proposal: Proposal, confidence: float | None) -> How:
    return How("repair", "the model's proposal", proposal.model_id, confidence, proposal.reasoning)


def _what_failed(text: str, verdict: StillFailing | GuardRejected) -> str:
    why = (
        " ".join(verdict.reasons)
        if isinstance(verdict, GuardRejected)
        else tell_errors(verdict.checked)
    )
    return f"{why}\n\n{text}"


def _reasons(verdict: _Verdict) -> tuple[str, ...]:
    """Give what was said against a text."""
    match verdict:
        case GuardRejected(reasons):
            return reasons
        case StillFailing(checked):
            return tuple(tell_errors(checked).split("\n"))
        case _:
            return ()


def _shortly(reasons: Sequence[str]) -> str:
    more = len(reasons) - _MOST_REASONS
    said = [reason.rstrip(".") for reason in reasons[:_MOST_REASONS]]
    return "; ".join([*said, *([f"and {more} more"] if more > 0 else [])]) + "."


def _timed_out(ended: CheckTimedOut) -> TimedOut:
    told = f"{ended.oracle} was ended after {ended.seconds:g} s without an answer."
    return TimedOut(told, ended.seconds, ended.oracle)
