"""The code of a repair that succeeded: shown as a diff, and written as a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.change import AT_ONCE, NO_OWNER, ChangeOwner, RequestedEdits
from holdfast.changes.plan import FileRefused
from holdfast.changes.ports import FileFound
from holdfast.landing.encoding import decode, encode
from holdfast.landing.land import land
from holdfast.usecases.changes.apply import AppliedReply, PlannedReply, apply_at_once, plan_reply
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.repair.file_repair import AlreadyThere
from holdfast.usecases.workspace import NothingDone, Workspace
from holdfast.vocab.outcomes import Landed, Refused
from holdfast.vocab.requests import FileRequest, WriteFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.repair.ports import RepairUnit
    from holdfast.vocab.owned_event import OwnedEvent


def write_repaired(
    unit: RepairUnit,
    code: str,
    workspace: Workspace,
    owner: ChangeOwner = NO_OWNER,
    announce: Callable[[str], Sequence[OwnedEvent]] = lambda _change_id: (),
) -> AppliedReply | AlreadyThere | NothingDone:
    """Swap the file for the code that was verified, and record that as a change.

    `announce` returns further events to publish when the change with this id is applied.

    Only if the file still has the bytes that were checked: else another edit would be lost, and
    the code is not what was verified.
    """
    request = FileRequest(unit.path, "create", WriteFile(code))
    with locked(workspace) as root:
        if root.refused:
            return root.refused
        if has_code(unit, code, workspace):
            return AlreadyThere()
        landed = plan_reply(RequestedEdits((request,), overwrite=True), workspace.files)
        if not isinstance(landed, PlannedReply):
            return NothingDone(landed, root.recovered)
        swap = landed.plan.swaps[0]
        if swap.before is None or swap.before.data != unit.data:
            message = (
                f"{unit.path}: this changed while it was repaired, and was left as it is; run "
                "this again."
            )
            refused = FileRefused(unit.path, Refused("conflict", message))
            return NothingDone((refused,), root.recovered)
        change = landed.as_change(workspace.new_id(), AT_ONCE, owner)
        return apply_at_once(change, root, announce(change.id))


def has_code(unit: RepairUnit, code: str, workspace: Workspace) -> bool:
    """Return whether the file has the bytes of this code."""
    looked = workspace.files.look(unit.path)
    if not isinstance(looked, FileFound):
        return False
    return looked.data == encode(code, decode(unit.data).encoding)


def diff_of(unit: RepairUnit, code: str) -> str:
    """Return the difference between the unit and its repaired code."""
    landed = land(decode(unit.data).text, WriteFile(code), unit.path)
    if isinstance(landed, Landed):
        return landed.diff
    return ""
