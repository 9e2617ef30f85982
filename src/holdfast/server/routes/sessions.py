"""Sessions: list, begin, change, delete, fork; and their ledger."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Query

from holdfast.server.context import Context, Id, ProjectName
from holdfast.server.models.sessions import (
    ForkRequest,
    LedgerJson,
    NewSessionJson,
    Session,
    SessionDeletion,
    SessionEdit,
    SessionList,
    SessionStateName,
)
from holdfast.server.problems import ApiError
from holdfast.server.project_list import ServedProject, session_refused
from holdfast.usecases.garbage.delete_session import SessionNotRemoved
from holdfast.usecases.garbage.delete_session import delete_session as remove_rows
from holdfast.usecases.sessions import session_records as records
from holdfast.usecases.sessions.session import SessionRefused, archive_session, rename_session
from holdfast.wiring.agents.requests import OURS
from holdfast.wiring.projects.forks import fork_session as make_fork
from holdfast.wiring.projects.new_sessions import SessionRequest
from holdfast.wiring.projects.new_sessions import create_session as begin_session

router = APIRouter(tags=["sessions"])


@router.get("/sessions", operation_id="listSessions")
def list_sessions(
    context: Context,
    project: ProjectName = None,
    state: SessionStateName | Literal["archived"] | None = None,
    q: Annotated[str, Query(max_length=200, description="Words of titles and messages.")] = "",
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> SessionList:
    """List sessions; those that wait for a person first, then the latest first."""
    wanted = None if state == "archived" else state
    query = records.SessionQuery(state=wanted, text=q, archived=state == "archived")
    found = []
    for served in context.projects.chosen(project):
        found += [session_body(served, each) for each in served.sessions.list(query)]

    found.sort(key=lambda each: each.updated_at, reverse=True)
    found.sort(key=lambda each: each.state != "waiting")
    end = offset + limit
    more = end if end < len(found) else None
    return SessionList(sessions=found[offset:end], total=len(found), next_offset=more)


@router.post("/sessions", operation_id="createSession", status_code=201)
def create_session(new: NewSessionJson, context: Context) -> Session:
    """Begin a session; it has no turn yet."""
    project = context.projects.only(new.project)
    settings = project.settings()
    if new.agent != OURS and new.mode == "plan":
        message = "an external agent cannot be kept from writing; choose another mode."
        raise ApiError(422, "invalid", message)

    request = SessionRequest(
        new.title, new.agent, new.model, new.mode, new.place, with_changes=new.with_changes
    )
    made = begin_session(project, request, settings)
    if isinstance(made, SessionRefused):
        raise session_refused(made)

    return session_body(project, made.session)


@router.get("/sessions/{id}", operation_id="getSession")
def get_session(id: Id, context: Context) -> Session:
    """Return one session."""
    project = context.projects.of_session(id)
    return session_body(project, project.session(id))


@router.patch("/sessions/{id}", operation_id="updateSession")
def update_session(id: Id, edit: SessionEdit, context: Context) -> Session:
    """Rename a session, archive or unarchive it, choose model and mode of its next turns."""
    project = context.projects.of_session(id)
    if edit.title is not None:
        _checked(rename_session(id, edit.title, project.sessions))

    if edit.archived is not None:
        _checked(archive_session(id, project.sessions, archived=edit.archived))

    project.sessions.choose(id, model=edit.model, mode=edit.mode)
    return session_body(project, project.session(id))


@router.delete("/sessions/{id}", operation_id="deleteSession")
def delete_session(id: Id, context: Context) -> SessionDeletion:
    """Delete a session with its conversation and checkpoints; no file is touched."""
    project = context.projects.of_session(id)
    removed = remove_rows(id, project.sessions, project.checkpoints_at)
    if isinstance(removed, SessionNotRemoved):
        raise ApiError(409, "turn_running", removed.message)

    return SessionDeletion(
        outcome="deleted",
        session=removed.session,
        turns=list(removed.turns),
        changes=list(removed.changes),
        refs=removed.refs,
        bytes=removed.size,
        kept_refs=[str(folder) for folder in removed.kept_refs],
        seq=removed.seq,
    )


@router.post("/sessions/{id}/fork", operation_id="forkSession", status_code=201)
def fork_session(
    id: Id, fork: Annotated[ForkRequest, Body(default_factory=ForkRequest)], context: Context
) -> Session:
    """Begin a session with the messages before a checkpoint, in a worktree of its own."""
    project = context.projects.of_session(id)
    checkpoint = fork.checkpoint_id or _last_checkpoint(project, id)
    made = make_fork(project, id, checkpoint, project.settings(), title=fork.title or "")
    if isinstance(made, SessionRefused):
        raise session_refused(made)
    return session_body(project, made.session)


def _last_checkpoint(project: ServedProject, session: str) -> str:
    taken = project.messages.checkpoints(session)
    if not taken:
        raise ApiError(409, "conflict", "This session has no checkpoint yet to begin at.")
    return taken[-1][1]


@router.get("/sessions/{id}/ledger", operation_id="getLedger")
def get_ledger(id: Id, context: Context) -> LedgerJson:
    """Return the files that a session has read and modified."""
    project = context.projects.of_session(id)
    found = project.messages.ledger(id)
    return LedgerJson(read=list(found.read), modified=list(found.modified))


def session_body(project: ServedProject, summary: records.SessionSummary) -> Session:
    """Return a session as the API has it."""
    return Session(project=project.id, **asdict(summary))


def _checked(outcome: records.SessionSummary | SessionRefused) -> None:
    if isinstance(outcome, SessionRefused):
        raise session_refused(outcome)
