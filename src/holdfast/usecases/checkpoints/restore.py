"""Go back to a checkpoint: files, transcript and the agent's own memory, together.

And undo such a restore. The order is what makes a kill at any instant harmless. Until the journal
is written no file has changed, and there is an undo checkpoint. From then on the journal names
both, and the next command finishes the restore, or goes back if it cannot. That command captures
the files on the disk first: they may have been edited in between.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.changes.plan import FileRefused
from holdfast.checkpoints.checkpoint import (
    AmbiguousCheckpoint,
    Checkpoint,
    CheckpointDraft,
    CheckpointKind,
    WorktreeState,
    find,
    last_undo_checkpoint,
    orphans_of,
)
from holdfast.checkpoints.ports import (
    Blocked,
    CheckpointFailed,
    NoCheckpoints,
    PreparedRestore,
    RestoreFailed,
    UnfinishedRestore,
    Worktree,
)
from holdfast.usecases.checkpoints.conversation import ConversationFailed, RestoreScope
from holdfast.usecases.checkpoints.restore_recovery import (
    drop_outdated_batches,
    follow_files,
    restored_from,
    settle_worktree,
)
from holdfast.usecases.events.checkpoint_events import checkpoints_removed, turns_cancelled
from holdfast.usecases.sessions.ports import StopScope
from holdfast.usecases.sessions.stop_turns import StopRefused, TurnsStopped, stop_turns
from holdfast.usecases.settled import NOTHING_LEFT, Restored, Settled
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Reason, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.usecases.checkpoints.ports import Worktrees

_ATTEMPTS = 5
"""How often a restore stops turns and finds another one at work, before it gives up."""


@dataclass(frozen=True, slots=True)
class _RestoreTask:
    """What a restore or an undo is to do.

    `conversation`: the transcript too, from which `following` messages are removed. `index`: what
    was staged too.
    """

    verb: Literal["restore", "undo"]
    target: Checkpoint
    files: bool
    conversation: bool = False
    following: int = 0
    orphans: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    index: bool = False


_Outcome: TypeAlias = Restored | NothingDone
_Plan: TypeAlias = "Callable[[Worktree, Settled], _RestoreTask | _Outcome]"
"""Returns what is to be done, or what there is to answer if nothing is."""


def restore(
    wanted: str,
    worktrees: Worktrees,
    *,
    scope: RestoreScope = "both",
    session: str | None = None,
    index: bool = False,
) -> Restored | NothingDone:
    """Bring back a checkpoint's files, its conversation, or both.

    Of this session only, if one is named. With `index`, what was staged is staged again.
    """

    def plan(worktree: Worktree, recovered: Settled) -> _RestoreTask | _Outcome:
        target = belonging(wanted, worktree.checkpoints(), session)
        if isinstance(target, NothingDone):
            finished = _just_finished(wanted, recovered)
            return finished or belonging_elsewhere(wanted, worktrees) or target
        task = _plan_restore(target, scope, worktree, worktrees, recovered)
        if isinstance(task, NothingDone):
            return task
        return replace(task, index=index and task.files)

    try:
        return _stop_and_run(plan, worktrees)
    except NoCheckpoints as error:
        return belonging_elsewhere(wanted, worktrees) or refused_by(error)


def undo_restore(worktrees: Worktrees, *, session: str | None = None) -> Restored | NothingDone:
    """Undo the last restore, files and transcript; a second call undoes the one before it."""

    def plan(worktree: Worktree, recovered: Settled) -> _RestoreTask | _Outcome:
        for done in recovered.finished:
            if done.verb == "undo":
                return replace(done, recovered=recovered)
        undo_checkpoint = last_undo_checkpoint(_of(session, worktree.checkpoints()))
        if undo_checkpoint is None:
            return refused("there is nothing to undo: no restore here is on record.", "not_found")
        return _plan_undo(undo_checkpoint, worktree, worktrees, recovered)

    try:
        return _stop_and_run(plan, worktrees)
    except NoCheckpoints as error:
        return refused_by(error)


def _stop_and_run(plan: _Plan, worktrees: Worktrees) -> Restored | NothingDone:
    """Stop the turns that are in the way of what `plan` returns, then carry it out.

    A turn may need the worktree's lock to end, so the lock is released while turns are stopped;
    what is planned and carried out under one lock finds no turn at work. Raise `NoCheckpoints` if
    there are none.
    """
    stopped = TurnsStopped()
    recovered = NOTHING_LEFT
    try:
        for _ in range(_ATTEMPTS):
            with worktrees.hold(make=False) as worktree:
                recovered = recovered.followed_by(settle_worktree(worktree, worktrees))
                task = plan(worktree, recovered)
                if not isinstance(task, _RestoreTask):
                    return replace(task, recovered=recovered)
                if not _is_in_use(task, worktrees):
                    left_behind = _end_left_processes(task, worktrees)
                    stopped = stopped.followed_by(left_behind)
                    done = _run(task, worktree, worktrees, recovered, stopped)
                    if isinstance(done, NothingDone):
                        return replace(done, recovered=recovered)
                    return done
            with worktrees.running_turns() as turns:
                outcome = stop_turns(_stop_scope(task), _sentence(task), turns)
            if isinstance(outcome, StopRefused):
                return refused(outcome.message)
            stopped = stopped.followed_by(outcome)
    except NoCheckpoints:
        raise
    except CheckpointFailed as error:
        return refused_by(error)
    return refused("new turns keep beginning here; end what starts them, and run this again.")


def _is_in_use(task: _RestoreTask, worktrees: Worktrees) -> bool:
    """Return whether a turn is at work that this restore has to stop first.

    For files alone a store that cannot be read is no obstacle: without it no turn goes on.
    """
    try:
        with worktrees.running_turns() as turns:
            return bool(turns.at_work(_stop_scope(task)))
    except ConversationFailed:
        if task.conversation:
            raise
        return False


def _end_left_processes(task: _RestoreTask, worktrees: Worktrees) -> TurnsStopped:
    """End the processes that turns have left behind, before their files are restored."""
    if not task.files:
        return TurnsStopped()
    try:
        with worktrees.running_turns() as turns:
            processes = turns.end_processes((), worktree=True)
    except ConversationFailed:
        processes = ()
    return TurnsStopped((), processes)


def _stop_scope(task: _RestoreTask) -> StopScope:
    return StopScope(task.target.draft.session, worktree=task.files)


def _sentence(task: _RestoreTask) -> str:
    """Return the sentence with which a turn ends that the restore has stopped."""
    if task.verb == "restore":
        return f"Stopped: checkpoint {task.target.id} was restored."
    return f"Stopped: the restore of checkpoint {task.target.draft.target} was undone."


def redo_restore(checkpoint_id: str, worktrees: Worktrees) -> Restored | NothingDone:
    """Restore again what an undo took back: the checkpoint that the undo has taken first."""

    def plan(worktree: Worktree, recovered: Settled) -> _RestoreTask | _Outcome:
        target = belonging(checkpoint_id, worktree.checkpoints())
        if isinstance(target, NothingDone):
            return _just_finished(checkpoint_id, recovered) or target
        return _plan_restore(target, _scope_of(target), worktree, worktrees, recovered)

    return _stop_and_run(plan, worktrees)


def _scope_of(undo_checkpoint: Checkpoint) -> RestoreScope:
    """Return what the restore or undo brought back that took this checkpoint first."""
    if undo_checkpoint.draft.message is None:
        return "files"
    if undo_checkpoint.draft.files:
        return "both"
    return "conversation"


def refused(message: str, reason: Reason = "conflict") -> NothingDone:
    """Return why nothing was done."""
    return NothingDone((FileRefused("", Refused(reason, message)),))


def refused_by(error: CheckpointFailed) -> NothingDone:
    """Return why git, the disk, a budget or the store refused."""
    if isinstance(error, NoCheckpoints):
        return refused(f"{error} `holdfast checkpoint create` takes one.", "not_found")
    return refused(str(error))


def belonging(
    wanted: str, checkpoints: Sequence[Checkpoint], session: str | None = None
) -> Checkpoint | NothingDone:
    """Return the checkpoint that is meant, if it belongs to the session."""
    found = find(wanted, _of(session, checkpoints))
    if isinstance(found, AmbiguousCheckpoint):
        ids = ", ".join(found.ids)
        return refused(
            f"{wanted}: several checkpoints begin so ({ids}); give more of the id.", "ambiguous"
        )
    if found is None:
        return refused(
            f"{wanted or '(no id)'}: there is no such checkpoint here; `holdfast checkpoint list` "
            "has them.",
            "not_found",
        )
    return found


def belonging_elsewhere(wanted: str, worktrees: Worktrees) -> NothingDone | None:
    """Return the refusal of a checkpoint of another worktree, which names where to go on.

    None if no other worktree has it.
    """
    try:
        others = worktrees.elsewhere()
    except ConversationFailed:
        # What this worktree has was looked up already, and its refusal is true.
        return None
    found = [each for each in others if wanted and each.id.startswith(wanted)]
    if len(found) != 1:
        return None
    taken, root = found[0].id, found[0].worktree
    if found[0].is_gone:
        return refused(f"{taken}: this was taken in the worktree {root}, which is gone.")
    there = f"holdfast checkpoint restore {taken} --root {root}"
    return refused(f"{taken}: this was taken in the worktree {root}; restore it there: {there}")


def _of(session: str | None, checkpoints: Sequence[Checkpoint]) -> tuple[Checkpoint, ...]:
    if session is None:
        return tuple(checkpoints)
    in_session = [each for each in checkpoints if each.draft.session == session]
    return tuple(in_session)


def _just_finished(wanted: str, recovered: Settled) -> Restored | None:
    """Return the restore that is asked for again, if it is finished now and used up its target."""
    for done in recovered.finished:
        if done.verb != "restore":
            continue
        if done.checkpoint_id == wanted:
            return replace(done, recovered=recovered)
    return None


def _plan_restore(
    target: Checkpoint,
    scope: RestoreScope,
    worktree: Worktree,
    worktrees: Worktrees,
    recovered: Settled,
) -> _RestoreTask | NothingDone:
    if target.draft.message is None or scope == "files":
        if scope == "conversation":
            cure = f"`holdfast checkpoint restore {target.id}` brings its files back"
            return refused(
                f"{target.id}: this checkpoint belongs to no conversation; {cure}.", "not_found"
            )
        return _RestoreTask("restore", target, files=True)
    following = _following(target, worktrees, recovered)
    if isinstance(following, NothingDone):
        return following
    if following is None:
        return refused(
            f"{target.id}: its conversation is not in the store (any more); {_files_alone(target)}."
        )
    orphans = orphans_of(target, worktree.checkpoints())
    return _RestoreTask(
        "restore",
        target,
        files=scope == "both",
        conversation=True,
        following=following,
        orphans=orphans,
    )


def _plan_undo(
    undo_checkpoint: Checkpoint,
    worktree: Worktree,
    worktrees: Worktrees,
    recovered: Settled,
) -> _RestoreTask | NothingDone:
    draft = undo_checkpoint.draft
    task = _RestoreTask("undo", undo_checkpoint, draft.files, index=draft.index)
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


def _run(
    task: _RestoreTask,
    worktree: Worktree,
    worktrees: Worktrees,
    recovered: Settled,
    stopped: TurnsStopped,
) -> Restored | NothingDone:
    evicted, notes = _evict(task, worktrees)
    backend_reset = evicted or stopped.any
    present = worktree.capture()
    plan = _plan_files(task, present, worktree)
    if isinstance(plan, Blocked):
        return refused(f"{plan.message}; move it away, and try again.")
    done = _done_before(task, plan, worktree, worktrees, recovered)
    if done is not None:
        backend_reset = backend_reset or done.backend_reset
        notes = stopped.notes + done.notes
        return replace(done, backend_reset=backend_reset, notes=notes, recovered=recovered)
    if plan is not None:
        present = plan.present
    undo_checkpoint = _take_undo_checkpoint(task, present, worktree, worktrees)
    entry = _journal_entry(task, plan, undo_checkpoint)
    worktree.begin(entry)
    if plan is not None:
        applied = worktree.apply_restore(plan)
        if isinstance(applied, RestoreFailed):
            return _abandon(applied, entry, undo_checkpoint, worktree)
        entry = replace(entry, phase="talk", tree=plan.tree)
        worktree.begin(entry)
        recovered = recovered.joined_with(drop_outdated_batches(worktrees))
    try:
        followed = follow_files(
            entry, task.target, undo_checkpoint, worktree, worktrees, backend_reset
        )
    except CheckpointFailed as error:
        return replace(refused(f"the rest could not be done: {error}"), unsettled=True)
    worktree.finish(entry)
    restored = restored_from(entry, followed.exchanged, backend_reset=backend_reset)
    if not notes:
        problem = followed.problem
        if problem is None:
            seq, problem = _forget_pruned(worktree, worktrees)
            restored = replace(restored, seq=seq or restored.seq)
        notes = tuple(filter(None, (problem,)))
    notes = stopped.notes + task.notes + notes + worktree.notes()
    restored = replace(restored, notes=notes, recovered=recovered)
    if plan is None:
        return restored
    return _with_index(_described(restored, task, plan, worktree), task, plan, worktree)


def _described(
    restored: Restored, task: _RestoreTask, plan: PreparedRestore, worktree: Worktree
) -> Restored:
    """Add what a restore of files kept and lost, and the commits made since."""
    commits = worktree.commits_since(task.target.present.head)
    return replace(restored, commits=commits, kept_why=plan.kept, lost_why=plan.lost)


def _with_index(
    restored: Restored, task: _RestoreTask, plan: PreparedRestore, worktree: Worktree
) -> Restored:
    """Restore the user's index if that is asked for, or report whether it differs."""
    if not worktree.differs_from_index(plan.present, plan.target):
        return replace(restored, index_reset=task.index)
    if not task.index:
        return replace(restored, index_differs=True)
    problem = worktree.restore_index(plan.target)
    if problem is None:
        return replace(restored, index_reset=True)
    note = f"what was staged could not be restored: {problem}."
    return replace(restored, index_differs=True, notes=(*restored.notes, note))


