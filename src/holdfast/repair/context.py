"""What is repaired, and what that needs: the world of one repair."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from holdfast.repair.decisions.decision import Decision
from holdfast.repair.ports import Answers, Check, Proposer
from holdfast.repair.strictness import Strictness
from holdfast.vocab.diagnostics import Diagnostic, Target


@dataclass(frozen=True, slots=True)
class RepairUnit:
    """A file below the root, with the bytes that it has."""

    path: str
    data: bytes
    target: Target


@dataclass(frozen=True, slots=True)
class RuleFits:
    """A rule answers a diagnostic; `text` is what it makes of the unit."""

    rule_id: str
    text: str


@dataclass(frozen=True, slots=True)
class NoRule:
    """No rule answers; `needs_pin` are those that would, if somebody had pinned them."""

    needs_pin: tuple[str, ...] = ()


Ruled: TypeAlias = RuleFits | NoRule


class Rules(Protocol):
    """The rules at hand."""

    def look_up(
        self,
        unit: RepairUnit,
        text: str,
        errors: Sequence[Diagnostic],
        strictness: Strictness,
        without: Collection[str],
    ) -> Ruled:
        """Find the best rule for one of the errors, other than those in `without`."""
        ...

    def record(self, rule_id: str, *, helped: bool) -> None:
        """Count whether what a rule made passed; raises OSError."""
        ...

    def learn(
        self, unit: RepairUnit, before: str, after: str, errors: Sequence[Diagnostic]
    ) -> str | None:
        """Learn a rule of a pair that was verified, and give its id; None if there is nothing to learn of it."""
        ...


class DecisionLedger(Protocol):
    """Where decisions are recorded; raises OSError, or what else says that it cannot be written."""

    def record(self, decision: Decision) -> Decision:
        """Put a decision on record."""
        ...

    def pinned(self, module: str) -> tuple[Decision, ...]:
        """Give the pinned decisions of a module."""
        ...

    def unpinned(self, module: str) -> tuple[Decision, ...]:
        """Give those of a module that passed, and that nobody has pinned."""
        ...


@dataclass(frozen=True, slots=True)
class Provider:
    """Whom to ask, if anybody, and the name under which responses are cached."""

    proposer: Proposer | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class PipelinePorts:
    """All that a repair may use. `provider` is called only when all that is cheaper has failed; `now` is for people."""

    check: Check
    ledger: DecisionLedger
    now: Callable[[], str]
    rules: Rules | None = None
    provider: Callable[[], Provider] = Provider
    answers: Answers | None = None
    tests: Check | None = None
    project: bool = False
