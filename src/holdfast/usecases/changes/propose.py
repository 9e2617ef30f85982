"""Review mode.

Land a reply in memory, on the files and the changes proposed before it, and record it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.change import (
    AT_ONCE,
    FOR_REVIEW,
    NO_OWNER,
    Change,
    ChangeOwner,
    RequestedEdits,
)
from holdfast.changes.hunks import hunks_of, judge_hunks, split_change
from holdfast.changes.overlay import Overlay
from holdfast.changes.plan import ChangePlan, FileRefused
from holdfast.changes.rebase.merge_difference import merge_difference
from holdfast.changes.tree_difference import plan_of_difference, tree_of
from holdfast.usecases.changes.apply import PlannedReply, ReplyText, plan_reply
from holdfast.usecases.events.change_events import edits_landed
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.usecases.workspace import NothingDone, Workspace
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.changes.tree_difference import TreeOf
    from holdfast.usecases.locked_workspace import LockedWorkspace
    from holdfast.vocab.events import Event


@dataclass(frozen=True, slots=True)
class Proposed:
    """The change is on record; no file is written.

    `events` were published, `seq` is the number of the last one.
    """

    change: Change
    recovered: Settled = NOTHING_LEFT
    events: tuple[Event, ...] = ()
    seq: int | None = None


def propose_reply(
    reply: ReplyText | RequestedEdits | PlannedReply,
    workspace: Workspace,
    *,
    owner: ChangeOwner = NO_OWNER,
) -> Proposed | NothingDone:
    """Record what a reply makes of the files and of the changes proposed before it.

    The reply is one as for `apply_reply`. The change belongs to `owner`.
    """
    with locked(workspace) as root:
        if root.refused:
            return root.refused
        root.reconcile()
        planned = plan_reply(reply, overlay_of(workspace))
        if not isinstance(planned, PlannedReply):
            return NothingDone(planned, root.recovered)
        return _record(planned, root, workspace, owner)


def propose_difference(
    before: TreeOf,
    after: TreeOf,
    workspace: Workspace,
    *,
    hunks: Collection[int] = (),
    owner: ChangeOwner = NO_OWNER,
) -> Proposed | NothingDone | None:
    """Record the difference of two trees, merged into the files and the changes proposed before.

    With `hunks`, only these hunks of the difference. Return None if the files have it all.
    """
    chosen = _choose_hunks(before, after, hunks)
    if isinstance(chosen, Refused):
        return NothingDone((FileRefused("", chosen),))

    with locked(workspace) as root:
        if root.refused:
            return root.refused
        root.reconcile()
        plan = merge_difference(*chosen, overlay_of(workspace))
        if not isinstance(plan, ChangePlan):
            return NothingDone(plan, root.recovered)
        if not plan.swaps:
            return None
        return _record(PlannedReply(RequestedEdits(), plan), root, workspace, owner)


def _record(
    planned: PlannedReply, root: LockedWorkspace, workspace: Workspace, owner: ChangeOwner
) -> Proposed:
    """Record a change for review, with its events."""
    change = planned.as_change(workspace.new_id(), FOR_REVIEW, owner)
    landed = edits_landed(change, workspace.secrets, proposed=True)
    added, published = root.add(change, landed)
    return Proposed(added.change, root.recovered, published.events, published.seq)


def _choose_hunks(
    before: TreeOf, after: TreeOf, hunks: Collection[int]
) -> tuple[TreeOf, TreeOf] | Refused:
    """Return two trees that differ by these hunks only, or by all if none is named.

    The hunks are counted in the difference itself: which of them the files have already does not
    change their numbers.
    """
    if not hunks:
        return before, after

    plan = plan_of_difference(before, after)
    whole = Change("", "proposed", FOR_REVIEW, RequestedEdits(), plan)
    refused = judge_hunks(whole, hunks, "the difference")
    if refused is not None:
        return refused
    if len(set(hunks)) == len(hunks_of(whole)):
        return before, after

    part, _ = split_change(whole, hunks, "", "")
    swaps = part.plan.swaps
    return (
        tree_of((swap.path, swap.before) for swap in swaps),
        tree_of((swap.path, swap.after) for swap in swaps),
    )


def overlay_of(workspace: Workspace) -> Overlay:
    """Return the files with every proposed change on top, in order.

    What reads and later edits see in review mode. A change that is applied at once is proposed only
    while it is written, and is not for review.
    """
    proposed = reversed(workspace.log.list(state="proposed"))
    for_review = [change for change in proposed if change.origin != AT_ONCE]
    return Overlay(workspace.files, for_review)
