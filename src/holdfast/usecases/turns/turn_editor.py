"""Edits of a turn: recorded by the use cases of changes, as changes of the turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.tools.ports import LandedEdits
from holdfast.usecases.changes.apply import PlannedReply, apply_reply
from holdfast.usecases.changes.propose import overlay_of, propose_reply
from holdfast.usecases.workspace import NothingDone, Workspace
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.changes.change import ChangeOwner, RequestedEdits
    from holdfast.changes.overlay import Overlay
    from holdfast.changes.plan import ChangePlan, FileRefused
    from holdfast.changes.ports import FileLook


class TurnEditor:
    """Writes the edits of one turn (port `Editor`): to the disk, or in review mode as proposals."""

    def __init__(self, workspace: Workspace, owner: ChangeOwner, *, review: bool) -> None:
        """Record the changes as those of `owner`."""
        self._workspace = workspace
        self._owner = owner
        self._review = review

    def land(
        self, requested: RequestedEdits, plan: ChangePlan
    ) -> LandedEdits | tuple[FileRefused, ...]:
        """Record a plan and, outside of review, write it.

        Refuse it if a file has changed since it was made.
        """
        planned = PlannedReply(requested, plan)
        if self._review:
            return self._propose(planned)
        return self._apply(planned)

    def _propose(self, planned: PlannedReply) -> LandedEdits | tuple[FileRefused, ...]:
        done = propose_reply(planned, self._workspace, owner=self._owner)
        if isinstance(done, NothingDone):
            return done.refusals
        change = done.change
        return LandedEdits(change.plan.files, change.id, proposed=True, events=done.events)

    def _apply(self, planned: PlannedReply) -> LandedEdits | tuple[FileRefused, ...]:
        done = apply_reply(planned, self._workspace, owner=self._owner)
        if isinstance(done, NothingDone):
            return done.refusals
        return LandedEdits(done.files, done.change_id, events=done.events)


class ReviewedFiles:
    """The files as they would be if every proposal were applied (port `Files`).

    What a turn in review mode sees.
    """

    def __init__(self, workspace: Workspace) -> None:
        """Look at the files of a workspace."""
        self._workspace = workspace
        self._cached: _CachedOverlay | None = None

    def look(self, path: str) -> FileLook:
        """Return what would be at a path."""
        return self._overlay().look(path)

    def link(self, path: str) -> bytes | None:
        """Return the target of the symlink at a path, or None if there is no symlink."""
        return self._workspace.files.link(path)

    def names(self, near: str) -> list[str]:
        """List the files that would be there."""
        return self._overlay().names(near)

    def covered(self) -> frozenset[str]:
        """Name the files that are not as on the disk."""
        return self._overlay().covered

    def _overlay(self) -> Overlay:
        """Return the proposals laid over the files; the same overlay while both are unchanged.

        Making one is slow, and a step looks many times.
        """
        marks = self._workspace.log.marks("proposed")
        cached = self._cached
        if cached is not None and self._is_current(cached, marks):
            return cached.overlay

        overlay = overlay_of(self._workspace)
        self._cached = _CachedOverlay(marks, overlay, self._below(overlay.named))
        return overlay

    def _is_current(self, cached: _CachedOverlay, marks: tuple[tuple[str, int], ...]) -> bool:
        if cached.marks != marks:
            return False
        return cached.below == self._below(cached.below)

    def _below(self, paths: Iterable[str]) -> dict[str, FileLook]:
        return {path: self._workspace.files.look(path) for path in paths}


@dataclass(frozen=True, slots=True)
class _CachedOverlay:
    """An overlay, and what it was made of.

    `marks` are those of the proposals; `below` are the files that they edit, as on the disk.
    """

    marks: tuple[tuple[str, int], ...]
    overlay: Overlay
    below: dict[str, FileLook]
