"""Reject a change or some of its hunks: at once, or after the end of a turn."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.changes.hunks import hunks_of
from holdfast.usecases.changes import review
from holdfast.usecases.changes.ports import NewRejection
from holdfast.usecases.changes.reject_hunks import reject_hunks
from holdfast.usecases.changes.rewind import Rewound, rewind_change
from holdfast.usecases.redaction import redact
from holdfast.usecases.workspace import NothingDone

if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.changes.change import Change
    from holdfast.server.project_list import ServedProject
    from holdfast.usecases.changes.ports import Rejection

_log = logging.getLogger(__name__)


def reject(
    project: ServedProject, change: Change, hunks: Collection[int]
) -> review.Rejected | review.Accepted | Rewound | NothingDone:
    """Reject hunks of a change; none means all. What is in the files already is taken out."""
    chosen = set(hunks)
    with project.workspace_at(folder_of(project, change)) as workspace:
        if chosen and len(chosen) < len(hunks_of(change)):
            return reject_hunks(change.id, workspace, chosen)
        if change.state == "applied":
            return rewind_change(change.id, workspace)
        return review.reject_change(change.id, workspace)


def record_rejection(
    project: ServedProject, change: Change, hunks: Collection[int], reason: str, *, waits: bool
) -> None:
    """Record a rejection of a change of a session, without Holdfast's own keys."""
    assert change.session is not None  # noqa: S101 - asked by the caller
    settings = project.settings()
    secrets = tuple(filter(None, (settings["api_key"], settings["database_url"])))
    paths = tuple(file.path for file in change.plan.files)
    new = NewRejection(change.id, tuple(sorted(hunks)), paths, reason)
    project.rejections.add(change.session, redact(new, secrets), waits=waits)


def settle_rejections(project: ServedProject, session: str) -> None:
    """Reject what waits in a session, all hunks of a change together."""
    if not project.rejections.waiting(session):
        return

    with project.review_of(session):
        by_change: dict[str, list[Rejection]] = {}
        # Read again: another server on the same store may have done them.
        for rejection in project.rejections.waiting(session):
            by_change.setdefault(rejection.asked.change_id, []).append(rejection)
        for change_id, rejections in by_change.items():
            why = _settle(project, change_id, rejections)
            if why:
                _log.warning("change %s is not rejected: %s", change_id, why)
            project.rejections.settle(rejections, why)


def folder_of(project: ServedProject, change: Change) -> Path:
    """Return the worktree whose files a change is about."""
    if change.worktree and Path(change.worktree).is_dir():
        return Path(change.worktree)
    return project.root


def _settle(project: ServedProject, change_id: str, rejections: list[Rejection]) -> str:
    """Reject hunks of one change, and return why not, "" if that is done."""
    with project.workspace_at(project.root) as workspace:
        change = workspace.log.get(change_id)

    if change is None:
        return "The change is not on record any more."

    hunks: set[int] = set()
    if all(each.asked.hunks for each in rejections):
        hunks.update(*(each.asked.hunks for each in rejections))

    try:
        done = reject(project, change, hunks)
    except OSError as error:
        return f"{error.filename or 'the disk'}: {error.strerror}."

    if isinstance(done, NothingDone):
        return " ".join(each.refused.message for each in done.refusals)

    return ""
