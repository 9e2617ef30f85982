"""Sessions: list, begin, change, delete, fork; and their ledger."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from holdfast.server import session_bodies
from holdfast.server.context import Context, Id, ProjectName
from holdfast.server.models.sessions import (
    ForkRequest,
    Ledger,
    NewSession,
    Session,
    SessionDeletion,
    SessionEdit,
    SessionList,
    SessionState,
)

router = APIRouter(tags=["sessions"])


@router.get("/sessions", operation_id="listSessions")
def list_sessions(
    context: Context,
    project: ProjectName = None,
    state: SessionState | Literal["archived"] | None = None,
    q: Annotated[str, Query(max_length=200, description="Words of titles and messages.")] = "",
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> SessionList:
    """List sessions; those that wait for a person first, then the latest first."""
    return session_bodies.list_all(context, project, state, q, offset, limit)


@router.post("/sessions", operation_id="createSession", status_code=201)
def create_session(new: NewSession, context: Context) -> Session:
    """Begin a session; it has no turn yet."""
    return session_bodies.create(context, new)


@router.get("/sessions/{id}", operation_id="getSession")
def get_session(id: Id, context: Context) -> Session:
    """Return one session."""
    return session_bodies.show(context, id)


@router.patch("/sessions/{id}", operation_id="updateSession")
def update_session(id: Id, edit: SessionEdit, context: Context) -> Session:
    """Rename a session, put it away or back, choose the model and the mode of its next turns."""
    return session_bodies.update(context, id, edit)


@router.delete("/sessions/{id}", operation_id="deleteSession")
def delete_session(id: Id, context: Context) -> SessionDeletion:
    """Delete a session with its conversation and checkpoints; no file is touched."""
    return session_bodies.delete(context, id)


@router.post("/sessions/{id}/fork", operation_id="forkSession", status_code=201)
def fork_session(id: Id, fork: ForkRequest, context: Context) -> Session:
    """Begin a session with the messages before a checkpoint, in a worktree of its own."""
    return session_bodies.fork(context, id, fork)


@router.get("/sessions/{id}/ledger", operation_id="getLedger")
def get_ledger(id: Id, context: Context) -> Ledger:
    """Return the files that a session has read and modified."""
    return session_bodies.ledger(context, id)
