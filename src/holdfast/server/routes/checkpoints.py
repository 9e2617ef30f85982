"""Checkpoints of a session: list, preview, restore, undo."""

from __future__ import annotations

from fastapi import APIRouter

from holdfast.server import checkpoint_bodies
from holdfast.server.context import CheckpointId, Context, Id, SessionId
from holdfast.server.models.checkpoints import (
    CheckpointList,
    RestoreDone,
    RestorePreview,
    RestoreRequest,
)
from holdfast.usecases.checkpoints.conversation_ports import RestoreScope

router = APIRouter(tags=["checkpoints"])


@router.get("/sessions/{id}/checkpoints", operation_id="listCheckpoints")
def list_checkpoints(id: Id, context: Context) -> CheckpointList:
    """List the checkpoints of a session, newest first."""
    return checkpoint_bodies.list_of_session(context, id)


@router.get(
    "/sessions/{sessionId}/checkpoints/{checkpointId}/preview", operation_id="previewRestore"
)
def preview_restore(
    session: SessionId, checkpoint: CheckpointId, context: Context, scope: RestoreScope = "both"
) -> RestorePreview:
    """Return what a restore would do, and do nothing."""
    return checkpoint_bodies.preview(context, session, checkpoint, scope)


@router.post(
    "/sessions/{sessionId}/checkpoints/{checkpointId}/restore", operation_id="restoreCheckpoint"
)
def restore_checkpoint(
    session: SessionId, checkpoint: CheckpointId, wanted: RestoreRequest, context: Context
) -> RestoreDone:
    """Restore a checkpoint: files, conversation, or both. A running turn is stopped first."""
    return checkpoint_bodies.restore(context, session, checkpoint, wanted)


@router.post("/sessions/{id}/undo", operation_id="undoRestore")
def undo_restore(id: Id, context: Context) -> RestoreDone:
    """Undo the last restore of a session."""
    return checkpoint_bodies.undo(context, id)
