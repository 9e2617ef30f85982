"""A proposed change, landed again on files that may have changed since it was proposed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.diff import diff_of
from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.plan_requests import plan_requests
from holdfast.changes.ports import FileLook, FileMissing, Files, FileUnfit
from holdfast.changes.rebase.rebase_swaps import Clash, rebase_swaps
from holdfast.changes.swaps import Content
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import WriteFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.changes.change import Change
    from holdfast.changes.swaps import Swap
    from holdfast.vocab.requests import FileRequest

_CURES = {
    "touched": "and both edits touch the same lines; propose it again",
    "there": "there is a file now; move it away, or propose an edit of it",
    "gone": "the file is gone; restore it, or reject the change",
    "changed": (
        "and only a file that is exactly as it was can be removed; look at it, and propose it again"
    ),
    "mode": "in its mode or its text; look at it, and propose it again",
    "unfit": "no file can be written there now; reject the change",
}


def rebase_change(change: Change, files: Files) -> ChangePlan | tuple[FileRefused, ...]:
    """Return the plan of the change for the files as they are now, or the refusals.

    The plan stays the same if the files are what they were when the change was made. Otherwise
    the requests land again, or the swaps are rebased.
    """
    if _is_current(change, files):
        return replace(change.plan, makes=_missing_parents(change.plan.swaps, files))
    requested = change.requested
    if _must_not_land_again(requested.requests):
        return _rebase_plan(change, files)
    return plan_requests(requested.requests, files, overwrite=requested.overwrite)


def _is_current(change: Change, files: Files) -> bool:
    """Return whether every file is byte for byte as before, and every name leads where it led."""
    for swap in change.plan.swaps:
        if not _is_before(swap, files.look(swap.path)):
            return False

    paths = change.paths
    for name in _names(change.plan):
        looked = files.look(name)
        if isinstance(looked, FileUnfit):
            return False
        if looked.at not in paths:
            return False

    return True


def _names(plan: ChangePlan) -> Iterator[str]:
    """Yield the paths in the reports, old and new."""
    for file in plan.files:
        yield file.path
        if file.to:
            yield file.to


def _is_before(swap: Swap, looked: FileLook) -> bool:
    if isinstance(looked, FileUnfit):
        return False
    if looked.at != swap.path:
        return False
    if isinstance(looked, FileMissing):
        return swap.before is None

    present = Content(looked.data, looked.mode)
    return swap.before == present


def _must_not_land_again(requests: Sequence[FileRequest]) -> bool:
    """Return whether to rebase the recorded swaps instead of landing the requests again.

    A whole-file write and a delete without a patch land on any text, and would overwrite what has
    changed since. A change without requests has only its swaps.
    """
    if not requests:
        return True

    for file in requests:
        if isinstance(file.request, WriteFile):
            return True
        if file.action == "delete" and file.request is None:
            return True

    return False


def _rebase_plan(change: Change, files: Files) -> ChangePlan | tuple[FileRefused, ...]:
    rebased = rebase_swaps(change.plan.swaps, files, never_done=change.paths)
    if rebased.clashes:
        return tuple(map(_refuse, rebased.clashes))
    reports = [_report(file, rebased.swaps) for file in change.plan.files]
    return ChangePlan(tuple(reports), rebased.swaps, rebased.makes, change.plan.clears)


def _refuse(clash: Clash) -> FileRefused:
    cure = _CURES[clash.why]
    message = f"{clash.path}: this has changed since the edit was proposed, {cure}."
    return FileRefused(clash.path, Refused("conflict", message))


def _report(file: FileLanded, swaps: Iterable[Swap]) -> FileLanded:
    """Return the report with the diff of the rebased swap, if the file is edited in place."""
    by_path = {swap.path: swap for swap in swaps}
    if len(file.at) > 1:
        return file

    swap = by_path.get(file.at[0])
    if swap is None:
        return file
    if None in (swap.before, swap.after):
        return file

    diff = diff_of(file.path, file.path, swap.before, swap.after)
    return replace(file, diff=diff)


def _missing_parents(swaps: Iterable[Swap], files: Files) -> tuple[str, ...]:
    parents: dict[str, None] = {}
    for swap in swaps:
        if swap.after is None:
            continue
        looked = files.look(swap.path)
        if isinstance(looked, FileMissing):
            parents.update(dict.fromkeys(looked.parents))

    return tuple(parents)
