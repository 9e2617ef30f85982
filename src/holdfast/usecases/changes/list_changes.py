"""List the changes on record, and show one of them.

What lands an edit is not imported here: it takes longer to import than to list the changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.change import NO_OWNER, ChangeOwner
from holdfast.changes.plan import FileRefused
from holdfast.usecases.changes.find_change import find_change
from holdfast.usecases.workspace import NothingDone

if TYPE_CHECKING:
    from holdfast.changes.change import Change, ChangeState
    from holdfast.usecases.locked_workspace import LockedWorkspace
    from holdfast.usecases.workspace import Workspace


def list_changes(
    workspace: Workspace,
    *,
    state: ChangeState | None = None,
    owner: ChangeOwner = NO_OWNER,
    limit: int | None = None,
) -> tuple[Change, ...]:
    """Return the changes of this project, newest first, those of its other worktrees too.

    All, or those in a state, or of a session or turn. Nothing is settled: a change whose process
    died is listed as it is on record.
    """
    if not workspace.has_journal():
        return ()
    return workspace.log.list(
        state=state, session=owner.session, turn=owner.turn, limit=limit, everywhere=True
    )


def show_change(name: str, workspace: Workspace) -> Change | NothingDone:
    """Return the change with this id, or whose id begins so."""
    change = find_change(name, workspace.log)
    if isinstance(change, FileRefused):
        return NothingDone((change,))
    return change


def find_recorded(name: str, root: LockedWorkspace) -> Change | NothingDone:
    """Return the change with this id, or whose id begins so, under the lock."""
    if root.refused:
        return root.refused
    change = find_change(name, root.reconcile())
    if isinstance(change, FileRefused):
        return NothingDone((change,), root.recovered)
    return change
