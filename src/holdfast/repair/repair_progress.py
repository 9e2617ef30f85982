"""The progress of one repair: each proposal is verified, recorded, and kept if it is better."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from holdfast.repair.check_errors import describe_errors, errors_of
from holdfast.repair.ports import CheckTimedOut
from holdfast.repair.verify import (
    Candidate,
    CheckedCandidate,
    GuardRejected,
    ReviewNeeded,
    StillFailing,
    Verified,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from holdfast.repair.decision_recorder import DecisionRecorder, RepairMethod
    from holdfast.repair.ports import RepairUnit
    from holdfast.repair.verify import Judge


@dataclass(frozen=True, slots=True)
class SeenBefore:
    """The text was tried already, or is the unit's own; `reasons` are those of the earlier try."""

    reasons: tuple[str, ...] = ()


ProposalVerdict: TypeAlias = (
    Verified | StillFailing | GuardRejected | ReviewNeeded | CheckTimedOut | SeenBefore
)


class RepairProgress:
    """The texts of a unit during its repair; nothing on the disk changes.

    `accepted` is the text after the steps that helped. `current` is the text that the model is
    asked about: its own last proposal, if that is no worse. `seen` maps every text that was tried
    to the reasons against it.
    """

    def __init__(self, unit: RepairUnit, judge: Judge, records: DecisionRecorder) -> None:
        """Begin with the unit's own text, which fails its check."""
        self._unit = unit
        self._judge = judge
        self._records = records
        start = CheckedCandidate(Candidate(judge.text, unit.data), judge.first)
        self.accepted = self.current = start
        self.seen: dict[str, tuple[str, ...]] = {judge.text: ()}

    @property
    def text(self) -> str:
        """The current text."""
        return self.current.candidate.text

    def verify(
        self,
        made: Candidate | Refused,
        method: RepairMethod,
        *,
        roll: bool = False,
        replay: bool = False,
        review: bool = False,
    ) -> ProposalVerdict:
        """Verify a text, record it, and continue from it if it is better.

        `roll` continues from the text unless it is worse: the model sees its own text and may fix
        it. `replay` records nothing for a text that helps: its decision is on record and pinned.
        `review` leaves a text to a person that may change the meaning of the code.
        """
        if isinstance(made, Refused):
            return self._refused(made, method)
        if made.text in self.seen:
            return SeenBefore(self.seen[made.text])

        verdict = self._judge.verify(made, base=self.accepted, review=review)
        if not isinstance(verdict, ReviewNeeded):
            # A rule may have made the text; a person sees it if a model proposes it too.
            self.seen[made.text] = reasons_against(verdict)
        match verdict:
            case Verified(oracle, checked):
                self._accept(method, CheckedCandidate(made, checked), oracle, replay=replay)
            case GuardRejected(reasons) | ReviewNeeded(reasons):
                detail = " ".join(reasons)
                self._records.record_refused(method, self.accepted, made, "rejected", detail)
            case CheckTimedOut(oracle, seconds):
                detail = f"{oracle} was ended after {seconds:g} s."
                self._records.record_refused(method, self.accepted, made, "failed", detail)
            case StillFailing(checked, doubtful):
                checked_made = CheckedCandidate(made, checked)
                if not doubtful and self._judge.is_better(checked_made, self.accepted):
                    self._accept(method, checked_made, checked.oracle, replay=replay)
                else:
                    self._record_failed(method, checked_made, roll=roll)

        return verdict

    def _refused(self, refused: Refused, method: RepairMethod) -> SeenBefore | GuardRejected:
        if refused.reason in {"no_change", "already_applied"}:
            return SeenBefore()
        self._records.record_refused(method, self.accepted, None, "rejected", refused.message)
        return GuardRejected((refused.message,), self.current.checked)

    def _record_failed(self, method: RepairMethod, made: CheckedCandidate, *, roll: bool) -> None:
        """Record a text that does not help; with `roll`, continue from it unless it is worse."""
        detail = describe_errors(made.checked)
        self._records.record_refused(method, self.accepted, made.candidate, "failed", detail)
        errors_now, errors_then = errors_of(made.checked), errors_of(self.current.checked)
        if roll and len(errors_now) <= len(errors_then):
            self.current = made

    def _accept(
        self, method: RepairMethod, made: CheckedCandidate, oracle: str, *, replay: bool
    ) -> None:
        if not replay:
            self._records.add_accepted(method, self.accepted, made.candidate, oracle)
        self.accepted = self.current = made


def reasons_against(verdict: ProposalVerdict) -> tuple[str, ...]:
    """Return the reasons against a text; () if there are none."""
    match verdict:
        case GuardRejected(reasons) | ReviewNeeded(reasons):
            return reasons
        case StillFailing(checked):
            return tuple(describe_errors(checked).split("\n"))
        case _:
            return ()
