"""Land a model's reply on the files below a root, all or nothing."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.changes.apply import plan
from holdfast.changes.batch import Batch
from holdfast.changes.change import AT_ONCE, NOBODY, Asked, Change, Owner
from holdfast.changes.log import LogUnavailable
from holdfast.changes.plan import FileLanded, FileRefused, Plan
from holdfast.changes.transaction import Done, Failed, Recovered, Stopped
from holdfast.landing.notations.parse import Format, parse
from holdfast.sessions.held import Held, held
from holdfast.sessions.workspace import NothingDone, Workspace, nothing_done
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from holdfast.changes.files import Files


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote. `unwrap` takes a diff out of one clean fence or a little prose."""

    text: str
    format: Format = "auto"
    unwrap: bool = False


@dataclass(frozen=True, slots=True)
class Applied:
    """Every request landed; the files are written, unless it was only a check.

    `change_id` names the change on record. `unrecorded` says why the log could not be told that it is applied.
    """

    files: tuple[FileLanded, ...]
    recovered: Recovered | None = None
    change_id: str | None = None
    unrecorded: LogUnavailable | None = None


def apply_reply(
    reply: Reply | Asked, workspace: Workspace, *, check: bool = False, owner: Owner = NOBODY
) -> Applied | NothingDone:
    """Finish what a dead process left, land every request in memory, record the change, then swap the files.

    What was read already comes as `Asked`. The change belongs to `owner`. A check writes no file and records nothing;
    where nothing was ever written it does not even take the lock.
    """
    under_lock: AbstractContextManager[Held | None] = nullcontext()
    if not check or workspace.has_journal():
        under_lock = held(workspace)
    with under_lock as root:
        recovered = root.recovered if root else None
        if isinstance(recovered, Stopped):
            return nothing_done(recovered.carried, recovered)
        landed = land_reply(reply, workspace.files)
        if not isinstance(landed, Landing):
            return NothingDone(landed, recovered)
        if check or root is None:
            return Applied(landed.plan.files, recovered)
        return apply_at_once(landed.as_change(workspace.new_id(), AT_ONCE, owner), root)


@dataclass(frozen=True, slots=True)
class Landing:
    """What a reply asked for, and what comes of it."""

    asked: Asked
    plan: Plan

    def as_change(self, change_id: str, origin: str, owner: Owner) -> Change:
        """Give the change that is to be recorded."""
        return Change(change_id, "proposed", origin, self.asked, self.plan, session=owner.session, turn=owner.turn)


def land_reply(reply: Reply | Asked, files: Files) -> Landing | tuple[FileRefused, ...]:
    """Read the reply and land every request in memory; or give all that are refused."""
    asked = _read(reply) if isinstance(reply, Reply) else reply
    if isinstance(asked, Refused):
        return (FileRefused("", asked),)
    planned = plan(asked.requests, files, overwrite=asked.overwrite)
    return Landing(asked, planned) if isinstance(planned, Plan) else planned


def _read(reply: Reply) -> Asked | Refused:
    requests = parse(reply.text, reply.format, reply.unwrap)
    if isinstance(requests, Refused):
        return requests
    creates = any(request.action == "create" for request in requests)
    return Asked(tuple(requests), overwrite=creates and _is_json(reply))


def apply_at_once(change: Change, root: Held) -> Applied | NothingDone:
    """Record a new change as proposed, write its files, and record it as applied; or leave neither trace nor change."""
    root.add(change)
    return write_change(change, root)


def write_change(change: Change, root: Held) -> Applied | NothingDone:
    """Write the files of a change that is on record as proposed."""
    carried = root.carry_out(Batch(change.id, change.plan.swaps, change.plan.makes))
    if isinstance(carried, Done):
        return Applied(change.plan.files, root.recovered, change.id, carried.unrecorded)
    unsettled = isinstance(carried, Failed) and carried.unsettled
    if change.origin == AT_ONCE and not unsettled:
        # If the log cannot be told now, `reconcile` will find the change and tell it.
        with suppress(LogUnavailable):
            root.workspace.log.move(change.id, "proposed", "rejected")
    return nothing_done(carried, root.recovered)


def _is_json(reply: Reply) -> bool:
    """Only JSON has a whole-file write; the other notations say `create`, and mean a file that is not there."""
    return reply.format in {"auto", "json"} and not isinstance(parse(reply.text, "json", reply.unwrap), Refused)
