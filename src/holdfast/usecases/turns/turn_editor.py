"""Edits of a turn: recorded by the use cases of changes, as changes of the turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.tools.ports import LandedEdits
from holdfast.usecases.changes.apply import PlannedReply, apply_reply
from holdfast.usecases.changes.propose import Proposed, overlay_of, propose_reply
from holdfast.usecases.workspace import NothingDone, Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.changes.change import ChangeOwner, RequestedEdits
    from holdfast.changes.overlay import Overlay
    from holdfast.changes.plan import ChangePlan, FileRefused
    from holdfast.changes.ports import FileLook


class TurnEditor:
    """Writes the edits of one turn (port `Editor`): to the disk, or in review mode as proposals."""

    def __init__(self, workspace: Workspace, owner: ChangeOwner, *, review: bool) -> None:
        """Have the changes belong to the turn."""
        self._workspace = workspace
        self._owner = owner
        self._review = review

    def land(
        self, asked: RequestedEdits, plan: ChangePlan
    ) -> LandedEdits | tuple[FileRefused, ...]:
        """Record a plan and, outside of review, write it.

        Refuse it if a file has changed since it was made.
        """
        planned = PlannedReply(asked, plan)
        propose_or_apply = propose_reply if self._review else apply_reply
        done = propose_or_apply(planned, self._workspace, owner=self._owner)
        if isinstance(done, NothingDone):
            return done.refusals
        if isinstance(done, Proposed):
            change = done.change
            return LandedEdits(change.plan.files, change.id, proposed=True, events=done.events)
        return LandedEdits(done.files, done.change_id, events=done.events)


class ReviewedFiles:
    """The files as they would be if every proposal were applied (port `Files`).

    What a turn in review mode sees.
    """

    def __init__(self, workspace: Workspace) -> None:
        """Look at the files of a workspace."""
        self._workspace = workspace
        self._laid: _Laid | None = None

    def look(self, path: str) -> FileLook:
        """Return what would be at a path."""
        return self._overlay().look(path)

    def names(self, near: str) -> list[str]:
        """List the files that would be there."""
        return self._overlay().names(near)

    def covered(self) -> frozenset[str]:
        """Name the files that are not as on the disk."""
        return self._overlay().covered

    def _overlay(self) -> Overlay:
        """Lay the proposals over the files, unless both are as they were.

        That costs, and a step looks many times.
        """
        marks = self._workspace.log.marks("proposed")
        laid = self._laid
        if laid is None or laid.marks != marks or laid.below != self._below(laid.below):
            overlay = overlay_of(self._workspace)
            laid = self._laid = _Laid(marks, overlay, self._below(overlay.named))
        return laid.overlay

    def _below(self, paths: Iterable[str]) -> dict[str, FileLook]:
        return {path: self._workspace.files.look(path) for path in paths}


@dataclass(frozen=True, slots=True)
class _Laid:
    """An overlay, and what it was made of.

    The proposals, and the files that they are about, as on the disk.
    """

    marks: tuple[tuple[str, int], ...]
    overlay: Overlay
    below: dict[str, FileLook]
