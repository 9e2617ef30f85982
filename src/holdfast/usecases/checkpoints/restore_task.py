"""What a restore or an undo is to do, decided before anything is touched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from holdfast.checkpoints.checkpoint import Checkpoint, orphans_of
from holdfast.usecases.checkpoints.find_checkpoint import refused
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed, RestoreScope
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.checkpoints.ports import Worktree
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.settle_outcome import Settled


@dataclass(frozen=True, slots=True)
class RestoreTask:
    """What a restore or an undo is to do.

    `conversation`: the transcript too, from which `following` messages are removed. `index`: what
    was staged too. Files in `keep` stay as they are.
    """

    verb: Literal["restore", "undo"]
    target: Checkpoint
    files: bool
    conversation: bool = False
    following: int = 0
    orphans: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    index: bool = False
    keep: tuple[str, ...] = ()


def plan_restore(
    target: Checkpoint,
    scope: RestoreScope,
    worktree: Worktree,
    worktrees: Worktrees,
    recovered: Settled,
) -> RestoreTask | NothingDone:
    """Return what the restore of a checkpoint has to do, or why it cannot be done."""
    if target.draft.message is None or scope == "files":
        if scope == "conversation":
            cure = f"`holdfast checkpoint restore {target.id}` brings its files back"
            return refused(
                f"{target.id}: this checkpoint belongs to no conversation; {cure}.", "not_found"
            )
        return RestoreTask("restore", target, files=True)

    following = _following(target, worktrees, recovered)
    if isinstance(following, NothingDone):
        return following
    if following is None:
        return refused(
            f"{target.id}: its conversation is not in the store (any more); {_files_alone(target)}."
        )

    orphans = orphans_of(target, worktree.checkpoints())
    return RestoreTask(
        "restore",
        target,
        files=scope == "both",
        conversation=True,
        following=following,
        orphans=orphans,
    )


def plan_undo(
    undo_checkpoint: Checkpoint,
    worktree: Worktree,
    worktrees: Worktrees,
    recovered: Settled,
) -> RestoreTask | NothingDone:
    """Return what the undo of a restore has to do, or why it cannot be done."""
    draft = undo_checkpoint.draft
    task = RestoreTask("undo", undo_checkpoint, draft.files, index=draft.index)
    if undo_checkpoint.draft.message is None:
        return task

    following = _following(undo_checkpoint, worktrees, recovered)
    if isinstance(following, NothingDone):
        return following
    if following is None:
        # Its trash was emptied, or the restore was stopped before it came to the messages.
        note = "the store keeps no messages for this restore, so none came back."
        return replace(task, notes=(note,))

    orphans = orphans_of(undo_checkpoint, worktree.checkpoints())
    return replace(task, conversation=True, following=following, orphans=orphans)


def _following(
    target: Checkpoint, worktrees: Worktrees, recovered: Settled
) -> int | NothingDone | None:
    """Return how many messages follow the target in its conversation; None if it has no place."""
    if recovered.owed:
        # One after the other: what the earlier one has to move is not yet where this one would look
        # for it.
        return refused(f"{recovered.owed} Until then {_files_alone(target)}.")

    try:
        return worktrees.conversations.transcript.following(target)
    except ConversationFailed as error:
        return refused(f"{error} Or {_files_alone(target)}.")


def _files_alone(target: Checkpoint) -> str:
    return f"`holdfast checkpoint restore {target.id} --files` brings the files alone back"


def scope_of(*, files: bool, conversation: bool) -> RestoreScope:
    """Return the name of what a restore or an undo brings back."""
    if not conversation:
        return "files"
    if files:
        return "both"
    return "conversation"
