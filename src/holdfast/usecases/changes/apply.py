"""Land a model's reply on the files below a root, all or nothing."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.changes.change import AT_ONCE, NO_OWNER, Change, ChangeOwner, RequestedEdits
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.plan_requests import plan_requests
from holdfast.changes.swaps import Batch
from holdfast.changes.transaction import BatchRecovery, Done, Failed, Stopped
from holdfast.landing.formats.parse import Format, parse
from holdfast.usecases.locked_workspace import LockedWorkspace, locked
from holdfast.usecases.workspace import NothingDone, Workspace, nothing_done
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from holdfast.changes.ports import Files


@dataclass(frozen=True, slots=True)
class ReplyText:
    """What a model wrote. `unwrap` takes a diff out of one clean fence or a little prose."""

    text: str
    format: Format = "auto"
    unwrap: bool = False


@dataclass(frozen=True, slots=True)
class AppliedReply:
    """Every request landed; the files are written, unless it was only a check.

    `change_id` names the change on record. `unrecorded` says why the log could not be told that it is applied.
    """

    files: tuple[FileLanded, ...]
    recovered: BatchRecovery | None = None
    change_id: str | None = None
    unrecorded: LogUnavailable | None = None


def apply_reply(
    reply: ReplyText | RequestedEdits,
    workspace: Workspace,
    *,
    check: bool = False,
    owner: ChangeOwner = NO_OWNER,
) -> AppliedReply | NothingDone:
    """Finish what a dead process left, land every request in memory, record the change, then swap the files.

    What was read already comes as `RequestedEdits`. The change belongs to `owner`. A check writes no file and records nothing;
    where nothing was ever written it does not even take the lock.
    """
    under_lock: AbstractContextManager[LockedWorkspace | None] = nullcontext()
    if not check or workspace.has_journal():
        under_lock = locked(workspace)
    with under_lock as root:
        recovered = root.recovered if root else None
        if isinstance(recovered, Stopped):
            return nothing_done(recovered.outcome, recovered)
        landed = land_reply(reply, workspace.files)
        if not isinstance(landed, PlannedReply):
            return NothingDone(landed, recovered)
        if check or root is None:
            return AppliedReply(landed.plan.files, recovered)
        return apply_at_once(landed.as_change(workspace.new_id(), AT_ONCE, owner), root)


@dataclass(frozen=True, slots=True)
class PlannedReply:
    """What a reply asked for, and what comes of it."""

    asked: RequestedEdits
    plan: ChangePlan

    def as_change(self, change_id: str, origin: str, owner: ChangeOwner) -> Change:
        """Give the change that is to be recorded."""
        return Change(
            change_id,
            "proposed",
            origin,
            self.asked,
            self.plan,
            session=owner.session,
            turn=owner.turn,
        )


def land_reply(
    reply: ReplyText | RequestedEdits, files: Files
) -> PlannedReply | tuple[FileRefused, ...]:
    """Read the reply and land every request in memory; or give all that are refused."""
    asked = _read(reply) if isinstance(reply, ReplyText) else reply
    if isinstance(asked, Refused):
        return (FileRefused("", asked),)
    planned = plan_requests(asked.requests, files, overwrite=asked.overwrite)
    return PlannedReply(asked, planned) if isinstance(planned, ChangePlan) else planned


def _read(reply: ReplyText) -> RequestedEdits | Refused:
    requests = parse(reply.text, reply.format, reply.unwrap)
    if isinstance(requests, Refused):
        return requests
    creates = any(request.action == "create" for request in requests)
    return RequestedEdits(tuple(requests), overwrite=creates and _is_json(reply))


def apply_at_once(change: Change, root: LockedWorkspace) -> AppliedReply | NothingDone:
    """Record a new change as proposed, write its files, and record it as applied; or leave neither trace nor change."""
    root.add(change)
    return write_change(change, root)


def write_change(change: Change, root: LockedWorkspace) -> AppliedReply | NothingDone:
    """Write the files of a change that is on record as proposed."""
    carried = root.carry_out(Batch(change.id, change.plan.swaps, change.plan.makes))
    if isinstance(carried, Done):
        return AppliedReply(change.plan.files, root.recovered, change.id, carried.unrecorded)
    unsettled = isinstance(carried, Failed) and carried.unsettled
    if change.origin == AT_ONCE and not unsettled:
        # If the log cannot be told now, `reconcile` will find the change and tell it.
        with suppress(LogUnavailable):
            root.workspace.log.move(change.id, "proposed", "rejected")
    return nothing_done(carried, root.recovered)


def _is_json(reply: ReplyText) -> bool:
    """Only JSON has a whole-file write; the other notations say `create`, and mean a file that is not there."""
    return reply.format in {"auto", "json"} and not isinstance(
        parse(reply.text, "json", reply.unwrap), Refused
    )
