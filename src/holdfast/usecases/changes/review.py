"""Decide about proposed changes: apply one, or some of its hunks, or reject it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.change import Change, judge_move, judge_place
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.hunks import hunks_of, judge_hunks, split_change
from holdfast.changes.plan import ChangePlan, FileRefused
from holdfast.changes.rebase.rebase_change import rebase_change
from holdfast.usecases.changes.apply import AppliedReply, write_change
from holdfast.usecases.changes.list_changes import find_recorded
from holdfast.usecases.events.change_events import Published, change_moved, edits_landed
from holdfast.usecases.locked_workspace import LockedWorkspace, join_parts, locked
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.usecases.workspace import NothingDone, Workspace
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.changes.change_log import ChangeLog


@dataclass(frozen=True, slots=True)
class Accepted:
    """The change is applied. `rest` is the change with the hunks that were left out."""

    applied: AppliedReply
    rest: Change | None = None

    @property
    def recovered(self) -> Settled:
        """What was done first, about a command that had died."""
        return self.applied.recovered


@dataclass(frozen=True, slots=True)
class Rejected:
    """The change will not be applied. `seq` is the number of the event."""

    change: Change
    recovered: Settled = NOTHING_LEFT
    seq: int | None = None


def apply_change(
    name: str, workspace: Workspace, *, hunks: Collection[int] = ()
) -> Accepted | NothingDone:
    """Write a proposed change.

    With `hunks`, only these, and the others stay proposed as a change of their own.
    """
    with locked(workspace) as root:
        change = find_recorded(name, root)
        if isinstance(change, NothingDone):
            return change
        refused = judge_place(change, "changes apply") or judge_move(change, "applied")
        refused = refused or judge_hunks(change, hunks)
        if refused:
            return NothingDone((FileRefused("", refused),), root.recovered)
        return _apply_some(change, frozenset(hunks), root)


def reject_change(name: str, workspace: Workspace) -> Rejected | NothingDone:
    """Reject a proposed change.

    What was proposed on top of it stays, and lands again without it, or does not.
    """
    with locked(workspace) as root:
        change = find_recorded(name, root)
        if isinstance(change, NothingDone):
            return change
        refused = judge_place(change, "changes reject") or judge_move(change, "rejected")
        if refused:
            return NothingDone((FileRefused("", refused),), root.recovered)
        rejected = [change_moved(change, "rejected")]
        seq = workspace.log.move(change.id, "proposed", "rejected", rejected)
        if seq is None:
            return NothingDone((_decided_meanwhile(change),), root.recovered)
        return Rejected(replace(change, state="rejected"), root.recovered, seq)


def _apply_some(
    change: Change, hunks: frozenset[int], root: LockedWorkspace
) -> Accepted | NothingDone:
    log = root.workspace.log
    if not hunks or len(hunks) == len(hunks_of(change)):
        return _apply_whole(change, root)

    new_id = root.workspace.new_id
    accepted, rest = split_change(change, hunks, new_id(), new_id())
    # First whether the part fits: a change that cannot be applied must not be split.
    landed = rebase_change(accepted, root.workspace.files)
    if not isinstance(landed, ChangePlan):
        return NothingDone(_cured(landed, change, log), root.recovered)

    accepted = replace(accepted, plan=landed)
    events = [
        change_moved(rest, "proposed", replaces=change.id),
        change_moved(change, "rejected"),
        change_moved(accepted, "proposed"),
    ]
    parts = log.split(change.id, accepted, rest, events)
    if parts is None:
        return NothingDone((_decided_meanwhile(change),), root.recovered)

    before = Published.of(events, parts.event_seq)
    written = write_change(parts.accepted, root, before)
    if isinstance(written, AppliedReply):
        return Accepted(written, parts.rest)

    if not written.unsettled:
        # If the log cannot be written now, `reconcile` will find the parts and join them.
        with suppress(LogUnavailable):
            seq = join_parts(log, change.id, accepted=parts.accepted, rest=parts.rest)
            return replace(written, seq=seq or written.seq)

    return written


def _apply_whole(change: Change, root: LockedWorkspace) -> Accepted | NothingDone:
    workspace = root.workspace
    landed = rebase_change(change, workspace.files)
    if not isinstance(landed, ChangePlan):
        return NothingDone(_cured(landed, change, workspace.log), root.recovered)

    revised = replace(change, plan=landed)
    published = Published()
    if landed != change.plan:
        # On record before a file is touched: a process that dies halfway leaves a change that says
        # what is written.
        events = edits_landed(revised, workspace.secrets, proposed=True)
        seq = workspace.log.revise(change.id, landed, events)
        if seq is None:
            return NothingDone((_decided_meanwhile(change),), root.recovered)
        published = Published.of(events, seq)

    written = write_change(revised, root, published)
    if isinstance(written, AppliedReply):
        return Accepted(written)

    return written


def _cured(
    refusals: tuple[FileRefused, ...], change: Change, log: ChangeLog
) -> tuple[FileRefused, ...]:
    """Put the proposed change below first, if this one was made on top of it.

    To apply that one is the cure.
    """
    for below in log.list(state="proposed"):
        if below.seq < change.seq and below.paths & change.paths:
            message = (
                f"change {change.id} was made on top of change {below.id}, which is not applied; "
                "apply that one first."
            )
            return (FileRefused("", Refused("conflict", message)), *refusals)

    return refusals


def _decided_meanwhile(change: Change) -> FileRefused:
    message = f"change {change.id}: another command has just decided about it; look at it again."
    return FileRefused("", Refused("conflict", message))
