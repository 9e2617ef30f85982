"""What a checkpoint may cost."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SnapshotLimits:
    """Limits of one snapshot, and how many checkpoints of a worktree are kept.

    `seconds` bounds the whole command, the wait for its turn included. `new_file` is the largest new file that is
    captured, `new_bytes` the most that one snapshot may add, `spare` what must be left free on the disk after it.
    """

    seconds: float = 600.0
    new_file: int = 50 * MEGABYTE
    new_bytes: int = 2048 * MEGABYTE
    spare: int = 64 * MEGABYTE
    keep: int = 200
