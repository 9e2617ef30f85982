"""Take the last apply back, exactly or not at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from holdfast.changes.apply import FileRefused
from holdfast.changes.files import Missing
from holdfast.changes.transaction import Done, Recovered, Stopped, carry_out, recover
from holdfast.sessions.workspace import NothingDone, Workspace, nothing_done
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from holdfast.changes.batch import Batch, Swap


@dataclass(frozen=True, slots=True)
class FileUndone:
    """What undo did to a file: brought its old text back, removed it, or brought it back."""

    path: str
    action: Literal["restored", "removed", "brought back"]


@dataclass(frozen=True, slots=True)
class Undone:
    """Every file is as it was before the last apply."""

    files: tuple[FileUndone, ...]
    recovered: Recovered | None = None


def undo_last(workspace: Workspace) -> Undone | NothingDone:
    """Finish what a dead process left, then give every file of the last apply its old bytes back."""
    if not workspace.has_journal():
        return NothingDone((_nothing_to_undo(),))
    with workspace.hold() as journal:
        recovered = recover(workspace.tree, journal)
        if isinstance(recovered, Stopped):
            return nothing_done(recovered.carried, recovered)
        last = journal.last()
        if last is None:
            return NothingDone((_nothing_to_undo(),), recovered)
        batch = last.batch.reversed(workspace.new_id(), undoes=last.number)
        moved = _moved_on(batch, workspace)
        if moved:
            return NothingDone(moved, recovered)
        carried = carry_out(replace(batch, makes=_missing_directories(batch, workspace)), workspace.tree, journal)
        if not isinstance(carried, Done):
            return nothing_done(carried, recovered)
        return Undone(tuple(_undone(swap) for swap in last.batch.swaps), recovered)


def _nothing_to_undo() -> FileRefused:
    return FileRefused("", Refused("not_found", "there is nothing to undo: no apply below this root is on record."))


def _moved_on(batch: Batch, workspace: Workspace) -> tuple[FileRefused, ...]:
    return tuple(
        FileRefused(
            swap.path,
            Refused("conflict", f"{swap.path}: this is no longer what the last apply left; edit it by hand."),
        )
        for swap in batch.swaps
        if workspace.tree.side(swap) != "before"
    )


def _missing_directories(batch: Batch, workspace: Workspace) -> tuple[str, ...]:
    """Give the directories of files to bring back that somebody has removed since."""
    looked = [workspace.files.look(swap.path) for swap in batch.swaps if swap.before is None]
    return tuple(dict.fromkeys(parent for look in looked if isinstance(look, Missing) for parent in look.parents))


def _undone(swap: Swap) -> FileUndone:
    if swap.before is None:
        return FileUndone(swap.path, "removed")
    return FileUndone(swap.path, "brought back" if swap.after is None else "restored")
