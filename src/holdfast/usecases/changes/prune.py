"""Remove old changes from the record: settled ones that will not be undone any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.usecases.events.change_events import changes_removed
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.usecases.workspace import NothingDone, Workspace


@dataclass(frozen=True, slots=True)
class ChangesPruned:
    """The ids of the changes that are gone, and how many are left; no file was touched.

    `seq` is the number of the event, None if nothing was removed.
    """

    removed: tuple[str, ...]
    left: int
    recovered: Settled = NOTHING_LEFT
    seq: int | None = None


def prune_changes(workspace: Workspace, *, keep: int) -> ChangesPruned | NothingDone:
    """Remove all but the latest `keep` changes that are applied, rejected or rewound.

    What is proposed stays.
    """
    if not workspace.has_journal():
        return ChangesPruned((), 0)

    with locked(workspace) as root:
        if root.refused:
            return root.refused
        log = root.reconcile()
        removed = log.prune(keep, changes_removed)
        seq = removed.event_seq if removed.ids else None
        return ChangesPruned(removed.ids, len(log.ids()), root.recovered, seq)
