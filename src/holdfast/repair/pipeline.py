"""Repair one unit by the cheapest method that works.

Check once; then certain fix-its of the compiler → pinned decisions → safe rules → a cached
response → the model. What is not certain is a hint for the model; the user may allow it before.
Every proposal goes through the one `verify()`, and every text is checked at most once. Nothing here
writes the unit: the caller gets the code that passed and swaps the file.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from holdfast.landing.encoding import decode
from holdfast.landing.projection.exact_text import diff_between
from holdfast.repair.check_errors import describe_errors, errors_of, same_errors
from holdfast.repair.confidence import NoConfidence, Sure, Unsure, judge_confidence
from holdfast.repair.decision_recorder import DecisionRecorder, RepairMethod
from holdfast.repair.decisions.decision import REPLAY
from holdfast.repair.decisions.decision_ids import module_of, sha_of
from holdfast.repair.outcomes import (
    Exhausted,
    FirstTrySuccess,
    FixItRepaired,
    NeedsReview,
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
from holdfast.repair.ports import (
    CheckTimedOut,
    NoRule,
    PipelinePorts,
    Proposal,
    ProposalRequest,
    ProposerFailed,
    Provider,
    RepairUnit,
)
from holdfast.repair.production_hints import find_decisions_to_pin, find_rules_to_pin
from holdfast.repair.repair_progress import (
    ProposalVerdict,
    RepairProgress,
    SeenBefore,
    reasons_against,
)
from holdfast.repair.response_cache import find_response, keep_response
from holdfast.repair.strictness import RepairPolicy
from holdfast.repair.verify import (
    Candidate,
    CheckedCandidate,
    GuardRejected,
    Judge,
    ReviewNeeded,
    StillFailing,
    Verified,
    land_proposal,
    make_candidate,
)
from holdfast.syntax.fixits import apply_fixits, drops_explained_code
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import Patch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.repair.decisions.decision import Decision, DecisionVerdict

_FIXIT_ROUNDS = 8
"""A fix-it can reveal the next; more rounds than this are a cycle."""
_FIXITS_ALONE = 3
_RULE_ROUNDS = 64
_MOST_REASONS = 3
_MOST_HINTS = 3

_Ended: TypeAlias = RepairOutcome | None


def repair(
    unit: RepairUnit, ports: PipelinePorts, policy: RepairPolicy | None = None
) -> RepairOutcome:
    """Repair a unit and return the outcome. The unit's file is not written.

    Raise `ToolchainMissing` or `CheckCrashed`, or what the ledger raises if it is not writable.
    """
    text = decode(unit.data).text
    first = ports.check.run(unit.path, unit.data)
    if isinstance(first, CheckTimedOut):
        return _timed_out(first)

    judge = Judge(
        path=unit.path,
        target=unit.target,
        text=text,
        data=unit.data,
        first=first,
        check=ports.check,
        tests=ports.tests,
        project=ports.project,
    )
    if judge.passes(first):
        return FirstTrySuccess(text, first.oracle)

    return _Repair(unit, ports, policy or RepairPolicy(), judge).run()


class _Repair:
    """One repair in progress; nothing on the disk changes."""

    def __init__(
        self, unit: RepairUnit, ports: PipelinePorts, policy: RepairPolicy, judge: Judge
    ) -> None:
        self._unit = unit
        self._ports = ports
        self._policy = policy
        self._judge = judge
        self._records = DecisionRecorder(unit, ports)
        self._progress = RepairProgress(unit, judge, self._records)
        self._error = describe_errors(judge.first)
        self._model = ""

    def run(self) -> RepairOutcome:
        outcome = self._try_all()
        # Before the caller writes the file: a repair that cannot be recorded is not made.
        self._records.finish(success=outcome.is_success())
        return outcome

    def _try_all(self) -> RepairOutcome:
        stages = [self._apply_fixits, self._replay, self._apply_rules]
        if self._policy.applies_unsafe:
            stages.append(partial(self._apply_fixits, guessed=True))
            stages.append(partial(self._apply_rules, unsafe=True))

        for stage in stages:
            ended = stage()
            if ended is not None:
                return ended

        # Before "no provider", so that production never reports the wrong reason
        # (docs/decisions/0011).
        if not self._policy.allowed.fresh_model_calls:
            return self._blocked()

        provider = self._ports.provider()
        self._model = provider.model
        errors = errors_of(self._progress.current.checked)
        tried = 0
        while True:
            with self._ports.queue.turn(errors, tried, self._ports.waiting) as turn:
                if turn.rules_known <= tried:
                    outcome = self._apply_cached(provider.model) or self._ask_model(provider)
                    turn.learned = isinstance(outcome, Repaired) and outcome.rule_added is not None
                    return outcome

            tried = turn.rules_known
            ended = self._apply_rules()
            if ended is not None:
                return ended

    def _blocked(self) -> ProductionBlocked:
        unit, accepted, seen = self._unit, self._progress.accepted, self._progress.seen
        rules = find_rules_to_pin(unit, self._ports.rules, self._judge, accepted, seen)
        decisions = find_decisions_to_pin(unit, self._ports.ledger, accepted)
        return ProductionBlocked(self._error, (*rules, *decisions), decisions)

    # ------------------------------------------------------------------------------ without a model

    def _apply_fixits(self, *, guessed: bool = False) -> _Ended:
        for _ in range(_FIXIT_ROUNDS):
            base = self._progress.current
            ended = self._apply_fixits_once(guessed=guessed)
            if ended is not None:
                return ended
            if self._progress.current is base:
                return None

        return None

    def _apply_fixits_once(self, *, guessed: bool) -> _Ended:
        """Apply the fix-its of all errors at once; if that fails, those of the first few alone.

        A single bad fix-it can spoil all the others.
        """
        base = self._progress.current
        method = RepairMethod("repair", "the compiler's own fix-it")
        errors = errors_of(base.checked)
        fixable = [error for error in errors if error.fixits]
        groups = [errors]
        groups += [(error,) for error in fixable[:_FIXITS_ALONE]]
        for group in groups:
            text = apply_fixits(base.candidate.text, self._unit.path, group, guessed=guessed)
            if text is None:
                continue
            language = self._unit.target
            if not guessed and drops_explained_code(base.candidate.text, text, language):
                continue
            # A compiler is certain that its fix compiles, not that the fix is what was meant.
            made = make_candidate(self._unit, text)
            verdict = self._progress.verify(made, method, review=not guessed)
            if isinstance(verdict, Verified):
                return FixItRepaired(self._progress.text, verdict.oracle)
            if isinstance(verdict, CheckTimedOut):
                return _timed_out(verdict)
            if self._progress.current is not base:
                return None

        return None

    def _replay(self) -> _Ended:
        left = list(self._ports.ledger.pinned(module_of(self._unit.path)))
        base = None
        # The decisions are not ordered by time: one may apply only after another has helped.
        while base is not self._progress.current:
            base = self._progress.current
            for decision in left:
                ended = self._replay_one(decision)
                if ended is not None:
                    return ended
                if self._progress.current is not base:
                    left.remove(decision)
                    break

        return None

    def _replay_one(self, decision: Decision) -> _Ended:
        text = self._replayed_text(decision)
        if text is None:
            return None

        choice = f"{REPLAY}{decision.id}"
        method = RepairMethod("repair", choice, decision.model_id, rule_id=decision.rule_id)
        made = make_candidate(self._unit, text)
        verdict = self._progress.verify(made, method, replay=True)
        if isinstance(verdict, CheckTimedOut):
            return _timed_out(verdict)
        if isinstance(verdict, Verified):
            return Replayed(self._progress.text, decision.id, verdict.oracle)

        return None

    def _replayed_text(self, decision: Decision) -> str | None:
        """Return the text after a pinned decision; None if it was for another text and error."""
        same_text = decision.before_sha == sha_of(self._progress.current.candidate.data)
        if not same_text and not self._has_error_of(decision):
            return None

        # Most repairs replay nothing, and the landing engine takes long to import.
        from holdfast.landing.land import land  # noqa: PLC0415 - see above

        landed = land(self._progress.text, Patch(decision.diff), self._unit.path)
        if isinstance(landed, Refused):
            return None
        # On another text a pin does not cover a place that was matched only approximately.
        if not same_text and landed.rung != "exact":
            return None

        return landed.text

    def _has_error_of(self, decision: Decision) -> bool:
        """Return whether the current text has the error that the decision was made for."""
        fields = decision.diagnostic or {}
        wanted = (fields.get("tool"), fields.get("code"), fields.get("message"))
        errors = errors_of(self._progress.current.checked)
        return any((error.tool, error.code, error.message) == wanted for error in errors)

    def _apply_rules(self, *, unsafe: bool = False) -> _Ended:
        rules = self._ports.rules
        if rules is None:
            return None

        applied: list[str] = []
        failed: set[str] = set()
        for _ in range(_RULE_ROUNDS):
            text, errors = self._progress.text, errors_of(self._progress.current.checked)
            found = rules.look_up(
                self._unit, text, errors, self._policy.strictness, failed, unsafe=unsafe
            )
            if isinstance(found, NoRule):
                return None
            rule_id = found.rule_id
            method = RepairMethod(
                "rule_applied",
                f"rule {rule_id}",
                found.model_id,
                confidence=found.confidence,
                rule_id=rule_id,
                pinned=found.pinned,
            )
            review = not unsafe and not found.reviewed
            made = make_candidate(self._unit, found.text)
            verdict = self._progress.verify(made, method, review=review)
            if isinstance(verdict, CheckTimedOut):
                return _timed_out(verdict)
            helped = self._progress.text != text
            if not isinstance(verdict, SeenBefore | ReviewNeeded):
                rules.record(rule_id, helped=helped)
            if helped:
                applied.append(rule_id)
            else:
                failed.add(rule_id)
            if isinstance(verdict, Verified):
                return RuleRepaired(self._progress.text, tuple(applied), verdict.oracle)

        return None

    # --------------------------------------------------------------------------------- with a model

    def _apply_cached(self, model: str) -> _Ended:
        answers = self._ports.answers
        if answers is None or not model:
            return None

        response = find_response(answers, self._request(()), model)
        if response is None:
            # Rules that were learned from this response may have made a part of it already.
            unit, first = self._unit, self._judge.first
            asked = ProposalRequest(unit.path, unit.target, self._judge.text, first.diagnostics)
            response = find_response(answers, asked, model)

        if response is None:
            return None

        judged = judge_confidence(response.confidence, self._policy.threshold)
        if not isinstance(judged, Sure):
            return None

        base = self._progress.accepted
        method = _method_of(response, judged.confidence)
        # Only what passed a review is cached, so a cached text needs none.
        made = make_candidate(self._unit, response.text)
        verdict = self._progress.verify(made, method)
        if isinstance(verdict, CheckTimedOut):
            return _timed_out(verdict)
        if isinstance(verdict, Verified):
            return self._repaired(base, verdict, 0)

        return None

    def _ask_model(self, provider: Provider) -> RepairOutcome:
        if provider.proposer is None:
            return NoProvider(self._error, (*self._guesses(), *self._hints()))

        start, first_request = self._progress.accepted, self._request(())
        tried: list[str] = []
        own: set[str] = set()
        verdict: ProposalVerdict = SeenBefore()
        for attempt in range(1, self._policy.max_attempts + 1):
            base = self._progress.current
            request = self._request(tuple(tried))
            with self._ports.waiting():
                response = provider.proposer.propose(request)
            judged = self._judge_proposal(response, attempt)
            if isinstance(judged, ProviderError | RejectedLowConfidence):
                return judged
            proposal, confidence = judged
            method = _method_of(proposal, confidence)
            made = land_proposal(self._unit, proposal.text)
            verdict = self._progress.verify(made, method, roll=True, review=True)
            if isinstance(verdict, Verified):
                self._keep_response(first_request, provider.model, proposal, confidence)
                self._propose_rule(start, proposal)
                return self._repaired(start, verdict, attempt)
            if isinstance(verdict, ReviewNeeded):
                return self._needs_review(verdict, attempt)
            repeated = proposal.text in own or proposal.text == self._judge.text
            own.add(proposal.text)
            ended = self._end_of_attempt(verdict, base, attempt, repeated=repeated)
            if ended is not None:
                return ended
            tried.append(f"{_refusal(verdict)}\n\n{proposal.text}")

        return self._exhausted(verdict)

    def _keep_response(
        self, request: ProposalRequest, model: str, proposal: Proposal, confidence: float
    ) -> None:
        """Cache the text that passed as the response to the first request."""
        if self._ports.answers is None:
            return
        passed = replace(proposal, text=self._progress.text)
        keep_response(self._ports.answers, request, model, passed, confidence)

    def _end_of_attempt(
        self,
        verdict: StillFailing | GuardRejected | CheckTimedOut | SeenBefore,
        base: CheckedCandidate,
        attempt: int,
        *,
        repeated: bool,
    ) -> _Ended:
        """Return the outcome if another attempt is no use, None if the model may try again."""
        if isinstance(verdict, CheckTimedOut):
            return _timed_out(verdict)
        if isinstance(verdict, SeenBefore):
            if not repeated and attempt < self._policy.max_attempts:
                # Something cheaper made the same text: the model has not seen its errors yet.
                return None
            return self._no_progress(
                attempt, "the model proposed the same text again", verdict.reasons
            )
        if attempt == self._policy.max_attempts or isinstance(verdict, GuardRejected):
            return None
        if same_errors(verdict.checked, base.checked):
            return self._no_progress(attempt, "the proposal has the same errors", ())

        return None

    def _no_progress(self, attempt: int, event: str, reasons: tuple[str, ...]) -> NoProgress:
        message = f"{event}."
        if reasons:
            message = f"{event}, which was refused: {_first_reasons(reasons)}"

        return NoProgress(
            compiler_error=self._error,
            attempts=attempt,
            message=message,
            best=self._best(),
            reasons=reasons,
            decision_id=self._records.last_refused,
        )

    def _needs_review(self, verdict: ReviewNeeded, attempts: int) -> NeedsReview:
        return NeedsReview(
            compiler_error=self._error,
            reasons=verdict.reasons,
            proposal=diff_between(self._judge.text, verdict.candidate.text),
            attempts=attempts,
            decision_id=self._records.last_refused,
        )

    def _exhausted(self, last: ProposalVerdict) -> RepairOutcome:
        attempts = self._policy.max_attempts
        reasons = reasons_against(last)
        if isinstance(last, GuardRejected):
            return VerificationRejected(
                compiler_error=self._error,
                reasons=reasons,
                attempts=attempts,
                decision_id=self._records.last_refused,
            )

        return Exhausted(
            attempts=attempts,
            compiler_error=self._error,
            best=self._best(),
            message=f"{_proposals(attempts)} with: {_first_reasons(reasons)}",
            reasons=reasons,
            decision_id=self._records.last_refused,
        )

    def _request(self, tried: tuple[str, ...]) -> ProposalRequest:
        current = self._progress.current
        return ProposalRequest(
            path=self._unit.path,
            target=self._unit.target,
            text=current.candidate.text,
            diagnostics=current.checked.diagnostics,
            tried=tried,
            hints=self._hints(),
        )

    def _hints(self) -> tuple[str, ...]:
        """Return what unsafe rules would change, unless that was tried."""
        rules = self._ports.rules
        if rules is None or self._policy.applies_unsafe:
            return ()

        hints: dict[str, str] = {}
        text, errors = self._progress.text, errors_of(self._progress.current.checked)
        for _ in range(_MOST_HINTS):
            found = rules.look_up(
                self._unit, text, errors, self._policy.strictness, hints, unsafe=True
            )
            if isinstance(found, NoRule):
                break
            hints[found.rule_id] = self._hint(f"rule {found.rule_id}", found.text)

        return tuple(hints.values())

    def _guesses(self) -> tuple[str, ...]:
        """Return what the compiler guesses, unless that was tried.

        A model is told by the errors.
        """
        if self._policy.applies_unsafe:
            return ()

        errors = errors_of(self._progress.current.checked)
        text = apply_fixits(self._progress.text, self._unit.path, errors, guessed=True)
        if text is None:
            return ()
        return (self._hint("a guess of the compiler", text),)

    def _hint(self, source: str, text: str) -> str:
        return f"{source}:\n{diff_between(self._progress.text, text)}".rstrip()

    def _judge_proposal(
        self, proposal: Proposal | ProposerFailed, attempt: int
    ) -> tuple[Proposal, float] | ProviderError | RejectedLowConfidence:
        """Return the proposal with its confidence, or the outcome if it is not used."""
        if isinstance(proposal, ProposerFailed):
            method = RepairMethod("repair", "the model's proposal")
            self._refuse(method, None, "failed", proposal.message)
            return ProviderError(self._error, proposal.message, attempt)

        match judge_confidence(proposal.confidence, self._policy.threshold):
            case Sure(confidence):
                return proposal, confidence
            case NoConfidence(message):
                self._refuse(_method_of(proposal, None), proposal.text, "rejected", message)
                return ProviderError(self._error, message, attempt)
            case Unsure(confidence, threshold):
                detail = f"the model's confidence is {confidence}, and {threshold:g} is required."
                self._refuse(_method_of(proposal, confidence), proposal.text, "rejected", detail)
                return RejectedLowConfidence(self._error, confidence, threshold, attempt)

    def _refuse(
        self, method: RepairMethod, text: str | None, verdict: DecisionVerdict, detail: str
    ) -> None:
        candidate = None
        if text is not None:
            made = land_proposal(self._unit, text)
            if isinstance(made, Candidate):
                candidate = made
        self._records.record_refused(method, self._progress.accepted, candidate, verdict, detail)

    def _repaired(self, base: CheckedCandidate, verdict: Verified, attempts: int) -> Repaired:
        after = self._progress.text
        return Repaired(after, attempts, self._learn(base, after), verdict.oracle)

    def _propose_rule(self, base: CheckedCandidate, proposal: Proposal) -> None:
        """Keep the rule that the model suggests, if it repeats the fix."""
        rules = self._ports.rules
        if rules is None or proposal.rule is None or not self._policy.allowed.new_rules:
            return
        before, errors = base.candidate.text, errors_of(base.checked)
        after = self._progress.text
        rules.propose(self._unit, before, after, errors, proposal.rule, model=self._model)

    def _learn(self, base: CheckedCandidate, after: str) -> str | None:
        rules = self._ports.rules
        if rules is None or not self._policy.allowed.new_rules:
            return None

        rule_id = rules.learn(
            self._unit, base.candidate.text, after, errors_of(base.checked), self._model
        )
        if rule_id is not None:
            self._records.name_learned_rule(rule_id)

        return rule_id

    def _best(self) -> str | None:
        text = self._progress.text
        if text == self._judge.text:
            return None
        return text


def _method_of(proposal: Proposal, confidence: float | None) -> RepairMethod:
    return RepairMethod(
        decision_type="repair",
        choice="the model's proposal",
        model_id=proposal.model_id,
        confidence=confidence,
        reasoning=proposal.reasoning,
    )


def _refusal(verdict: ProposalVerdict) -> str:
    """Return why a proposal was not accepted, for the model's next attempt."""
    if isinstance(verdict, GuardRejected):
        return " ".join(verdict.reasons)
    return "\n".join(reasons_against(verdict))


def _proposals(count: int) -> str:
    if count == 1:
        return "the only proposal failed"
    return f"{count} proposals failed, the last one"


def _first_reasons(reasons: Sequence[str]) -> str:
    """Return the first few reasons as one sentence."""
    parts = [reason.rstrip(".") for reason in reasons[:_MOST_REASONS]]
    more = len(reasons) - _MOST_REASONS
    if more > 0:
        parts.append(f"and {more} more")
    return "; ".join(parts) + "."


def _timed_out(ended: CheckTimedOut) -> TimedOut:
    message = f"{ended.oracle} was ended after {ended.seconds:g} s without an answer."
    return TimedOut(message, ended.seconds, ended.oracle)
