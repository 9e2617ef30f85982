"""Land a model's reply on the files below a root, all or nothing."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.change import AT_ONCE, NO_OWNER, Change, ChangeOwner, RequestedEdits
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.ports import FileFound, FileMissing
from holdfast.changes.swaps import Batch
from holdfast.changes.transaction import Done, Failed
from holdfast.usecases.events.change_events import Published, change_moved
from holdfast.usecases.locked_workspace import LockedWorkspace, locked
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.usecases.workspace import NothingDone, Workspace, changed_meanwhile, nothing_done
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.changes.ports import Files
    from holdfast.changes.swaps import Swap
    from holdfast.landing.formats.parse import Format
    from holdfast.vocab.events import Event
    from holdfast.vocab.owned_event import OwnedEvent
    from holdfast.vocab.requests import FileRequest


@dataclass(frozen=True, slots=True)
class ReplyText:
    """The text of a model's reply.

    `unwrap` takes a diff out of one clean fence or a little prose.
    """

    text: str
    format: Format = "auto"
    unwrap: bool = False


@dataclass(frozen=True, slots=True)
class AppliedReply:
    """Every request landed; the files are written, unless it was only a check.

    `change_id` names the change on record, `events` are those that were published, `seq` is the
    number of the last one. `unrecorded` says why the log could not record that the change is
    applied; the next command records it.
    """

    files: tuple[FileLanded, ...]
    recovered: Settled = NOTHING_LEFT
    change_id: str | None = None
    unrecorded: LogUnavailable | None = None
    events: tuple[Event, ...] = ()
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedReply:
    """The requests of a reply, and what becomes of which bytes."""

    asked: RequestedEdits
    plan: ChangePlan

    def as_change(self, change_id: str, origin: str, owner: ChangeOwner) -> Change:
        """Return the change that is to be recorded."""
        return Change(
            change_id,
            "proposed",
            origin,
            self.asked,
            self.plan,
            session=owner.session,
            turn=owner.turn,
        )


def apply_reply(
    reply: ReplyText | RequestedEdits | PlannedReply,
    workspace: Workspace,
    *,
    check: bool = False,
    owner: ChangeOwner = NO_OWNER,
) -> AppliedReply | NothingDone:
    """Land every request in memory, record the change, then swap the files; all or nothing.

    `RequestedEdits` are parsed already, and a `PlannedReply` has landed already: it is refused if a
    file has changed since. The change belongs to `owner`. A check only looks: it takes no lock,
    settles nothing, writes no file and records nothing.
    """
    if check:
        landed = plan_reply(reply, workspace.files)
        if isinstance(landed, PlannedReply):
            return AppliedReply(landed.plan.files)
        return NothingDone(landed)

    with locked(workspace) as root:
        if root.refused:
            return root.refused
        landed = plan_reply(reply, workspace.files)
        if not isinstance(landed, PlannedReply):
            return NothingDone(landed, root.recovered)
        return apply_at_once(landed.as_change(workspace.new_id(), AT_ONCE, owner), root)


def plan_reply(
    reply: ReplyText | RequestedEdits | PlannedReply, files: Files
) -> PlannedReply | tuple[FileRefused, ...]:
    """Parse the reply and land every request in memory; or return all that are refused."""
    if isinstance(reply, PlannedReply):
        changed = [swap.path for swap in reply.plan.swaps if not _is_before(swap, files)]
        return changed_meanwhile(changed) or reply

    if isinstance(reply, ReplyText):
        parsed = _parse(reply)
        if isinstance(parsed, Refused):
            return (FileRefused("", parsed),)
        reply = parsed

    # A repair has its plan already, and the landing engine takes long to import.
    from holdfast.changes.plan_requests import plan_requests  # noqa: PLC0415 - see above

    planned = plan_requests(reply.requests, files, overwrite=reply.overwrite)
    if isinstance(planned, ChangePlan):
        return PlannedReply(reply, planned)

    return planned


def _is_before(swap: Swap, files: Files) -> bool:
    """Whether the file still has the content that the swap was planned on."""
    looked = files.look(swap.path)
    if swap.before is None:
        return isinstance(looked, FileMissing)
    if not isinstance(looked, FileFound):
        return False
    return looked.data == swap.before.data


def _parse(reply: ReplyText) -> RequestedEdits | Refused:
    requests = _parse_as(reply, reply.format)
    if isinstance(requests, Refused):
        return requests

    overwrite = False
    if any(request.action == "create" for request in requests):
        overwrite = _is_json(reply)

    return RequestedEdits(tuple(requests), overwrite=overwrite)


def apply_at_once(
    change: Change, root: LockedWorkspace, also: Sequence[OwnedEvent] = ()
) -> AppliedReply | NothingDone:
    """Record a new change as proposed, write its files, and record it as applied; or reject it.

    `also` are further events, published when it is applied.
    """
    _, published = root.add(change)
    return write_change(change, root, published, also)


def write_change(
    change: Change,
    root: LockedWorkspace,
    before: Published | None = None,
    also: Sequence[OwnedEvent] = (),
) -> AppliedReply | NothingDone:
    """Write the files of a change that is on record as proposed.

    `before` are the events that were published for it.
    """
    plan = change.plan
    batch = Batch(change.id, plan.swaps, plan.makes, plan.clears)
    carried, published = root.carry_out(batch, change, also=also)
    done = (before or Published()).followed_by(published)
    if isinstance(carried, Done):
        return AppliedReply(
            change.plan.files,
            root.recovered,
            change.id,
            carried.unrecorded,
            done.events,
            done.seq,
        )

    unsettled = isinstance(carried, Failed) and carried.unsettled
    if change.origin == AT_ONCE and not unsettled:
        # If the log cannot be written now, `reconcile` will find the change and reject it.
        with suppress(LogUnavailable):
            rejected = [change_moved(change, "rejected")]
            seq = root.workspace.log.move(change.id, "proposed", "rejected", rejected)
            done = done.followed_by(Published.of(rejected, seq))

    return replace(nothing_done(carried, root.recovered), seq=done.seq)


def _is_json(reply: ReplyText) -> bool:
    """Whether the reply is JSON.

    The other notations say `create`, and mean a file that is not there.
    """
    if reply.format not in {"auto", "json"}:
        return False
    return not isinstance(_parse_as(reply, "json"), Refused)


def _parse_as(reply: ReplyText, notation: Format) -> tuple[FileRequest, ...] | Refused:
    # A repair has its requests already, and the notations take long to import.
    from holdfast.landing.formats.parse import parse  # noqa: PLC0415 - see above

    return parse(reply.text, notation, reply.unwrap)
