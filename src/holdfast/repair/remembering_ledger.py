"""A ledger that remembers what one repair has put on record as accepted: what is written rests on just that."""

from __future__ import annotations

from holdfast.repair.context import DecisionLedger
from holdfast.repair.decisions.decision import Decision


class RememberingLedger:
    """Records in another ledger (port `DecisionLedger`), and knows the steps that lead to the code that passed."""

    def __init__(self, ledger: DecisionLedger) -> None:
        """Record in this one."""
        self._ledger = ledger
        self.accepted: tuple[Decision, ...] = ()

    def record(self, decision: Decision) -> Decision:
        """Put a decision on record."""
        kept = self._ledger.record(decision)
        if kept.counts:
            self.accepted += (decision,)
        return kept

    def pinned(self, module: str) -> tuple[Decision, ...]:
        """Give the pinned decisions of a module."""
        return self._ledger.pinned(module)

    def unpinned(self, module: str) -> tuple[Decision, ...]:
        """Give those of a module that passed, and that nobody has pinned."""
        return self._ledger.unpinned(module)

    def confirm(self) -> None:
        """Record the steps once more, for the code is written: another repair of the same text may have failed.

        That one has then marked them as failed, and they are the same decisions as these. Raises what `record` raises.
        """
        for decision in self.accepted:
            self._ledger.record(decision)
