"""Take checkpoints, show them, and remove old ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.checkpoints import retention
from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, CheckpointKind
from holdfast.checkpoints.ports import (
    CheckpointFailed,
    CheckpointsLost,
    FileDifference,
    NoCheckpoints,
    Worktree,
)
from holdfast.usecases.checkpoints.find_checkpoint import (
    belonging,
    belonging_elsewhere,
    refused,
    refused_by,
)
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed, last_event
from holdfast.usecases.checkpoints.restore_recovery import settle_worktree
from holdfast.usecases.events.checkpoint_events import checkpoint_taken, checkpoints_removed
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.checkpoints.restore_ports import CheckpointElsewhere
    from holdfast.vocab.events import Event


@dataclass(frozen=True, slots=True)
class CheckpointOwner:
    """What a checkpoint belongs to: the message that it precedes, and its turn."""

    session: str
    chat: str
    message: str
    turn: str | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """A checkpoint was taken. `events` were published, `seq` is the number of the last one.

    `unrecorded` says why the store has no record of it; restore asks the store again. `dropped` are
    the ids of older checkpoints that were removed, because there were too many.
    """

    checkpoint: Checkpoint
    recovered: Settled
    unrecorded: str | None = None
    events: tuple[Event, ...] = ()
    seq: int | None = None
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """The checkpoints of a worktree, the latest first, and those of the project's other worktrees.

    `problem` says why the latter are not known.
    """

    checkpoints: tuple[Checkpoint, ...]
    elsewhere: tuple[CheckpointElsewhere, ...] = ()
    problem: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compared:
    """What differs between two checkpoints, or (`after` is None) one and the files as they are."""

    before: Checkpoint
    after: Checkpoint | None
    files: tuple[FileDifference, ...]
    diff: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A checkpoint, and what differs between the commit that it was taken on and it."""

    checkpoint: Checkpoint
    files: tuple[FileDifference, ...]


@dataclass(frozen=True, slots=True)
class CheckpointsPruned:
    """Old checkpoints are gone, and so is the trash of the undo checkpoints in `emptied`.

    `seq` is the number of the event, None if no checkpoint on record was removed.
    """

    removed: tuple[str, ...]
    emptied: tuple[str, ...]
    left: int
    recovered: Settled = NOTHING_LEFT
    seq: int | None = None


def create_checkpoint(
    worktrees: Worktrees,
    label: str = "",
    *,
    kind: CheckpointKind = "manual",
    owner: CheckpointOwner | None = None,
) -> Created | NothingDone:
    """Take a checkpoint of the files as they are.

    A caller in a turn shows a refusal, and the turn goes on. That caller has settled what was left
    before it wrote the prompt down.
    """
    try:
        with worktrees.hold(make=True) as worktree:
            if owner and _is_unfinished(owner.session, worktree, worktrees):
                # To finish it here would remove the messages of this very turn.
                cure = "let `holdfast checkpoint create` finish it between two turns"
                return refused(f"a restore in session {owner.session} was stopped halfway; {cure}.")
            recovered = settle_worktree(worktree, worktrees)
            draft = _draft(worktrees, label, kind, owner)
            taken = worktree.record(draft, worktree.capture())
            return _record(taken, owner, recovered, worktree, worktrees)
    except CheckpointFailed as error:
        return refused_by(error)


def _draft(
    worktrees: Worktrees, label: str, kind: CheckpointKind, owner: CheckpointOwner | None
) -> CheckpointDraft:
    logged = last_event(worktrees.conversations.transcript)
    draft = CheckpointDraft(worktrees.new_id(), kind, worktrees.now(), label, logged=logged)
    if owner is None:
        return draft
    return replace(draft, session=owner.session, chat=owner.chat, message=owner.message)


def _record(
    taken: Checkpoint,
    owner: CheckpointOwner | None,
    recovered: Settled,
    worktree: Worktree,
    worktrees: Worktrees,
) -> Created:
    """Record what was done in git in the store too.

    If that cannot be, the checkpoint is good all the same.
    """
    turn = None
    if owner is not None:
        turn = owner.turn

    event = checkpoint_taken(taken, turn)
    gone = tuple(each.id for each in worktree.pruned())
    created = Created(taken, recovered, None, (event.event,), dropped=gone)
    try:
        transcript = worktrees.conversations.transcript
        seq = transcript.record(taken, [event], gone, checkpoints_removed)
    except ConversationFailed as error:
        return replace(created, unrecorded=f"the store does not know of this: {error}")

    return replace(created, seq=seq)


