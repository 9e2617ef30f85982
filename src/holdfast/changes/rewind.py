"""The plan of a rewind: a change taken back exactly, or only what it did, where later edits stand beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.plan import FileRefused
from holdfast.changes.rebase.rebase_swaps import Clash, project
from holdfast.changes.rebase.three_way import project_bytes
from holdfast.changes.swaps import Batch
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.changes.change import Change
    from holdfast.changes.ports import Files
    from holdfast.changes.swaps import Swap

_WHY = {
    "touched": "later edits touch the same lines",
    "there": "a file stands there now",
    "gone": "it is gone",
    "changed": "it was edited, and would have to be removed whole",
    "mode": "its mode was changed again, or its text beside it",
    "unfit": "there is something else now",
}
# Whoever has done it by hand, and then runs the command again, is told that it is done.
_CURES = {
    "touched": "take its lines out by hand",
    "there": "move that file away",
    "gone": "bring it back",
    "changed": "remove it by hand",
    "mode": "give it its old text and mode by hand",
    "unfit": "move that away",
}


def plan_rewind(
    change: Change, files: Files, later: Sequence[Change], *, left_by: str
) -> Batch | tuple[FileRefused, ...]:
    """Give the batch that takes an applied change back; or why it cannot be.

    `later` are the changes that were applied after it and still are. `left_by` names the change in a refusal.
    """
    back = [swap.reversed() for swap in reversed(change.plan.swaps)]
    projected = project(back, files)
    clashes = projected.clashes or tuple(
        Clash(swap.path, "touched") for swap in back if _depends(swap, later)
    )
    if clashes:
        return tuple(_refuse(clash, later, left_by) for clash in clashes)
    clears = tuple(reversed(change.plan.makes))
    return Batch(change.id, projected.swaps, projected.makes, clears, rewinds=True)


def _depends(back: Swap, later: Sequence[Change]) -> bool:
    """Whether a later change has to go first.

    The file may look right by chance: one later edit has undone another. Without this one below them, none of the two
    could be taken back any more. So what is taken out must be there before and after each of them.
    """
    above = [swap for change in later for swap in change.plan.swaps if swap.path == back.path]
    return not all(_passes(back, swap) for swap in above)


def _passes(back: Swap, above: Swap) -> bool:
    if back.before is None or back.after is None or above.before is None or above.after is None:
        return False
    sides = (above.before.data, above.after.data)
    return all(project_bytes(back.before.data, back.after.data, side) is not None for side in sides)


def _refuse(clash: Clash, later: Sequence[Change], left_by: str) -> FileRefused:
    above = [each.id for each in later if clash.path in each.paths]
    by_hand = _CURES[clash.why]
    cure = (
        f"rewind change {above[0]} first, or {by_hand}"
        if above
        else f"{by_hand}, and run this again"
    )
    told = f"{clash.path}: this is no longer what {left_by} left ({_WHY[clash.why]}); {cure}."
    return FileRefused(clash.path, Refused("conflict", told))
