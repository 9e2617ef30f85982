"""Checkpoints: the list, the preview of a restore, and its outcome."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.server.models.base import AnswerBody, Sent
from holdfast.usecases.checkpoints.restore_ports import RestoreScope


class CheckpointInfo(AnswerBody):
    """A checkpoint. `message` is the message that it precedes."""

    id: str
    label: str
    kind: str
    created_at: str
    seq: int
    commit: str
    head: str | None
    branch: str | None
    worktree: str
    session: str | None
    message: str | None
    skipped: list[str]
    skipped_why: dict[str, str]


class CheckpointList(AnswerBody):
    """The checkpoints of a session, newest first."""

    checkpoints: list[CheckpointInfo]


class PreviewFile(AnswerBody):
    """A file that a restore would change. `by` says who changed it since the checkpoint."""

    path: str
    status: str
    by: Literal["session", "other"]


class RestorePreviewJson(AnswerBody):
    """What a restore would do. `messages` counts those that would be removed.

    `kept` are files that differ and would stay, with the reasons.
    """

    files: list[PreviewFile]
    messages: int
    will_stop_turn: bool
    kept: dict[str, str]


class RestoreRequest(Sent):
    """What to restore; files in `keep` stay as they are."""

    scope: RestoreScope = "both"
    keep: list[str] = Field([], max_length=10_000)


class RestoreDoneJson(AnswerBody):
    """What a restore or an undo did. `prompt` is the text that left with it, to edit and send."""

    checkpoint_id: str
    messages_deleted: int
    messages_brought_back: int
    worktree_reset: bool
    backend_reset: bool
    undo_checkpoint_id: str
    kept: list[str]
    kept_why: dict[str, str]
    lost: list[str]
    lost_why: dict[str, str]
    index_reset: bool
    index_differs: bool
    commits: list[str]
    notes: list[str]
    prompt: str | None
    seq: int | None