def _plan_files(
    task: _RestoreTask, present: WorktreeState, worktree: Worktree
) -> PreparedRestore | Blocked | None:
    """Prepare the restore of the files; return None for a conversation alone."""
    if not task.files:
        return None
    exact = task.target.is_undo_checkpoint
    return worktree.prepare_restore(present, task.target.present, exact=exact)


def _evict(task: _RestoreTask, worktrees: Worktrees) -> tuple[bool, tuple[str, ...]]:
    """Reset the agent; return whether it was reset, and notes.

    If that cannot be recorded, files alone are restored all the same.
    """
    session = task.target.draft.session
    if session is None:
        return False, ()
    try:
        backend = worktrees.conversations.backend
        return backend.evict(session, turns_cancelled(session)), ()
    except ConversationFailed as error:
        if task.conversation:
            raise
        return False, (f"the agent of session {session} could not be reset: {error}",)


def _forget_pruned(worktree: Worktree, worktrees: Worktrees) -> tuple[int | None, str | None]:
    """Remove the record of checkpoints that were too old.

    Return the number of the event if there is one, and why the record could not be removed.
    """
    gone = [each.id for each in worktree.pruned()]
    if not gone:
        return None, None
    try:
        return worktrees.conversations.transcript.forget(gone, (), checkpoints_removed), None
    except ConversationFailed as error:
        return None, f"the store does not know of this: {error}"


