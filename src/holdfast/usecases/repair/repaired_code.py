"""The code of a repair that succeeded: shown as a diff, and written as a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.change import AT_ONCE, NO_OWNER, ChangeOwner, RequestedEdits
from holdfast.changes.plan import FileRefused
from holdfast.changes.plan_text import plan_text
from holdfast.changes.ports import FileFound
from holdfast.landing.encoding import decode, encode
from holdfast.landing.projection.exact_text import diff_between
from holdfast.usecases.changes.apply import AppliedReply, PlannedReply, apply_at_once
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.repair.file_repair import AlreadyThere
from holdfast.usecases.workspace import NothingDone, Workspace
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
        # Not landed once more, as a model's text is: the code is what was verified.
        plan = plan_text(unit.path, unit.data, _encoded(unit, code), workspace.files)
        if isinstance(plan, FileRefused):
            return NothingDone((plan,), root.recovered)
        planned = PlannedReply(RequestedEdits((request,), overwrite=True), plan)
        change = planned.as_change(workspace.new_id(), AT_ONCE, owner)
        return apply_at_once(change, root, announce(change.id))


def has_code(unit: RepairUnit, code: str, workspace: Workspace) -> bool:
    """Return whether the file has the bytes of this code."""
    looked = workspace.files.look(unit.path)
    if not isinstance(looked, FileFound):
        return False
    return looked.data == _encoded(unit, code)


def _encoded(unit: RepairUnit, code: str) -> bytes:
    return encode(code, decode(unit.data).encoding)


def diff_of(unit: RepairUnit, code: str) -> str:
    """Return the difference between the unit and its repaired code."""
    return diff_between(decode(unit.data).text, code)
