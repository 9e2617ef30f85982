"""Changes, their hunks, and the diff of a session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from fastapi import Path as InPath

from holdfast.changes.change import ChangeOwner, hash_of
from holdfast.changes.hunks import hunks_of
from holdfast.server.context import Context, Id, ServerContext
from holdfast.server.models.changes import (
    Change,
    ChangedFile,
    ChangeList,
    ChangeSettled,
    ChangeSummary,
    FileContent,
    Hunk,
    HunkChoice,
    HunkPage,
    LandedFile,
    RejectRequest,
    SessionDiff,
    SettledFile,
)
from holdfast.server.problems import not_found, refused
from holdfast.usecases.changes import list_changes as found_changes
from holdfast.usecases.changes import review
from holdfast.usecases.changes.rewind import rewind_change as rewind
from holdfast.usecases.workspace import NothingDone

if TYPE_CHECKING:
    from holdfast.changes.change import Change as RecordedChange
    from holdfast.changes.plan import FileLanded
    from holdfast.server.project_list import ServedProject

router = APIRouter(tags=["changes"])

_MOMENT = "^(now|base|(checkpoint|turn|commit):[A-Za-z0-9_-]{1,64})$"
From = Annotated[int, Query(alias="from", ge=1, le=10_000_000)]
Count = Annotated[int, Query(ge=0, le=1_000)]


@router.get("/sessions/{id}/changes", operation_id="listChanges")
def list_changes(
    id: Id,
    context: Context,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
) -> ChangeList:
    """List the changes of a session, newest first."""
    project = context.projects.of_session(id)
    with project.workspace_at(project.root) as workspace:
        found = found_changes.list_changes(workspace, owner=ChangeOwner(id, None), limit=limit)
    return ChangeList(changes=[_summary(each) for each in found])


@router.get("/changes/{id}", operation_id="getChange")
def get_change(
    id: Id,
    context: Context,
    hunks: Annotated[bool, Query(description="Whether the hunks are in the answer.")] = True,  # noqa: FBT002 - a query parameter
) -> Change:
    """Return one change."""
    _, change = _find(context, id)
    found = hunks_of(change)
    shown = [Hunk(number=each.number, path=each.path, diff=each.diff) for each in found]
    files = [_landed(file, change) for file in change.plan.files]
    body = _fields(change) | {"files": files, "hunks": shown if hunks else []}
    return Change(**body, total_hunks=len(found))


@router.get("/changes/{id}/hunks", operation_id="listHunks")
def list_hunks(id: Id, context: Context, first: From = 1, count: Count = 100) -> HunkPage:
    """Return some hunks of a change."""
    _, change = _find(context, id)
    found = hunks_of(change)
    shown = found[first - 1 : first - 1 + count]
    return HunkPage(
        hunks=[Hunk(number=each.number, path=each.path, diff=each.diff) for each in shown],
        total=len(found),
    )


@router.post("/changes/{id}/apply", operation_id="applyChange")
def apply_change(id: Id, chosen: HunkChoice, context: Context) -> ChangeSettled:
    """Write a proposed change, or some of its hunks."""
    project, change = _find(context, id)
    with project.workspace_at(_folder(project, change)) as workspace:
        accepted = review.apply_change(id, workspace, hunks=chosen.hunks)
    if isinstance(accepted, NothingDone):
        raise refused(accepted)
    applied = accepted.applied
    return ChangeSettled(
        outcome="applied",
        id=applied.change_id or id,
        files=[SettledFile(path=file.path, action=file.action) for file in applied.files],
        rest=accepted.rest.id if accepted.rest else None,
        seq=applied.seq,
        waits=False,
        message="",
    )


@router.post("/changes/{id}/reject", operation_id="rejectChange")
def reject_change(id: Id, rejected: RejectRequest, context: Context) -> ChangeSettled:
    """Reject a change, or some of its hunks; what is in the files already is taken out."""
    raise NotImplementedError


@router.post("/changes/{id}/rewind", operation_id="rewindChange")
def rewind_change(id: Id, context: Context) -> ChangeSettled:
    """Take an applied change out of the files."""
    project, change = _find(context, id)
    with project.workspace_at(_folder(project, change)) as workspace:
        rewound = rewind(id, workspace)
    if isinstance(rewound, NothingDone):
        raise refused(rewound)
    return ChangeSettled(
        outcome="rewound",
        id=rewound.change_id,
        files=[SettledFile(path=file.path, action=file.action) for file in rewound.files],
        rest=None,
        seq=rewound.seq,
        waits=False,
        message="",
    )


@router.get("/sessions/{id}/diff", operation_id="getDiff")
def get_diff(
    id: Id,
    context: Context,
    against: Annotated[str, Query(pattern=_MOMENT)] = "base",
    path: Annotated[str | None, Query(max_length=4096)] = None,
    first: From = 1,
    count: Count = 100,
) -> SessionDiff:
    """Return how the files of a session differ from its base, a checkpoint, a turn or a commit."""
    raise NotImplementedError


@router.get("/sessions/{id}/files/{path:path}", operation_id="getFile")
def get_file(
    id: Id,
    path: Annotated[str, InPath(max_length=4096)],
    context: Context,
    at: Annotated[str, Query(pattern=_MOMENT)] = "now",
) -> FileContent:
    """Return a file of the session as it is now, or was."""
    raise NotImplementedError


def _find(context: ServerContext, change_id: str) -> tuple[ServedProject, RecordedChange]:
    """Return a change by its whole id. Raise `ApiError` if there is none."""
    for project in context.projects.all():
        with project.workspace_at(project.root) as workspace:
            if not workspace.has_journal():
                continue
            found = workspace.log.get(change_id)
        if found is not None:
            return project, found
    raise not_found(f"{change_id}: there is no such change.")


def _folder(project: ServedProject, change: RecordedChange) -> Path:
    """Return the worktree whose files a change is about."""
    if change.worktree and Path(change.worktree).is_dir():
        return Path(change.worktree)
    return project.root


def _fields(change: RecordedChange) -> dict[str, Any]:
    return {
        "id": change.id,
        "seq": change.seq,
        "state": change.state,
        "origin": change.origin,
        "created_at": change.created_at,
        "settled_at": change.settled_at,
        "session": change.session,
        "turn": change.turn,
        "part_of": change.requested.part_of,
        "worktree": change.worktree or None,
    }


def _summary(change: RecordedChange) -> ChangeSummary:
    files = [
        ChangedFile(path=file.path, action=file.action, to=file.to) for file in change.plan.files
    ]
    return ChangeSummary(**_fields(change), files=files)


def _landed(file: FileLanded, change: RecordedChange) -> LandedFile:
    base = None
    for swap in change.plan.swaps:
        if swap.path == file.at[0]:
            base = hash_of(swap.before)
    return LandedFile(
        path=file.path,
        action=file.action,
        rung=file.rung,
        similarity=file.similarity,
        diff=file.diff,
        to=file.to,
        base=base,
    )