def _journal_entry(
    task: _RestoreTask, plan: PreparedRestore | None, undo_checkpoint: Checkpoint
) -> UnfinishedRestore:
    """Return the journal entry of a restore; without a plan no file is restored."""
    entry = UnfinishedRestore(
        undo_id=undo_checkpoint.id,
        undo_commit=undo_checkpoint.commit,
        target_id=task.target.id,
        target_commit=task.target.commit,
        verb=task.verb,
        files=task.files,
        conversation=task.conversation,
        phase="talk",
        orphans=task.orphans,
    )
    if plan is None:
        return entry
    return replace(entry, phase="files", kept=tuple(plan.kept), lost=tuple(plan.lost))


def _take_undo_checkpoint(
    task: _RestoreTask, present: WorktreeState, worktree: Worktree, worktrees: Worktrees
) -> Checkpoint:
    """Take the checkpoint that an undo of this task restores."""
    target = task.target.draft
    kind: CheckpointKind = "undone"
    if task.verb == "restore":
        kind = "undo"
    draft = CheckpointDraft(
        worktrees.new_id(),
        kind,
        worktrees.now(),
        f"before {task.verb} of {target.id}",
        session=target.session,
        chat=target.chat,
        target=target.id,
        files=task.files,
        index=task.index,
    )
    if task.conversation:
        draft = replace(draft, message=target.message, state_sequence=task.target.state_sequence)
    return worktree.record(draft, present)


