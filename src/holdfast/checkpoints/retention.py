"""Which checkpoints are removed because there are too many.

Those that a user has taken, those before a turn and those before a restore are counted apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointKind

_GROUPS: dict[CheckpointKind, str] = {"manual": "manual", "turn": "turn"}
_AUTOMATIC = "undo"


def outdated(checkpoints: Sequence[Checkpoint], keep: int) -> tuple[str, ...]:
    """Return the ids of all but the latest `keep` checkpoints, by sequence number."""
    latest = _latest_first(checkpoints)
    return tuple(each.id for each in latest[keep:])


def over_limit(checkpoints: Sequence[Checkpoint], keep: int) -> tuple[str, ...]:
    """Return the ids of all but the latest `keep` of each group; what a user has taken stays."""
    counts: dict[str, int] = {}
    removed: list[str] = []
    for each in _latest_first(checkpoints):
        group = _GROUPS.get(each.draft.kind, _AUTOMATIC)
        counts[group] = counts.get(group, 0) + 1
        if group != "manual" and counts[group] > keep:
            removed.append(each.id)

    return tuple(removed)


def taken_before_work(checkpoints: Sequence[Checkpoint]) -> tuple[Checkpoint, ...]:
    """Return the checkpoints that a user or a turn has taken; all of them if there is none.

    Those that restores and undos have taken for themselves are in neither.
    """
    chosen = tuple(each for each in checkpoints if each.draft.kind in _GROUPS)
    return chosen or tuple(checkpoints)


def _latest_first(checkpoints: Sequence[Checkpoint]) -> list[Checkpoint]:
    return sorted(checkpoints, key=lambda each: each.seq, reverse=True)


def unreachable_trash(live: Sequence[str], trash: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the undo checkpoints whose trash no undo can bring back any more.

    `trash` has the ids of the checkpoints in the trash, by the id of their undo checkpoint. An undo
    checkpoint may itself be in the trash of another.

    >>> unreachable_trash(["a"], {"a": ("b",), "b": ("c",), "x": ("x",)})
    ('x',)
    """
    reachable = set(live)
    pending = list(live)
    while pending:
        found = set(trash.get(pending.pop(), ())) - reachable
        reachable |= found
        pending += found

    return tuple(undo_id for undo_id in trash if undo_id not in reachable)