def list_checkpoints(worktrees: Worktrees) -> Listed | NothingDone:
    """Return the checkpoints of the worktree, and of the project's other worktrees."""
    try:
        with worktrees.look() as worktree:
            listed = Listed(worktree.checkpoints(), notes=worktree.notes())
    except CheckpointsLost as error:
        listed = Listed((), notes=(str(error),))
    except NoCheckpoints:
        listed = Listed((), notes=_notes_of_gone(worktrees.gone()))
    except CheckpointFailed as error:
        return refused_by(error)

    try:
        return replace(listed, elsewhere=worktrees.elsewhere())
    except ConversationFailed as error:
        problem = f"the checkpoints of other worktrees are not known: {error}"
        return replace(listed, problem=problem)


def _notes_of_gone(gone: Sequence[Checkpoint]) -> tuple[str, ...]:
    """Return where the checkpoints are that a new clone of a repository may look for."""
    if not gone:
        return ()
    taken = retention.taken_before_work(gone)
    latest = taken[0].id
    held = f"{len(taken)} checkpoints" if len(taken) > 1 else "1 checkpoint"
    cure = f"`holdfast checkpoint restore {latest}` restores its files into this clone"
    return (f"the repository that held {held} is gone; the latest is {latest}, and {cure}.",)


def show_checkpoint(wanted: str, worktrees: Worktrees) -> Shown | NothingDone:
    """Return one checkpoint, and what it has that its commit has not."""
    try:
        with worktrees.look() as worktree:
            found = belonging(wanted, worktree.checkpoints())
            if isinstance(found, NothingDone):
                return belonging_elsewhere(wanted, worktrees) or found
            base = found.present.head or worktree.empty_tree()
            return Shown(found, worktree.compare(base, found.present.tree))
    except NoCheckpoints as error:
        return belonging_elsewhere(wanted, worktrees) or refused_by(error)
    except CheckpointFailed as error:
        return refused_by(error)


def compare_checkpoints(
    wanted: str, other: str | None, worktrees: Worktrees
) -> Compared | NothingDone:
    """Return the difference from one checkpoint to another, or to the files as they are."""
    try:
        with worktrees.look() as worktree:
            before = belonging(wanted, worktree.checkpoints())
            if isinstance(before, NothingDone):
                return belonging_elsewhere(wanted, worktrees) or before
            if other:
                after = belonging(other, worktree.checkpoints())
                if isinstance(after, NothingDone):
                    return after
                return _compared(before, after, after.present.tree, worktree)
        with worktrees.look(files=True) as worktree:
            return _compared(before, None, worktree.capture().tree, worktree)
    except NoCheckpoints as error:
        return belonging_elsewhere(wanted, worktrees) or refused_by(error)
    except CheckpointFailed as error:
        return refused_by(error)


def _compared(
    before: Checkpoint,
    after: Checkpoint | None,
    new: str,
    worktree: Worktree,
) -> Compared:
    """Compare a checkpoint with the tree `new`: that of another, or of the files as they are."""
    old = before.present.tree
    files = worktree.compare(old, new)
    return Compared(before, after, files, worktree.diff(old, new))


def prune_checkpoints(worktrees: Worktrees, keep: int) -> CheckpointsPruned | NothingDone:
    """Remove all but the latest checkpoints, and empty the trash.

    Then an undo brings back no messages.
    """
    try:
        with worktrees.hold(make=False) as worktree:
            recovered = settle_worktree(worktree, worktrees)
            there = worktree.checkpoints()
            removed = retention.outdated(there, keep)
            seq = _forget(there, removed, worktrees)
            worktree.remove(removed)
            emptied = worktree.empty_trash()
            worktree.reclaim_space()
            left = len(there) - len(removed)
            return CheckpointsPruned(removed, emptied, left, recovered, seq)
    except NoCheckpoints:
        return CheckpointsPruned((), (), 0)
    except CheckpointFailed as error:
        return refused_by(error)


def _is_unfinished(session: str, worktree: Worktree, worktrees: Worktrees) -> bool:
    """Return whether a restore in this session was stopped halfway."""
    for left in worktrees.journal.restores():
        target = worktree.at(left.restore.target_commit)
        if target is None:
            continue
        if target.draft.session == session:
            return True

    return False


def _forget(
    there: Sequence[Checkpoint], removed: Sequence[str], worktrees: Worktrees
) -> int | None:
    """Remove the checkpoints from the store, before their refs are removed.

    Refs that a kill leaves are found by the next prune, rows without refs are not.
    """
    undo_ids = []
    in_sessions = False
    for each in there:
        if each.is_undo_checkpoint:
            undo_ids.append(each.id)
        if each.draft.session:
            in_sessions = True

    if not any((removed, undo_ids, in_sessions)):
        return None

    try:
        return worktrees.conversations.transcript.forget(removed, undo_ids, checkpoints_removed)
    except ConversationFailed:
        if in_sessions:
            raise
        # Nothing in the store leads to these checkpoints.
        return None
