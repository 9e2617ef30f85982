"""Which checkpoints are old enough to go."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.checkpoints.checkpoint import Checkpoint


def outdated(checkpoints: Sequence[Checkpoint], keep: int) -> tuple[str, ...]:
    """Name all but the latest `keep`; latest by their order, never by a clock."""
    ordered = sorted(checkpoints, key=lambda each: each.seq, reverse=True)
    return tuple(each.id for each in ordered[keep:])
