"""Changes, their hunks, and the diff of a session."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from holdfast.server import change_bodies, diff_bodies
from holdfast.server.context import Context, Id
from holdfast.server.models.changes import (
    Change,
    ChangeList,
    ChangeSettled,
    FileContent,
    HunkChoice,
    HunkPage,
    RejectRequest,
    SessionDiff,
)

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
    return change_bodies.list_of_session(context, id, limit)


@router.get("/changes/{id}", operation_id="getChange")
def get_change(
    id: Id,
    context: Context,
    hunks: Annotated[bool, Query(description="Whether the hunks are in the answer.")] = True,  # noqa: FBT002 - a query parameter
) -> Change:
    """Return one change."""
    return change_bodies.show(context, id, with_hunks=hunks)


@router.get("/changes/{id}/hunks", operation_id="listHunks")
def list_hunks(id: Id, context: Context, first: From = 1, count: Count = 100) -> HunkPage:
    """Return some hunks of a change."""
    return change_bodies.hunks(context, id, first, count)


@router.post("/changes/{id}/apply", operation_id="applyChange")
def apply_change(id: Id, chosen: HunkChoice, context: Context) -> ChangeSettled:
    """Write a proposed change, or some of its hunks."""
    return change_bodies.apply(context, id, chosen)


@router.post("/changes/{id}/reject", operation_id="rejectChange")
def reject_change(id: Id, rejected: RejectRequest, context: Context) -> ChangeSettled:
    """Reject a change, or some of its hunks; what is in the files already is taken out."""
    return change_bodies.reject(context, id, rejected)


@router.post("/changes/{id}/rewind", operation_id="rewindChange")
def rewind_change(id: Id, context: Context) -> ChangeSettled:
    """Take an applied change out of the files."""
    return change_bodies.rewind(context, id)


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
    return diff_bodies.compare(context, id, against, path, first, count)


@router.get("/sessions/{id}/files/{path:path}", operation_id="getFile")
def get_file(
    id: Id,
    path: Annotated[str, Path(max_length=4096)],
    context: Context,
    at: Annotated[str, Query(pattern=_MOMENT)] = "now",
) -> FileContent:
    """Return a file of the session as it is now, or was."""
    return diff_bodies.read_file(context, id, path, at)
