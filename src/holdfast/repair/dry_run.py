"""A repair that leaves no trace: everything is looked up, nothing is kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from holdfast.repair.context import DecisionLedger, RepairUnit, Ruled, Rules
from holdfast.repair.decisions.decision import Decision
from holdfast.repair.strictness import Strictness
from holdfast.vocab.diagnostics import Diagnostic


class DryLedger:
    """Knows what is pinned, and records nothing (port `DecisionLedger`)."""

    def __init__(self, ledger: DecisionLedger) -> None:
        """Look into this one."""
        self._ledger = ledger

    def record(self, decision: Decision) -> Decision:
        """Keep nothing."""
        return decision

    def pinned(self, module: str) -> tuple[Decision, ...]:
        """Give the pinned decisions of a module."""
        return self._ledger.pinned(module)

    def unpinned(self, module: str) -> tuple[Decision, ...]:
        """Give those of a module that passed, and that nobody has pinned."""
        return self._ledger.unpinned(module)


class DryRules:
    """Applies rules, counts nothing and learns nothing (port `Rules`)."""

    def __init__(self, rules: Rules) -> None:
        """Look into these."""
        self._rules = rules

    def look_up(
        self,
        unit: RepairUnit,
        text: str,
        errors: Sequence[Diagnostic],
        strictness: Strictness,
        without: Collection[str],
    ) -> Ruled:
        """Find the best rule."""
        return self._rules.look_up(unit, text, errors, strictness, without)

    def record(self, rule_id: str, *, helped: bool) -> None:
        """Count nothing."""

    def learn(
        self,
        unit: RepairUnit,  # noqa: ARG002 - the port's
        before: str,  # noqa: ARG002 - the port's
        after: str,  # noqa: ARG002 - the port's
        errors: Sequence[Diagnostic],  # noqa: ARG002 - the port's
    ) -> str | None:
        """Learn nothing."""
        return None
