"""The plan of a rewind: the change is reverted; later edits of the same files stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.change import OBSERVED
from holdfast.changes.plan import FileRefused
from holdfast.changes.rebase.rebase_swaps import Clash, rebase_swaps
from holdfast.changes.rebase.three_way import project_bytes
from holdfast.changes.swaps import Batch
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.changes.change import Change
    from holdfast.changes.plan import FileLanded
    from holdfast.changes.ports import Files
    from holdfast.changes.swaps import Swap

_CAUSES = {
    "touched": "later edits touch the same lines",
    "there": "there is a file now",
    "gone": "it is gone",
    "changed": "it was edited, and would have to be removed whole",
    "mode": "its mode or its text was changed again",
    "unfit": "there is something else now",
}
# A user who has followed one of these and runs the command again learns that the rewind is done.
_CURES = {
    "touched": "remove its lines by hand",
    "there": "move that file away",
    "gone": "restore it",
    "changed": "remove it by hand",
    "mode": "restore its old text and mode by hand",
    "unfit": "move that away",
}


def plan_rewind(
    change: Change, files: Files, later: Sequence[Change], *, left_by: str
) -> Batch | tuple[FileRefused, ...]:
    """Return the batch that reverts an applied change, or the reasons why it cannot be reverted.

    `later` are the changes that were applied after `change` and still are. `left_by` names the
    change in a refusal.
    """
    unkept = unkept_files(change)
    if unkept:
        return tuple(map(_refuse_unkept, unkept))

    inverse = [swap.reversed() for swap in reversed(change.plan.swaps)]
    rebased = rebase_swaps(inverse, files)
    clashes = rebased.clashes or _needed_later(inverse, later)
    if clashes:
        return tuple(_refuse(clash, later, left_by) for clash in clashes)

    clears = tuple(reversed(change.plan.makes))
    modes = change.plan.modes
    return Batch(change.id, rebased.swaps, rebased.makes, clears, rewinds=True, modes=modes)


def unkept_files(change: Change) -> tuple[FileLanded, ...]:
    """Return the files of an observed change whose contents it does not have."""
    if change.origin != OBSERVED:
        return ()
    kept = change.paths
    return tuple(file for file in change.plan.files if file.path not in kept)


def _refuse_unkept(file: FileLanded) -> FileRefused:
    message = (
        f"{file.path}: this was changed by a command or another program, and the change does not "
        f"have its old content. {file.diff} To restore all files as before the turn: "
        "holdfast checkpoint list. To undo an older change: holdfast changes rewind ID."
    )
    return FileRefused(file.path, Refused("not_found", message))


def _needed_later(inverse: Iterable[Swap], later: Sequence[Change]) -> tuple[Clash, ...]:
    """Return a clash for each file of which a later change has to be rewound first.

    The file may look right by chance, because one later change undoes another. Without the swap
    below them, neither of the two could be rewound any more. So the inverse must fit on the file
    before and after each later change.
    """
    by_path = {swap.path: swap for swap in inverse}
    touched: set[str] = set()
    for change in later:
        for swap in change.plan.swaps:
            reverting = by_path.get(swap.path)
            if reverting is None:
                continue
            if not _fits_on_both_sides(reverting, swap):
                touched.add(swap.path)

    return tuple(Clash(path, "touched") for path in by_path if path in touched)


def _fits_on_both_sides(inverse: Swap, later: Swap) -> bool:
    if inverse.edit is None:
        return False
    if later.edit is None:
        return False

    old, new = inverse.edit
    projected = [project_bytes(old, new, present) for present in later.edit]
    return None not in projected


def _refuse(clash: Clash, later: Sequence[Change], left_by: str) -> FileRefused:
    by_hand = _CURES[clash.why]
    cure = f"{by_hand}, and run this again"
    for change in later:
        if clash.path in change.paths:
            cure = f"rewind change {change.id} first, or {by_hand}"
            break

    cause = _CAUSES[clash.why]
    message = f"{clash.path}: this is no longer what {left_by} left ({cause}); {cure}."
    return FileRefused(clash.path, Refused("conflict", message))
