"""Reject hunks of a change: they never land, or are taken out of the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.change import ChangeOwner, judge_move, judge_place
from holdfast.changes.hunks import hunks_of, judge_hunks, split_change
from holdfast.changes.plan import FileRefused
from holdfast.changes.tree_difference import tree_of
from holdfast.usecases.changes.list_changes import find_recorded
from holdfast.usecases.changes.propose import propose_difference
from holdfast.usecases.changes.review import Accepted, Rejected, apply_change
from holdfast.usecases.events.change_events import change_moved
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.changes.change import Change
    from holdfast.usecases.workspace import Workspace


def reject_hunks(
    name: str, workspace: Workspace, hunks: Collection[int]
) -> Rejected | Accepted | NothingDone:
    """Reject some hunks of a change.

    The others of a proposed change stay proposed, as a change of their own. Those of an applied
    change are taken out of the files by a change of its own, which can be undone.
    """
    with locked(workspace) as root:
        change = find_recorded(name, root)
        if isinstance(change, NothingDone):
            return change
        refused = judge_place(change, "changes reject") or judge_hunks(change, hunks)
        if refused is None and change.state != "applied":
            refused = judge_move(change, "rejected")
        if refused is not None:
            return NothingDone((FileRefused("", refused),), root.recovered)
        kept = {hunk.number for hunk in hunks_of(change)} - set(hunks)
        new_id = workspace.new_id
        # On top of the others, so that the others stay as they are.
        others, rejected = split_change(change, kept, new_id(), new_id())
        if change.state == "proposed":
            events = [
                change_moved(others, "proposed", replaces=change.id),
                change_moved(change, "rejected"),
                change_moved(rejected, "proposed"),
            ]
            parts = workspace.log.split(change.id, rejected, others, events)
            if parts is None:
                return NothingDone((_decided_meanwhile(change),), root.recovered)
            moved = [change_moved(rejected, "rejected")]
            seq = workspace.log.move(rejected.id, "proposed", "rejected", moved)
            return Rejected(rejected, root.recovered, seq)

    return _take_out(change, rejected, workspace)


def _take_out(change: Change, rejected: Change, workspace: Workspace) -> Accepted | NothingDone:
    """Take hunks out of the files, by a change of its own."""
    swaps = rejected.plan.swaps
    before = tree_of((swap.path, swap.after) for swap in swaps)
    after = tree_of((swap.path, swap.before) for swap in swaps)
    owner = ChangeOwner(change.session, change.turn)
    proposed = propose_difference(before, after, workspace, owner=owner)
    if proposed is None:
        message = f"change {change.id}: the files do not have these hunks any more."
        return NothingDone((FileRefused("", Refused("already_applied", message)),))
    if isinstance(proposed, NothingDone):
        return proposed

    return apply_change(proposed.change.id, workspace)


def _decided_meanwhile(change: Change) -> FileRefused:
    message = f"change {change.id}: another command has just decided about it; look at it again."
    return FileRefused("", Refused("conflict", message))
