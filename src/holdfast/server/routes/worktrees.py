"""Worktrees of sessions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from fastapi import APIRouter, Body, Query

from holdfast.server.context import Context, Id, ProjectName
from holdfast.server.models.problem import Refusal
from holdfast.server.models.worktrees import (
    Merged,
    MergeRequest,
    Updated,
    WorktreeJson,
    WorktreeList,
    WorktreeRemoval,
)
from holdfast.server.problems import ApiError, not_found
from holdfast.usecases.worktrees.merge import merge_as_branch, merge_as_changes
from holdfast.usecases.worktrees.remove import remove_worktree as remove
from holdfast.usecases.worktrees.session_worktree import SessionWorktree, WorktreeRefused
from holdfast.usecases.worktrees.update import update_worktree as update

if TYPE_CHECKING:
    from holdfast.server.context import ServerContext
    from holdfast.server.project_list import ServedProject

router = APIRouter(tags=["worktrees"])
_Outcome = TypeVar("_Outcome")


@router.get("/worktrees", operation_id="listWorktrees")
def list_worktrees(context: Context, project: ProjectName = None) -> WorktreeList:
    """List the worktrees of sessions, newest first."""
    found = []
    for served in context.projects.chosen(project):
        listed = served.session_worktrees.records.list()
        found += [_worktree(served, each) for each in listed]
    return WorktreeList(worktrees=found)


@router.post("/worktrees/{id}/merge", operation_id="mergeWorktree")
def merge_worktree(
    id: Id, wanted: Annotated[MergeRequest, Body(default_factory=MergeRequest)], context: Context
) -> Merged:
    """Propose the work of a worktree as a change of the project, or commit it on its branch."""
    project, worktree = _find(context, id)
    if wanted.form == "branch":
        if wanted.hunks:
            raise ApiError(422, "invalid", "a branch has all of the work; leave `hunks` out.")
        merged = _done(merge_as_branch(id, project.session_worktrees))
    else:
        target = Path(worktree.root)
        if not target.is_dir():
            target = project.root
        with project.workspace_at(target) as workspace:
            merged = _done(merge_as_changes(id, wanted.hunks, workspace, project.session_worktrees))

    change = merged.change
    outcome: Literal["proposed", "committed", "unchanged"] = "unchanged"
    if change is not None:
        outcome = "proposed"
    elif merged.commit is not None:
        outcome = "committed"

    return Merged(
        outcome=outcome,
        session=id,
        change_id=change.id if change else None,
        files=[file.path for file in change.plan.files] if change else [],
        partly=merged.partly,
        branch=merged.worktree.branch if merged.commit else None,
        commit=merged.commit,
        seq=merged.seq,
    )


@router.post("/worktrees/{id}/update", operation_id="updateWorktree")
def update_worktree(id: Id, context: Context) -> Updated:
    """Merge the new commits of the branch that a worktree was made from."""
    project, _ = _find(context, id)
    updated = _done(update(id, project.session_worktrees))
    return Updated(
        outcome="updated" if updated.commit else "unchanged",
        session=id,
        commit=updated.commit,
        base=updated.worktree.base,
        checkpoint_id=updated.checkpoint_id,
        seq=updated.seq,
    )


@router.delete("/worktrees/{id}", operation_id="removeWorktree")
def remove_worktree(
    id: Id,
    context: Context,
    force: Annotated[bool, Query(description="Also with work that is not merged.")] = False,  # noqa: FBT002 - a query parameter
) -> WorktreeRemoval:
    """Remove a worktree; its session and checkpoints stay."""
    project, _ = _find(context, id)
    removed = _done(remove(id, project.session_worktrees, force=force))
    return WorktreeRemoval(
        outcome="removed",
        session=id,
        path=removed.worktree.path,
        checkpoint_id=removed.checkpoint_id,
        branch=removed.branch,
        seq=removed.seq,
    )


def _find(context: ServerContext, session: str) -> tuple[ServedProject, SessionWorktree]:
    for project in context.projects.all():
        for worktree in project.session_worktrees.records.list():
            if worktree.session == session:
                return project, worktree
    raise not_found(f"{session}: there is no worktree of such a session.")


def _done(outcome: _Outcome | WorktreeRefused) -> _Outcome:
    if isinstance(outcome, WorktreeRefused):
        refusals = [Refusal(path="", reason="conflict", message=each) for each in outcome.problems]
        raise ApiError(409, "refused", " ".join(outcome.problems), refusals=refusals)
    return outcome


def _worktree(project: ServedProject, worktree: SessionWorktree) -> WorktreeJson:
    state: Literal["there", "removed", "gone"] = "gone"
    if worktree.is_there:
        state = "there"
    elif worktree.removed:
        state = "removed"

    return WorktreeJson(
        id=worktree.session,
        session=worktree.session,
        project=project.id,
        path=worktree.path,
        branch=worktree.branch,
        base=worktree.base,
        follows=worktree.follows or None,
        root=worktree.root,
        with_changes=worktree.with_changes,
        state=state,
        title=worktree.title,
        created_at=worktree.created_at or None,
    )
