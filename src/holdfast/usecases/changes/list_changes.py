"""List the changes on record, and show one of them.

What lands an edit is not imported here: it takes longer to import than to list the changes.
"""

from __future__ import annotations

from holdfast.changes.change import NO_OWNER, Change, ChangeOwner, ChangeState
from holdfast.changes.plan import FileRefused
from holdfast.changes.transaction import Stopped
from holdfast.usecases.changes.find_change import find_change
from holdfast.usecases.locked_workspace import LockedWorkspace, locked
from holdfast.usecases.workspace import NothingDone, Workspace, nothing_done


def list_changes(
    workspace: Workspace,
    *,
    state: ChangeState | None = None,
    owner: ChangeOwner = NO_OWNER,
    limit: int | None = None,
) -> tuple[Change, ...] | NothingDone:
    """Return the changes of this project, newest first, those of its other worktrees too.

    All, or those in a state, or of a session or turn.
    """
    if not workspace.has_journal():
        return ()
    with locked(workspace) as root:
        if isinstance(root.recovered, Stopped):
            return nothing_done(root.recovered.outcome, root.recovered)
        return root.reconcile().list(
            state=state, session=owner.session, turn=owner.turn, limit=limit, everywhere=True
        )


def show_change(name: str, workspace: Workspace) -> Change | NothingDone:
    """Return the change with this id, or whose id begins so."""
    with locked(workspace) as root:
        return find_recorded(name, root)


def find_recorded(name: str, root: LockedWorkspace) -> Change | NothingDone:
    """Return the change with this id, or whose id begins so, under the lock."""
    if isinstance(root.recovered, Stopped):
        return nothing_done(root.recovered.outcome, root.recovered)
    change = find_change(name, root.reconcile())
    if isinstance(change, FileRefused):
        return NothingDone((change,), root.recovered)
    return change
