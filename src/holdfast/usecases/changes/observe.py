"""Record what another program did to the files, so that it can be seen and undone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.changes.change import NO_OWNER, OBSERVED, Change, ChangeOwner, RequestedEdits
from holdfast.changes.transaction import Stopped
from holdfast.changes.tree_difference import TreeOf, plan_of_difference
from holdfast.usecases.events.change_events import edits_observed
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.workspace import NothingDone, nothing_done

if TYPE_CHECKING:
    from holdfast.usecases.workspace import Workspace
    from holdfast.vocab.events import Event


@dataclass(frozen=True, slots=True)
class ChangeObserved:
    """The recorded change, its published events, and the number of the last one."""

    change: Change
    events: tuple[Event, ...]
    seq: int | None


def observe_difference(
    before: TreeOf, after: TreeOf, workspace: Workspace, *, owner: ChangeOwner = NO_OWNER
) -> ChangeObserved | NothingDone | None:
    """Record the difference of two trees as an applied change of `owner`.

    Return None if there is none.
    """
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
        added, published = root.add(seen, edits_observed(seen, workspace.secrets))
        return ChangeObserved(added.change, published.events, published.seq)
