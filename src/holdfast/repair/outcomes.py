"""How a repair ended. Each ending knows the code that was accepted, if any, and whether it is a success."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias


class _Succeeded:
    """The unit passes its check with `code`; `oracle` names what said so."""

    __slots__ = ()
    code: str
    oracle: str

    def accepted_code(self) -> str | None:
        """Give the code that passed."""
        return self.code

    def is_success(self) -> bool:
        """Whether the unit passes now."""
        return True


class _Failed:
    """The unit does not pass; `compiler_error` is what its check said, and the bytes are as they were."""

    __slots__ = ()
    compiler_error: str

    def accepted_code(self) -> str | None:
        """Give nothing: no code was accepted."""
        return None

    def is_success(self) -> bool:
        """Whether the unit passes now."""
        return False


@dataclass(frozen=True, slots=True)
class FirstTrySuccess(_Succeeded):
    """The unit passed as it was."""

    code: str
    oracle: str = ""
    name: ClassVar[str] = "FirstTrySuccess"


@dataclass(frozen=True, slots=True)
class FixItRepaired(_Succeeded):
    """What the compiler itself proposed was enough."""

    code: str
    oracle: str = ""
    name: ClassVar[str] = "FixItRepaired"


@dataclass(frozen=True, slots=True)
class Replayed(_Succeeded):
    """A decision that somebody pinned was made again."""

    code: str
    decision_id: str
    oracle: str = ""
    name: ClassVar[str] = "Replayed"


@dataclass(frozen=True, slots=True)
class RuleRepaired(_Succeeded):
    """Rules were enough; their ids, in the order in which they were applied."""

    code: str
    rule_ids: tuple[str, ...]
    oracle: str = ""
    name: ClassVar[str] = "RuleRepaired"


@dataclass(frozen=True, slots=True)
class Repaired(_Succeeded):
    """A model's proposal passed, after so many questions (0: a cached response did).

    `rule_added` is the id of the rule that was learned of it.
    """

    code: str
    attempts: int
    rule_added: str | None = None
    oracle: str = ""
    name: ClassVar[str] = "Repaired"

    @property
    def cached(self) -> bool:
        """Whether nobody was asked: the model had answered the same question before."""
        return self.attempts == 0


@dataclass(frozen=True, slots=True)
class NoProvider(_Failed):
    """Nothing cheaper helped, and there is no model to ask."""

    compiler_error: str
    name: ClassVar[str] = "NoProvider"


@dataclass(frozen=True, slots=True)
class ProductionBlocked(_Failed):
    """Nothing that is allowed in production helped.

    `needs_pin` are the rules that mend the unit together, which was tried, and then the decisions that mended just this
    text before: what is missing is somebody's pin. `decisions` are those of them that are no rules.
    """

    compiler_error: str
    needs_pin: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    name: ClassVar[str] = "ProductionBlocked"


@dataclass(frozen=True, slots=True)
class ProviderError(_Failed):
    """The model gave nothing that can be used; `message` says why."""

    compiler_error: str
    message: str
    attempts: int = 1
    name: ClassVar[str] = "ProviderError"


@dataclass(frozen=True, slots=True)
class RejectedLowConfidence(_Failed):
    """The model is less sure of its own proposal than is asked for."""

    compiler_error: str
    confidence: float
    threshold: float
    attempts: int = 1
    name: ClassVar[str] = "RejectedLowConfidence"


@dataclass(frozen=True, slots=True)
class Exhausted(_Failed):
    """Every attempt failed. `best` is the candidate with the fewest errors, None if none was better than the unit.

    `reasons` are what was said of the last one, `decision_id` is where that is on record.
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
    """The model repeated itself, or its proposal has the very same errors: to ask again would be a waste.

    `reasons` are what was said of that proposal, `decision_id` is where that is on record.
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
    """A proposal passes the compiler and not the guards: `reasons` say what it would have lost or hidden."""

    compiler_error: str
    reasons: tuple[str, ...]
    attempts: int = 0
    decision_id: str = ""
    name: ClassVar[str] = "VerificationRejected"


@dataclass(frozen=True, slots=True)
class TimedOut(_Failed):
    """A check (`oracle`) took too long and was ended, with all its processes, after `seconds`."""

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
    | TimedOut
)
