"""Review mode: land a reply in memory, on the files and the changes proposed before it, and record it."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.changes.change import (
    AT_ONCE,
    FOR_REVIEW,
    NO_OWNER,
    Change,
    ChangeOwner,
    RequestedEdits,
)
from holdfast.changes.overlay import Overlay
from holdfast.changes.transaction import BatchRecovery, Stopped
from holdfast.usecases.changes.apply import PlannedReply, ReplyText, land_reply
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.workspace import NothingDone, Workspace, nothing_done


@dataclass(frozen=True, slots=True)
class Proposed:
    """The change is on record; no file is written."""

    change: Change
    recovered: BatchRecovery | None = None


def propose_reply(
    reply: ReplyText | RequestedEdits, workspace: Workspace, *, owner: ChangeOwner = NO_OWNER
) -> Proposed | NothingDone:
    """Record what a reply makes of the files and of the changes proposed before it.

    What was read already comes as `RequestedEdits`. The change belongs to `owner`.
    """
    with locked(workspace) as root:
        if isinstance(root.recovered, Stopped):
            return nothing_done(root.recovered.outcome, root.recovered)
        log = root.reconcile()
        landed = land_reply(reply, overlay_of(workspace))
        if not isinstance(landed, PlannedReply):
            return NothingDone(landed, root.recovered)
        change = landed.as_change(workspace.new_id(), FOR_REVIEW, owner)
        return Proposed(log.add(change), root.recovered)


def overlay_of(workspace: Workspace) -> Overlay:
    """Give the files with every proposed change on top, in order: what reads and later edits see in review mode.

    One that is applied at once is proposed only on its way to the disk, and is not for review.
    """
    proposed = workspace.log.list(state="proposed")
    return Overlay(
        workspace.files, [change for change in reversed(proposed) if change.origin != AT_ONCE]
    )
