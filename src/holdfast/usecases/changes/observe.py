"""Record what somebody else (an external agent) did to the files, so that it can be seen and taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.change import NO_OWNER, OBSERVED, Change, ChangeOwner, RequestedEdits
from holdfast.changes.transaction import Stopped
from holdfast.changes.tree_difference import TreeOf, plan_of_difference
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.workspace import NothingDone, nothing_done

if TYPE_CHECKING:
    from holdfast.usecases.workspace import Workspace


def observe_difference(
    before: TreeOf, after: TreeOf, workspace: Workspace, *, owner: ChangeOwner = NO_OWNER
) -> Change | NothingDone | None:
    """Record the difference of two trees as an applied change of `owner`; None if there is none."""
    plan = plan_of_difference(before, after)
    if not plan.swaps:
        return None
    with locked(workspace) as root:
        if isinstance(root.recovered, Stopped):
            return nothing_done(root.recovered.outcome, root.recovered)
        seen = Change(
            workspace.new_id(),
            "applied",
            OBSERVED,
            RequestedEdits(),
            plan,
            session=owner.session,
            turn=owner.turn,
        )
        return root.add(seen)
