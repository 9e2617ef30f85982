"""The gate of a production build: every decision that the code depends on must be pinned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.repair.decisions.decision import Decision


@dataclass(frozen=True, slots=True)
class GateReport:
    """The decisions that keep the gate shut; none if `open`."""

    unpinned: tuple[Decision, ...]

    @property
    def open(self) -> bool:
        """Whether the build may start."""
        return not self.unpinned


def judge_gate(decisions: Iterable[Decision]) -> GateReport:
    """Find the build decisions that count and are not pinned.

    Rejected, failed and superseded decisions are on record, but no code depends on them. A decision
    without a diff counts too: a recovery by a running program changes no file and still needs
    review.
    """
    unpinned: list[Decision] = []
    for decision in decisions:
        if decision.scope != "build" or decision.pinned:
            continue
        if decision.counts:
            unpinned.append(decision)

    return GateReport(tuple(unpinned))
