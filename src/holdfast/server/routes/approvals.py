"""Questions of turns."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from holdfast.server import approval_bodies
from holdfast.server.context import Context, Id, ProjectName
from holdfast.server.models.approvals import ApprovalAnswered, ApprovalList, ApprovalReply

router = APIRouter(tags=["approvals"])


@router.get("/approvals", operation_id="listApprovals")
def list_approvals(
    context: Context,
    state: Literal["waiting", "all"] = "waiting",
    project: ProjectName = None,
    session: Annotated[str | None, Query(pattern="^[A-Za-z0-9_-]{1,64}$")] = None,
) -> ApprovalList:
    """List the questions that wait for an answer, the oldest first."""
    return approval_bodies.list_all(context, project, session, answered=state == "all")


@router.post("/approvals/{id}", operation_id="answerApproval")
def answer_approval(id: Id, reply: ApprovalReply, context: Context) -> ApprovalAnswered:
    """Answer a question. The first answer counts; a later one is told which it was (409)."""
    return approval_bodies.answer(context, id, reply)
