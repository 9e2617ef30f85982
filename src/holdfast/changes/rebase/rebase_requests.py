"""A proposed change on the files of now, which may have moved on since it was made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.diff import diff_of
from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.plan_requests import plan
from holdfast.changes.ports import FileFound, FileMissing, Files, FileUnfit
from holdfast.changes.rebase.rebase_swaps import Clash, project
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import WriteFile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.changes.change import Change
    from holdfast.changes.swaps import Swap
    from holdfast.vocab.requests import FileRequest

_CURES = {
    "touched": "and the two edits meet on the same lines; propose it anew",
    "there": "a file stands there now; move it away, or propose an edit of it",
    "gone": "it is gone; bring it back, or reject the change",
    "changed": "and only a file that is exactly as it was can be removed; look at it, and propose it anew",
    "mode": "its mode or its text; look at it, and propose it anew",
    "unfit": "no file can be written there now; reject the change",
}


def land_again(change: Change, files: Files) -> ChangePlan | tuple[FileRefused, ...]:
    """Give the plan as it was made if the files are what they were; else land the requests anew, or refuse."""
    if _stands(change, files):
        return replace(change.plan, makes=_missing_parents(change.plan.swaps, files))
    if _by_texts(change.asked.requests):
        return _project(change, files)
    return plan(change.asked.requests, files, overwrite=change.asked.overwrite)


def _stands(change: Change, files: Files) -> bool:
    """Whether every file is byte for byte what the change was made against, and its names lead where they led."""
    for swap in change.plan.swaps:
        looked = files.look(swap.path)
        if isinstance(looked, FileUnfit) or looked.at != swap.path:
            return False
        there = looked if isinstance(looked, FileFound) else None
        if (there and (there.data, there.mode)) != (
            swap.before and (swap.before.data, swap.before.mode)
        ):
            return False
    names = [name for file in change.plan.files for name in (file.path, file.to) if name]
    looks = [files.look(name) for name in names]
    return all(not isinstance(looked, FileUnfit) and looked.at in change.paths for looked in looks)


def _by_texts(requests: Iterable[FileRequest]) -> bool:
    """Whether the requests would not see what has moved on: a whole file, a plain delete; or there are none."""
    asked = tuple(requests)
    return not asked or any(
        isinstance(each.request, WriteFile) or (each.action == "delete" and each.request is None)
        for each in asked
    )


def _project(change: Change, files: Files) -> ChangePlan | tuple[FileRefused, ...]:
    projected = project(change.plan.swaps, files, never_done=change.paths)
    if projected.clashes:
        return tuple(_refuse(clash) for clash in projected.clashes)
    reports = tuple(_report(file, projected.swaps) for file in change.plan.files)
    return ChangePlan(reports, projected.swaps, projected.makes)


def _refuse(clash: Clash) -> FileRefused:
    told = f"{clash.path}: this has changed since the edit was proposed, {_CURES[clash.why]}."
    return FileRefused(clash.path, Refused("conflict", told))


def _report(file: FileLanded, swaps: tuple[Swap, ...]) -> FileLanded:
    swap = next((each for each in swaps if file.at == (each.path,)), None)
    if swap is None or swap.before is None or swap.after is None:
        return file
    return replace(file, diff=diff_of(file.path, file.path, swap.before, swap.after))


def _missing_parents(swaps: Iterable[Swap], files: Files) -> tuple[str, ...]:
    looks = [files.look(swap.path) for swap in swaps if swap.after is not None]
    return tuple(
        dict.fromkeys(
            parent for look in looks if isinstance(look, FileMissing) for parent in look.parents
        )
    )