def _done_before(
    task: _RestoreTask,
    plan: PreparedRestore | None,
    worktree: Worktree,
    worktrees: Worktrees,
    recovered: Settled,
) -> Restored | None:
    """Return the outcome of the same restore, if it was done and nothing has changed since.

    Then its undo checkpoint stays. A restore that died just before it could print its outcome is
    run again; its undo must lead to where it began, not here.
    """
    if not _may_be_done(task, plan, worktree):
        return None
    for done in recovered.finished:
        if _is_same(done, task, plan):
            return done
    undo_checkpoint = last_undo_checkpoint(worktree.checkpoints())
    if undo_checkpoint is None or not _is_undo_of(undo_checkpoint, task):
        return None
    moved_on = plan is not None and _has_moved_on(plan, undo_checkpoint, worktree)
    if moved_on or _changes_differ(task, worktrees):
        return None
    again = Restored(
        "restore",
        task.target.id,
        undo_checkpoint.id,
        messages_deleted=0,
        messages_brought_back=0,
        worktree_reset=task.files,
        backend_reset=False,
    )
    if plan is None:
        return again
    again = replace(again, kept=tuple(plan.kept), lost=tuple(plan.lost), tree=plan.tree)
    return _with_index(_described(again, task, plan, worktree), task, plan, worktree)


