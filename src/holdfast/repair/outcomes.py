"""The outcomes of a repair. Each has the accepted code, if any, and whether it is a success."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass


class _Succeeded:
    """The unit passes its check with `code`; `oracle` names the tools that checked it."""

    __slots__ = ()
    code: str
    oracle: str

    def accepted_code(self) -> str | None:
        """Return the code that passed."""
        return self.code

    def is_success(self) -> bool:
        """Return whether the unit passes now."""
        return True


class _Failed:
    """The unit does not pass and is unchanged; `compiler_error` is the output of its check."""

    __slots__ = ()
    compiler_error: str

    def accepted_code(self) -> str | None:
        """Return None: no code was accepted."""
        return None

    def is_success(self) -> bool:
        """Return whether the unit passes now."""
        return False


@dataclass(frozen=True, slots=True)
class FirstTrySuccess(_Succeeded):
    """The unit passed unchanged."""

    code: str
    oracle: str = ""
    name: ClassVar[str] = "FirstTrySuccess"


@dataclass(frozen=True, slots=True)
class FixItRepaired(_Succeeded):
    """The compiler's own fix-its were enough."""

    code: str
    oracle: str = ""
    name: ClassVar[str] = "FixItRepaired"


@dataclass(frozen=True, slots=True)
class Replayed(_Succeeded):
    """A pinned decision was replayed."""

    code: str
    decision_id: str
    oracle: str = ""
    name: ClassVar[str] = "Replayed"


@dataclass(frozen=True, slots=True)
class RuleRepaired(_Succeeded):
    """Rules were enough; `rule_ids` are in the order in which they were applied."""

    code: str
    rule_ids: tuple[str, ...]
    oracle: str = ""
    name: ClassVar[str] = "RuleRepaired"


@dataclass(frozen=True, slots=True)
class Repaired(_Succeeded):
    """A model's proposal passed, after this many model calls (0: a cached response passed).

    `rule_added` is the id of the rule that was learned from the proposal.
    """

    code: str
    attempts: int
    rule_added: str | None = None
    oracle: str = ""
    name: ClassVar[str] = "Repaired"

    @property
    def cached(self) -> bool:
        """Whether the response came from the cache."""
        return self.attempts == 0


@dataclass(frozen=True, slots=True)
class NoProvider(_Failed):
    """Nothing cheaper helped, and no model is available.

    `hints` are fixes that are not certain, as diffs: of unsafe rules, and guesses of the compiler.
    """

    compiler_error: str
    hints: tuple[str, ...] = ()
    name: ClassVar[str] = "NoProvider"


@dataclass(frozen=True, slots=True)
class ProductionBlocked(_Failed):
    """Nothing that is allowed in production helped.

    `needs_pin` are ids that would repair the unit once they are pinned: first the rules that repair
    the unit together (this was tried), then the decisions that repaired this same text before.
    `decisions` are those ids of `needs_pin` that are decisions.
    """

    compiler_error: str
    needs_pin: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    name: ClassVar[str] = "ProductionBlocked"


@dataclass(frozen=True, slots=True)
class ProviderError(_Failed):
    """The model returned nothing usable; `message` is the reason."""

    compiler_error: str
    message: str
    attempts: int = 1
    name: ClassVar[str] = "ProviderError"


@dataclass(frozen=True, slots=True)
class RejectedLowConfidence(_Failed):
    """The model's confidence in its proposal is below the threshold."""

    compiler_error: str
    confidence: float
    threshold: float
    attempts: int = 1
    name: ClassVar[str] = "RejectedLowConfidence"


@dataclass(frozen=True, slots=True)
class Exhausted(_Failed):
    """Every attempt failed.

    `best` is the candidate with the fewest errors, None if none was better than the unit. `reasons`
    are the errors of the last attempt, and `decision_id` is its record.
    """

    attempts: int
    compiler_error: str
    best: str | None = None
    message: str = ""
    reasons: tuple[str, ...] = ()
    decision_id: str = ""
    name: ClassVar[str] = "Exhausted"


@dataclass(frozen=True, slots=True)
class NoProgress(_Failed):
    """The model repeated itself, or its proposal has the same errors; asking again is no use.

    `reasons` are the reasons against that proposal, and `decision_id` is its record.
    """

    compiler_error: str
    attempts: int
    message: str
    best: str | None = None
    reasons: tuple[str, ...] = ()
    decision_id: str = ""
    name: ClassVar[str] = "NoProgress"


@dataclass(frozen=True, slots=True)
class VerificationRejected(_Failed):
    """The guards rejected a proposal: `reasons` name what it would have lost or hidden."""

    compiler_error: str
    reasons: tuple[str, ...]
    attempts: int = 0
    decision_id: str = ""
    name: ClassVar[str] = "VerificationRejected"


@dataclass(frozen=True, slots=True)
class NeedsReview(_Failed):
    """A proposal passes, but may change what the code means: `reasons` name how.

    `proposal` is its diff. The file is unchanged, and no rule is learned; a person who pins the
    decision `decision_id` accepts the proposal.
    """

    compiler_error: str
    reasons: tuple[str, ...]
    proposal: str = ""
    attempts: int = 0
    decision_id: str = ""
    name: ClassVar[str] = "NeedsReview"


@dataclass(frozen=True, slots=True)
class TimedOut(_Failed):
    """A check (`oracle`) was stopped, with all its processes, after `seconds`."""

    compiler_error: str
    seconds: float
    oracle: str = ""
    name: ClassVar[str] = "TimedOut"


RepairOutcome: TypeAlias = (
    FirstTrySuccess
    | FixItRepaired
    | Replayed
    | RuleRepaired
    | Repaired
    | NoProvider
    | ProductionBlocked
    | ProviderError
    | RejectedLowConfidence
    | Exhausted
    | NoProgress
    | VerificationRejected
    | NeedsReview
    | TimedOut
)
