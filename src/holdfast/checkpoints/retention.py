"""Which checkpoints are removed because there are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.checkpoints.checkpoint import Checkpoint


def outdated(checkpoints: Sequence[Checkpoint], keep: int) -> tuple[str, ...]:
    """Return the ids of all but the latest `keep` checkpoints, by sequence number."""
    ordered = sorted(checkpoints, key=lambda each: each.seq, reverse=True)
    return tuple(each.id for each in ordered[keep:])
