"""How the files of a worktree differ from a checkpoint, by hunks; and one file at a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.change import FOR_REVIEW, Change, RequestedEdits
from holdfast.changes.hunks import ChangeHunk, hunks_of
from holdfast.changes.swaps import LINK
from holdfast.changes.tree_difference import plan_of_difference
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.checkpoints.find_checkpoint import belonging, refused, refused_by
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.changes.tree_difference import TreeOf
    from holdfast.checkpoints.ports import FileDifference, FileVersion, FileVersions
    from holdfast.usecases.checkpoints.ports import Worktrees

LARGEST = 2_000_000
"""The contents of a larger file are not compared."""


@dataclass(frozen=True, slots=True)
class FilesCompared:
    """The files that differ, and the hunks of those that are text and not too large."""

    files: tuple[FileDifference, ...]
    hunks: tuple[ChangeHunk, ...]


def compare_files(
    wanted: str, worktrees: Worktrees, *, session: str | None = None
) -> FilesCompared | NothingDone:
    """Return how the files are now compared to a checkpoint; of this session, if one is named."""
    try:
        with worktrees.look(files=True) as worktree:
            found = belonging(wanted, worktree.checkpoints(wanted), session)
            if isinstance(found, NothingDone):
                return found
            present = worktree.capture()
            files = worktree.compare(found.present.tree, present.tree)
            versions = worktree.versions(found.present, present, LARGEST)
    except CheckpointFailed as error:
        return refused_by(error)

    return FilesCompared(files, _hunks(versions))


def file_at(
    wanted: str, path: str, worktrees: Worktrees, *, session: str | None = None
) -> FileVersion | NothingDone:
    """Return a file as a checkpoint has it; without data if it is larger than `LARGEST`."""
    try:
        with worktrees.look() as worktree:
            found = belonging(wanted, worktree.checkpoints(wanted), session)
            if isinstance(found, NothingDone):
                return found
            version = worktree.file_at(found.present.tree, path, LARGEST)
    except CheckpointFailed as error:
        return refused_by(error)

    if version is None:
        return refused(f"{path}: checkpoint {found.id} has no such file.", "not_found")

    return version


def _hunks(versions: tuple[FileVersions, ...]) -> tuple[ChangeHunk, ...]:
    before: dict[str, tuple[bytes, int]] = {}
    after: dict[str, tuple[bytes, int]] = {}
    for each in versions:
        sides = [side for side in (each.before, each.after) if side is not None]
        if any(side.data is None or side.shape == "other" for side in sides):
            continue
        _add(before, each.path, each.before)
        _add(after, each.path, each.after)

    return hunks_between(before, after)


def _add(tree: dict[str, tuple[bytes, int]], path: str, side: FileVersion | None) -> None:
    if side is not None:
        tree[path] = (side.data or b"", LINK if side.shape == "link" else side.mode)


def hunks_between(before: TreeOf, after: TreeOf) -> tuple[ChangeHunk, ...]:
    """Return the hunks that turn the first tree into the second."""
    plan = plan_of_difference(before, after)
    if not plan.swaps:
        return ()
    return tuple(hunks_of(Change("", "proposed", FOR_REVIEW, RequestedEdits(), plan)))
