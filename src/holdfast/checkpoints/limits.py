"""Limits on the size and duration of a snapshot, and on how many checkpoints are kept."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SnapshotLimits:
    """Limits of one snapshot, and how many checkpoints of a worktree are kept.

    `seconds` limits the whole command, with the wait for the lock. `new_file` is the size of the
    largest new file that is captured, `new_bytes` the most that one snapshot may add, and `reserve`
    how many bytes must stay free on the disk.
    """

    seconds: float = 600.0
    new_file: int = 50 * MEGABYTE
    new_bytes: int = 2048 * MEGABYTE
    reserve: int = 64 * MEGABYTE
    keep: int = 200
