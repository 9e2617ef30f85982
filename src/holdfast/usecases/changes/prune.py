"""Forget old changes: those that are settled, and that nobody will take back any more."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.changes.transaction import BatchRecovery, Stopped
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.workspace import NothingDone, Workspace, nothing_done


@dataclass(frozen=True, slots=True)
class ChangesPruned:
    """The ids of the changes that are gone, and how many are left; no file was touched."""

    removed: tuple[str, ...]
    left: int
    recovered: BatchRecovery | None = None


def prune_changes(workspace: Workspace, *, keep: int) -> ChangesPruned | NothingDone:
    """Drop all but the latest `keep` changes that are applied, rejected or rewound; what is proposed stays."""
    if not workspace.has_journal():
        return ChangesPruned((), 0)
    with locked(workspace) as root:
        if isinstance(root.recovered, Stopped):
            return nothing_done(root.recovered.outcome, root.recovered)
        log = root.reconcile()
        removed = log.prune(keep)
        return ChangesPruned(removed, len(log.ids()), root.recovered)
