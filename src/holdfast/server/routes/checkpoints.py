"""Checkpoints of a session: list, preview, restore, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter

from holdfast.server.context import CheckpointId, Context, Id, SessionId
from holdfast.server.models.checkpoints import (
    CheckpointInfo,
    CheckpointList,
    PreviewFile,
    RestoreDoneJson,
    RestorePreviewJson,
    RestoreRequest,
)
from holdfast.server.problems import refused
from holdfast.server.session_files import checked_path
from holdfast.usecases.checkpoints import restore as restores
from holdfast.usecases.checkpoints.checkpoint import list_checkpoints as list_all
from holdfast.usecases.checkpoints.preview import preview_restore as look_ahead
from holdfast.usecases.checkpoints.restore_ports import RestoreScope
from holdfast.usecases.workspace import NothingDone

if TYPE_CHECKING:
    from holdfast.checkpoints.checkpoint import Checkpoint
    from holdfast.server.project_list import ServedProject
    from holdfast.usecases.settle_outcome import Restored

router = APIRouter(tags=["checkpoints"])


@router.get("/sessions/{id}/checkpoints", operation_id="listCheckpoints")
def list_checkpoints(id: Id, context: Context) -> CheckpointList:
    """List the checkpoints of a session, newest first."""
    project = context.projects.of_session(id)
    listed = list_all(project.checkpoints_at(project.folder_of(id)))
    if isinstance(listed, NothingDone):
        raise refused(listed)
    mine = [each for each in listed.checkpoints if each.draft.session == id]
    return CheckpointList(checkpoints=[_checkpoint(each) for each in mine])


@router.get(
    "/sessions/{sessionId}/checkpoints/{checkpointId}/preview", operation_id="previewRestore"
)
def preview_restore(
    session: SessionId, checkpoint: CheckpointId, context: Context, scope: RestoreScope = "both"
) -> RestorePreviewJson:
    """Return what a restore would do, and do nothing."""
    project = context.projects.of_session(session)
    folder = project.folder_of(session)
    with project.workspace_at(folder) as workspace:
        found = look_ahead(
            checkpoint,
            project.checkpoints_at(folder),
            workspace,
            project.events,
            scope=scope,
            session=session,
        )

    if isinstance(found, NothingDone):
        raise refused(found)

    return RestorePreviewJson(
        files=[PreviewFile(path=each.path, status=each.status, by=each.by) for each in found.files],
        messages=found.messages,
        will_stop_turn=found.will_stop_turn,
        kept=dict(found.kept),
    )


@router.post(
    "/sessions/{sessionId}/checkpoints/{checkpointId}/restore", operation_id="restoreCheckpoint"
)
def restore_checkpoint(
    session: SessionId, checkpoint: CheckpointId, wanted: RestoreRequest, context: Context
) -> RestoreDoneJson:
    """Restore a checkpoint: files, conversation, or both. A running turn is stopped first."""
    project = context.projects.of_session(session)
    keep = [checked_path(path) for path in wanted.keep]
    worktrees = project.checkpoints_at(project.folder_of(session))
    context.turns.expect_end(session)
    restored = restores.restore(
        checkpoint, worktrees, scope=wanted.scope, session=session, keep=keep
    )
    return _done(restored, project, session)


@router.post("/sessions/{id}/undo", operation_id="undoRestore")
def undo_restore(id: Id, context: Context) -> RestoreDoneJson:
    """Undo the last restore of a session."""
    project = context.projects.of_session(id)
    worktrees = project.checkpoints_at(project.folder_of(id))
    context.turns.expect_end(id)
    return _done(restores.undo_restore(worktrees, session=id), project, id)


def _done(
    restored: Restored | NothingDone, project: ServedProject, session: str
) -> RestoreDoneJson:
    if isinstance(restored, NothingDone):
        raise refused(restored)

    return RestoreDoneJson(
        checkpoint_id=restored.checkpoint_id,
        messages_deleted=restored.messages_deleted,
        messages_brought_back=restored.messages_brought_back,
        worktree_reset=restored.worktree_reset,
        backend_reset=restored.backend_reset,
        undo_checkpoint_id=restored.undo_checkpoint_id,
        kept=list(restored.kept),
        kept_why=dict(restored.kept_why),
        lost=list(restored.lost),
        lost_why=dict(restored.lost_why),
        index_reset=restored.index_reset,
        index_differs=restored.index_differs,
        commits=list(restored.commits),
        notes=[*restored.recovered.notes, *restored.notes],
        prompt=_last_prompt(project, session) if restored.messages_deleted else None,
        seq=restored.seq,
    )


def _last_prompt(project: ServedProject, session: str) -> str | None:
    """Return the prompt at the end of the transcript, to edit and send again."""
    for message in project.messages.page(session, before=None, limit=1).messages:
        if message.role == "user":
            said = [part.body.get("text") for part in message.parts if part.kind == "text"]
            return "\n\n".join(filter(None, said))
    return None


def _checkpoint(checkpoint: Checkpoint) -> CheckpointInfo:
    draft, present = checkpoint.draft, checkpoint.present
    return CheckpointInfo(
        id=checkpoint.id,
        label=draft.label,
        kind=draft.kind,
        created_at=draft.created_at,
        seq=checkpoint.seq,
        commit=checkpoint.commit,
        head=present.head,
        branch=present.branch,
        worktree=checkpoint.worktree,
        session=draft.session,
        message=draft.message,
        skipped=[each.path for each in present.skipped],
        skipped_why={each.path: each.why for each in present.skipped},
    )
