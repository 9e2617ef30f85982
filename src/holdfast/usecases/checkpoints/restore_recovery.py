"""Finish a restore or an undo whose process died, or go back to where it began."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from holdfast.changes.ports import JournalDamaged
from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, WorktreeState
from holdfast.checkpoints.ports import (
    Blocked,
    CheckpointFailed,
    PendingRestore,
    RestoreFailed,
    UnfinishedRestore,
    Worktree,
)
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed, Exchanged
from holdfast.usecases.checkpoints.restore_task import scope_of
from holdfast.usecases.events.checkpoint_events import (
    checkpoint_taken,
    checkpoints_removed,
    turns_cancelled,
)
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Restored, Settled
from holdfast.usecases.settle_worktree import drop_outdated, settle, unsettled
from holdfast.vocab.change_events import Recovered
from holdfast.vocab.events import BaselineChange, CheckpointRestored
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.owned_event import OwnedEvent

if TYPE_CHECKING:
    from holdfast.usecases.checkpoints.ports import Worktrees


def settle_worktree(worktree: Worktree, worktrees: Worktrees) -> Settled:
    """Settle what dead processes left in a worktree that is locked.

    A batch that cannot be settled does not keep checkpoints from being taken and restored. Raise
    `CheckpointFailed` if the journal cannot be read.
    """

    def recover_here(pending: PendingRestore, *, outdated: bool) -> Settled:
        return recover_restore(pending, worktree, worktrees, outdated=outdated)

    try:
        return settle(worktrees.batch_roots, worktrees.journal, recover_here)
    except JournalDamaged as error:
        raise CheckpointFailed(str(error)) from error
    except OSError as error:
        return unsettled(f"{error.filename}: {error.strerror}.")


def drop_outdated_batches(worktrees: Worktrees) -> Settled:
    """Drop the batches that the restore under way has made outdated.

    What cannot be dropped now is dropped by the next command.
    """
    with suppress(OSError):
        return drop_outdated(worktrees.batch_roots, worktrees.journal)
    return NOTHING_LEFT


def recover_unlocked(pending: PendingRestore, worktrees: Worktrees, *, outdated: bool) -> Settled:
    """Recover a restore as `recover_restore` does, for a command that writes no checkpoint."""
    try:
        with worktrees.hold(make=False) as worktree:
            return recover_restore(pending, worktree, worktrees, outdated=outdated)
    except CheckpointFailed as error:
        message = f"{_name(pending.restore)} was stopped halfway: {error}"
        return _not_recovered(pending.restore, message)


def recover_restore(
    pending: PendingRestore, worktree: Worktree, worktrees: Worktrees, *, outdated: bool
) -> Settled:
    """Finish a restore that a dead process left, or go back to where it began.

    One that is `outdated` is dropped: files were restored since.
    """
    left = pending.restore
    what = _name(left)
    if outdated:
        worktree.finish(left)
        message = f"{what} was stopped halfway, and files were restored since: it is dropped."
        return Settled((_event(left, "dropped", message),))

    target = worktree.at(left.target_commit)
    undo_checkpoint = worktree.at(left.undo_commit)
    backend_reset = _evict_again(target, worktrees)
    if left.phase == "files":
        reached = _finish_files(left, worktree, worktrees)
        if isinstance(reached, Settled):
            return reached
        worktree.begin(reached)
        left = reached

    try:
        followed = follow_files(left, target, undo_checkpoint, worktree, worktrees, backend_reset)
    except ConversationFailed as error:
        message = (
            f"{what} was stopped halfway; its files are done, its conversation cannot follow yet: "
            f"{error}"
        )
        return Settled((_event(left, "stopped", message),), owed=message)

    worktree.finish(left)
    event = _event(left, "finished", f"{what} was stopped halfway: it is now finished.")
    done = restored_from(left, followed.exchanged, backend_reset=backend_reset)
    return Settled((event,), (done,))


def _name(left: UnfinishedRestore) -> str:
    if left.verb == "restore":
        return f"an earlier restore of {left.target_id}"
    return "an earlier undo"


def _event(
    left: UnfinishedRestore,
    outcome: Literal["finished", "rolled_back", "dropped", "stopped"],
    message: str,
) -> Recovered:
    return Recovered("restore", left.target_id, outcome, message)


def _not_recovered(left: UnfinishedRestore, message: str) -> Settled:
    """Return that files may be a mix of two states: no edit may be made of them."""
    return Settled((_event(left, "stopped", message),), refusal=message)


def _evict_again(target: Checkpoint | None, worktrees: Worktrees) -> bool:
    """Reset an agent that was started since the process died, if the store can be used."""
    if target is None or target.draft.session is None:
        return False

    try:
        session = target.draft.session
        return worktrees.conversations.backend.evict(session, turns_cancelled(session))
    except ConversationFailed:
        # It was reset before the journal was written; and the caller reports a conversation that
        # is owed.
        return False


def _finish_files(
    left: UnfinishedRestore, worktree: Worktree, worktrees: Worktrees
) -> UnfinishedRestore | Settled:
    """Restore the files of the target, or else of the undo checkpoint.

    Return the journal entry of the next phase, or what was done instead.
    """
    what = _name(left)
    reason = "its checkpoint is gone"
    for commit, forward in ((left.target_commit, True), (left.undo_commit, False)):
        goal = worktree.at(commit)
        if goal is None:
            continue
        exact = goal.is_undo_checkpoint
        # What the restore kept, for whatever reason, it keeps now too.
        keep = left.kept if forward else ()
        plan = worktree.prepare_restore(worktree.capture(), goal.present, exact=exact, keep=keep)
        if isinstance(plan, Blocked):
            reason = plan.message
            continue
        if plan.present.tree != plan.tree and not _is_kept(plan.present, worktree):
            draft = CheckpointDraft(
                worktrees.new_id(), "interrupted", worktrees.now(), f"found halfway to {goal.id}"
            )
            _record_interrupted(worktree.record(draft, plan.present), worktree, worktrees)
        applied = worktree.apply_restore(plan)
        if isinstance(applied, RestoreFailed):
            reason = applied.message
            continue
        if forward:
            kept, lost = tuple(plan.kept), tuple(plan.lost)
            return replace(left, phase="talk", tree=plan.tree, kept=kept, lost=lost)
        # Its restore never was: an undo must not lead there, and find no messages.
        worktree.remove([left.undo_id])
        worktree.finish(left)
        message = f"{what} was stopped halfway and has been rolled back, because {reason}."
        return Settled((_event(left, "rolled_back", message),))

    message = f"{what} was stopped halfway: {reason}; fix that, and run this again."
    return _not_recovered(left, message)


def _record_interrupted(taken: Checkpoint, worktree: Worktree, worktrees: Worktrees) -> None:
    gone = [each.id for each in worktree.pruned()]
    # Without a record it is good all the same: it belongs to no conversation.
    with suppress(ConversationFailed):
        transcript = worktrees.conversations.transcript
        transcript.record(taken, [checkpoint_taken(taken)], gone, checkpoints_removed)


def _is_kept(present: WorktreeState, worktree: Worktree) -> bool:
    """Return whether a checkpoint has these files already.

    Every command tries again what could not be finished.
    """
    for checkpoint in worktree.checkpoints():
        kept = checkpoint.present
        if kept.tree == present.tree and dict(kept.modes) == dict(present.modes):
            return True
    return False


@dataclass(frozen=True, slots=True)
class FilesFollowed:
    """What was exchanged in the transcript.

    `problem` says why the store has no record of a restore of files alone.
    """

    exchanged: Exchanged
    problem: str | None = None


def follow_files(  # noqa: PLR0917 - a restore, both its ends, and where it takes place
    left: UnfinishedRestore,
    target: Checkpoint | None,
    undo_checkpoint: Checkpoint | None,
    worktree: Worktree,
    worktrees: Worktrees,
    backend_reset: bool,  # noqa: FBT001 - as above
) -> FilesFollowed:
    """Update the transcript, then the refs, once the files are restored.

    A second call does no harm.
    """
    followed = FilesFollowed(Exchanged())
    if target and undo_checkpoint:
        followed = _record_restore(left, target, undo_checkpoint, worktrees, backend_reset)

    if _uses_up_target(left, target):
        worktree.restore_from_trash(left.target_id)
        # It is used once; the next undo is that of the restore before. Under its own name nothing
        # brings it back.
        worktree.move_to_trash([left.target_id], left.target_id)

    worktree.move_to_trash(left.orphans, left.undo_id)
    return followed


def _uses_up_target(left: UnfinishedRestore, target: Checkpoint | None) -> bool:
    """Return whether the target is an undo checkpoint that this restore uses up."""
    if left.verb == "undo":
        return True
    if not left.conversation:
        return False
    if target is None:
        return False

    return target.is_undo_checkpoint


def _record_restore(
    left: UnfinishedRestore,
    target: Checkpoint,
    undo_checkpoint: Checkpoint,
    worktrees: Worktrees,
    backend_reset: bool,  # noqa: FBT001 - as above
) -> FilesFollowed:
    """Record the undo checkpoint, exchange what belongs to the scope, and publish the restore."""
    transcript = worktrees.conversations.transcript

    def announce(exchanged: Exchanged) -> list[OwnedEvent]:
        restored = _restored(left, undo_checkpoint, exchanged, backend_reset=backend_reset)
        if exchanged.target_recorded:
            return [checkpoint_taken(target), restored]
        return [restored]

    def exchange() -> Exchanged:
        return transcript.exchange(
            target,
            undo_checkpoint,
            left.orphans,
            announce,
            scope=scope_of(files=left.files, conversation=left.conversation),
            uses_up_target=_uses_up_target(left, target),
        )

    if left.conversation:
        return FilesFollowed(exchange())

    try:
        return FilesFollowed(exchange())
    except ConversationFailed as error:
        return FilesFollowed(Exchanged(), f"the store does not know of this: {error}")


def _restored(
    left: UnfinishedRestore,
    undo_checkpoint: Checkpoint,
    exchanged: Exchanged,
    *,
    backend_reset: bool,
) -> OwnedEvent:
    event = CheckpointRestored(
        left.verb,
        scope_of(files=left.files, conversation=left.conversation),
        left.target_id,
        left.undo_id,
        len(exchanged.messages_removed),
        len(exchanged.messages_brought_back),
        worktree_reset=left.files,
        backend_reset=backend_reset,
        chat_id=undo_checkpoint.draft.chat,
        message_ids_deleted=exchanged.messages_removed,
        message_ids_brought_back=exchanged.messages_brought_back,
        checkpoint_ids_removed=exchanged.checkpoints_removed,
        checkpoint_ids_brought_back=exchanged.checkpoints_brought_back,
        turn_ids_removed=exchanged.turns_removed,
        turn_ids_brought_back=exchanged.turns_brought_back,
        change_ids_removed=exchanged.changes_removed,
        change_ids_brought_back=exchanged.changes_brought_back,
        changes_restored=tuple(BaselineChange(*each) for each in exchanged.changes_restored),
    )
    return OwnedEvent(event, undo_checkpoint.draft.session)


def restored_from(
    left: UnfinishedRestore, exchanged: Exchanged, *, backend_reset: bool
) -> Restored:
    """Return the outcome of what the journal has, once it is done."""
    return Restored(
        left.verb,
        left.target_id,
        left.undo_id,
        len(exchanged.messages_removed),
        len(exchanged.messages_brought_back),
        worktree_reset=left.files,
        backend_reset=backend_reset,
        kept=left.kept,
        lost=left.lost,
        tree=left.tree,
        seq=exchanged.seq,
    )
