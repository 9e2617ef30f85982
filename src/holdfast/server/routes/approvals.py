"""Questions of turns."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from holdfast.guards.command_prefix import prefix_rule
from holdfast.server.context import Context, Id, ProjectName
from holdfast.server.models.approvals import (
    Approval,
    ApprovalAnswered,
    ApprovalList,
    ApprovalReply,
)
from holdfast.server.problems import ApiError, disk_error, not_found
from holdfast.server.project_list import ServedProject
from holdfast.usecases.approvals.answer import AnswerRefused, PersonsAnswer, answer_question
from holdfast.usecases.approvals.ports import ApprovalRecord

router = APIRouter(tags=["approvals"])


@router.get("/approvals", operation_id="listApprovals")
def list_approvals(
    context: Context,
    state: Literal["waiting", "all"] = "waiting",
    project: ProjectName = None,
    session: Annotated[str | None, Query(pattern="^[A-Za-z0-9_-]{1,64}$")] = None,
) -> ApprovalList:
    """List the questions that wait for an answer, the oldest first."""
    found = []
    for served in context.projects.chosen(project):
        questions = served.approvals.questions.list(session, answered=state == "all")
        found += [_approval(served, each) for each in questions]
    found.sort(key=lambda each: each.asked_at)
    return ApprovalList(approvals=found)


@router.post("/approvals/{id}", operation_id="answerApproval")
def answer_approval(id: Id, reply: ApprovalReply, context: Context) -> ApprovalAnswered:
    """Answer a question. The first answer counts; a later one is told which it was (409)."""
    if reply.prefix and reply.answer != "always":
        raise ApiError(422, "invalid", "`prefix` goes with the answer `always`.")

    project = _project_of(context.projects.all(), id)
    said = PersonsAnswer(reply.answer, reply.reason, by_rule=reply.prefix)
    opened = project.approvals
    try:
        outcome = answer_question(id, said, opened.questions, opened.grants)
    except OSError as error:
        raise disk_error(error) from error

    if isinstance(outcome, AnswerRefused):
        raise _refused(outcome)

    return ApprovalAnswered(
        outcome="answered",
        approval_id=outcome.question.id,
        session=outcome.question.session,
        turn=outcome.question.turn,
        answer=outcome.given.answer,
        reason=outcome.given.reason,
        always=outcome.rule,
    )


def _project_of(projects: tuple[ServedProject, ...], approval: str) -> ServedProject:
    for project in projects:
        if any(each.id == approval for each in project.approvals.questions.find(approval)):
            return project
    raise not_found(f"{approval}: there is no such question.")


def _refused(outcome: AnswerRefused) -> ApiError:
    question = outcome.question
    if question is not None and question.answer is not None:
        return ApiError(409, "answered", outcome.message)
    return ApiError(409, "refused", outcome.message)


def _approval(project: ServedProject, question: ApprovalRecord) -> Approval:
    prefix = None
    if question.what == "command":
        prefix = prefix_rule(question.subject)
    return Approval(project=project.id, prefix=prefix, **asdict(question))
