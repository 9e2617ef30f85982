"""Review mode: land a reply in memory, on the files and the changes proposed before it, and record it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.changes.change import FOR_REVIEW, Change
from holdfast.changes.overlay import Overlay
from holdfast.changes.transaction import Recovered, Stopped
from holdfast.sessions.apply import Landing, Reply, land_reply
from holdfast.sessions.held import held
from holdfast.sessions.workspace import NothingDone, Workspace, nothing_done

if TYPE_CHECKING:
    from holdfast.changes.log import ChangeLog


@dataclass(frozen=True, slots=True)
class Proposed:
    """The change is on record; no file is written."""

    change: Change
    recovered: Recovered | None = None


def propose_reply(reply: Reply, workspace: Workspace) -> Proposed | NothingDone:
    """Record what a reply makes of the files and of the changes proposed before it."""
    with held(workspace) as root:
        if isinstance(root.recovered, Stopped):
            return nothing_done(root.recovered.carried, root.recovered)
        log = root.reconcile()
        landed = land_reply(reply, overlay_of(workspace, log))
        if not isinstance(landed, Landing):
            return NothingDone(landed, root.recovered)
        change = Change(workspace.new_id(), "proposed", FOR_REVIEW, landed.asked, landed.plan)
        return Proposed(log.add(change), root.recovered)


def overlay_of(workspace: Workspace, log: ChangeLog) -> Overlay:
    """Give the files with every proposed change on top, in order: what reads and later edits see in review mode."""
    return Overlay(workspace.files, reversed(log.list(state="proposed")))
