"""Decision ledgers that wrap another one (port `DecisionLedger`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.repair.decisions.decision import Decision
    from holdfast.repair.ports import DecisionLedger


class _LedgerReader:
    """Reading from another ledger."""

    def __init__(self, ledger: DecisionLedger) -> None:
        self._ledger = ledger

    def pinned(self, module: str) -> tuple[Decision, ...]:
        """Return the pinned decisions of a module."""
        return self._ledger.pinned(module)

    def unpinned(self, module: str) -> tuple[Decision, ...]:
        """Return the accepted decisions of a module that are not pinned."""
        return self._ledger.unpinned(module)


class ReadOnlyLedger(_LedgerReader):
    """A ledger that reads decisions and records none."""

    def record(self, decision: Decision) -> Decision:
        """Return the decision without recording it."""
        return decision


class RememberingLedger(_LedgerReader):
    """A ledger that also remembers what one repair recorded.

    `accepted` are the steps that lead to the code that passed, `refused` the attempts that did not
    help.
    """

    def __init__(self, ledger: DecisionLedger) -> None:
        """Record in this ledger."""
        super().__init__(ledger)
        self.accepted: tuple[Decision, ...] = ()
        self.refused: tuple[Decision, ...] = ()

    def record(self, decision: Decision) -> Decision:
        """Record a decision and return it as it is stored."""
        stored = self._ledger.record(decision)
        if stored.counts:
            self.accepted += (decision,)
        else:
            self.refused += (decision,)
        return stored

    def confirm(self) -> None:
        """Record the accepted decisions again, now that the code is written.

        Another repair of the same text makes the same decisions. If it failed, it has marked them
        as failed meanwhile. Raise what `record` raises.
        """
        for decision in self.accepted:
            self._ledger.record(decision)
