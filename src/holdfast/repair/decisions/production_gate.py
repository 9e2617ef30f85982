"""Whether a production build may start: every decision that the code rests on has a person's word."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.repair.decisions.decision import Decision


@dataclass(frozen=True, slots=True)
class GateReport:
    """What stands in the way; nothing if `open`."""

    unpinned: tuple[Decision, ...]

    @property
    def open(self) -> bool:
        """Whether the build may start."""
        return not self.unpinned


def judge_gate(decisions: Iterable[Decision]) -> GateReport:
    """Find the build decisions that count and are not pinned.

    What was rejected, came to nothing, or was superseded is on record, and no code rests on it. One without a diff
    counts too: what a running program did about trouble changes no file, and is still somebody's to look at.
    """
    return GateReport(
        tuple(
            each for each in decisions if each.scope == "build" and each.counts and not each.pinned
        )
    )