def _changes_differ(task: _RestoreTask, worktrees: Worktrees) -> bool:
    """Return whether a change is not as it was at the target, though no file differs."""
    try:
        return worktrees.conversations.transcript.changes_differ(task.target, _scope_of_task(task))
    except ConversationFailed:
        # Then nothing can be exchanged.
        return False


def _scope_of_task(task: _RestoreTask) -> RestoreScope:
    if not task.conversation:
        return "files"
    if task.files:
        return "both"
    return "conversation"


def _may_be_done(task: _RestoreTask, plan: PreparedRestore | None, worktree: Worktree) -> bool:
    """Return whether a restore has nothing to do: no message follows, no file differs."""
    if task.verb != "restore" or task.following:
        return False
    if plan is None:
        return True
    if task.index and worktree.differs_from_index(plan.present, plan.target):
        return False
    return plan.present.tree == plan.tree


def _is_same(done: Restored, task: _RestoreTask, plan: PreparedRestore | None) -> bool:
    """Return whether a restore just finished for a dead process is the requested one."""
    if done.verb != "restore":
        return False
    if done.checkpoint_id != task.target.id:
        return False
    if done.worktree_reset != task.files:
        return False
    if plan is None:
        return True
    return done.tree == plan.tree


def _is_undo_of(undo_checkpoint: Checkpoint, task: _RestoreTask) -> bool:
    """Return whether the undo checkpoint was taken by a restore of the same target and scope."""
    draft = undo_checkpoint.draft
    if draft.target != task.target.id:
        return False
    if draft.files != task.files:
        return False
    if set(task.orphans) - {undo_checkpoint.id}:
        return False
    had_conversation = draft.message is not None
    return had_conversation == task.conversation


def _has_moved_on(plan: PreparedRestore, undo_checkpoint: Checkpoint, worktree: Worktree) -> bool:
    """Return whether something has changed since the restore that took the undo checkpoint.

    Permissions are not in the tree. Files that the target did not know stay; they must be the same
    as after that restore.
    """
    if plan.changes_attributes:
        return True
    if plan.tree == plan.target.tree:
        return False
    present = plan.present.tree
    stays = {each.path for each in worktree.compare(plan.target.tree, present)}
    changed = {each.path for each in worktree.compare(undo_checkpoint.present.tree, present)}
    return not stays.isdisjoint(changed)


def _abandon(
    failure: RestoreFailed,
    entry: UnfinishedRestore,
    undo_checkpoint: Checkpoint,
    worktree: Worktree,
) -> NothingDone:
    """Leave all files as they were; if git stopped halfway, go back first."""
    if failure.unsettled and not _went_back(undo_checkpoint, worktree):
        return replace(refused(failure.message), unsettled=True)
    worktree.finish(entry)
    worktree.remove([undo_checkpoint.id])
    return refused(failure.message)


def _went_back(undo_checkpoint: Checkpoint, worktree: Worktree) -> bool:
    """Restore the files of the undo checkpoint; return whether that succeeded."""
    try:
        plan = worktree.prepare_restore(worktree.capture(), undo_checkpoint.present, exact=True)
        if isinstance(plan, Blocked):
            return False
        applied = worktree.apply_restore(plan)
    except CheckpointFailed:
        # What stopped it halfway may well stop this restore too: a full disk.
        return False
    return not isinstance(applied, RestoreFailed)
