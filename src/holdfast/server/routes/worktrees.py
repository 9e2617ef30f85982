"""Worktrees of sessions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from holdfast.server import worktree_bodies
from holdfast.server.context import Context, Id, ProjectName
from holdfast.server.models.worktrees import (
    Merged,
    MergeRequest,
    Updated,
    WorktreeList,
    WorktreeRemoval,
)

router = APIRouter(tags=["worktrees"])


@router.get("/worktrees", operation_id="listWorktrees")
def list_worktrees(context: Context, project: ProjectName = None) -> WorktreeList:
    """List the worktrees of sessions, newest first."""
    return worktree_bodies.list_all(context, project)


@router.post("/worktrees/{id}/merge", operation_id="mergeWorktree")
def merge_worktree(id: Id, wanted: MergeRequest, context: Context) -> Merged:
    """Propose the work of a worktree as a change of the project, or commit it on its branch."""
    return worktree_bodies.merge(context, id, wanted)


@router.post("/worktrees/{id}/update", operation_id="updateWorktree")
def update_worktree(id: Id, context: Context) -> Updated:
    """Merge the new commits of the branch that a worktree was made from."""
    return worktree_bodies.update(context, id)


@router.delete("/worktrees/{id}", operation_id="removeWorktree")
def remove_worktree(
    id: Id,
    context: Context,
    force: Annotated[bool, Query(description="Also with work that is not merged.")] = False,  # noqa: FBT002 - a query parameter
) -> WorktreeRemoval:
    """Remove a worktree; its session and checkpoints stay."""
    return worktree_bodies.remove(context, id, force=force)
