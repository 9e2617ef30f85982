"""Forget old changes: those that are settled, and that nobody will take back any more."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.changes.transaction import Recovered, Stopped
from holdfast.sessions.held import held
from holdfast.sessions.workspace import NothingDone, Workspace, nothing_done


@dataclass(frozen=True, slots=True)
class Pruned:
    """The ids of the changes that are gone, and how many are left; no file was touched."""

    removed: tuple[str, ...]
    left: int
    recovered: Recovered | None = None


def prune_changes(workspace: Workspace, *, keep: int) -> Pruned | NothingDone:
    """Drop all but the latest `keep` changes that are applied, rejected or rewound; what is proposed stays."""
    if not workspace.has_journal():
        return Pruned((), 0)
    with held(workspace) as root:
        if isinstance(root.recovered, Stopped):
            return nothing_done(root.recovered.carried, root.recovered)
        log = root.reconcile()
        removed = log.prune(keep)
        return Pruned(removed, len(log.ids()), root.recovered)
