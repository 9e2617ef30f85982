"""Undo: rewind the last applied change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.changes.plan import FileRefused
from holdfast.usecases.changes.rewind import FileUndone, undo_change
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.settled import NOTHING_LEFT, Settled
from holdfast.usecases.workspace import NothingDone, Workspace
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from holdfast.changes.change_log import LogUnavailable

__all__ = ["FileUndone", "Undone", "undo_last"]


@dataclass(frozen=True, slots=True)
class Undone:
    """Nothing of the last apply is in the files any more. `seq` is the number of the event."""

    files: tuple[FileUndone, ...]
    recovered: Settled = NOTHING_LEFT
    unrecorded: LogUnavailable | None = None
    seq: int | None = None


def undo_last(workspace: Workspace) -> Undone | NothingDone:
    """Finish what a dead process left, then undo the last applied change."""
    if not workspace.has_journal():
        return NothingDone((_nothing_to_undo(),))
    with locked(workspace) as root:
        if root.refused:
            return root.refused
        last = root.reconcile().list(state="applied", limit=1)
        if not last:
            return NothingDone((_nothing_to_undo(),), root.recovered)
        rewound = undo_change(last[0], root, left_by="the last apply")
        if isinstance(rewound, NothingDone):
            return rewound
        return Undone(rewound.files, rewound.recovered, rewound.unrecorded, rewound.seq)


def _nothing_to_undo() -> FileRefused:
    return FileRefused(
        "", Refused("not_found", "there is nothing to undo: no apply below this root is on record.")
    )
