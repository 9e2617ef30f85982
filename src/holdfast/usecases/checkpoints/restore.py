"""Go back to a checkpoint: files, transcript and the agent's own memory, together.

And undo such a restore, and redo it. Turns that are in the way are stopped first.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from holdfast.checkpoints.checkpoint import last_undo_checkpoint
from holdfast.checkpoints.ports import CheckpointFailed, NoCheckpoints, Worktree
from holdfast.usecases.checkpoints.find_checkpoint import (
    belonging,
    belonging_elsewhere,
    of_session,
    refused,
    refused_by,
)
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed, RestoreScope
from holdfast.usecases.checkpoints.restore_recovery import settle_worktree
from holdfast.usecases.checkpoints.restore_run import run_restore
from holdfast.usecases.checkpoints.restore_task import (
    RestoreTask,
    plan_restore,
    plan_undo,
    scope_of,
)
from holdfast.usecases.sessions.ports import StopScope
from holdfast.usecases.sessions.stop_turns import StopRefused, TurnsStopped, stop_turns
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Restored, Settled
from holdfast.usecases.workspace import NothingDone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.usecases.checkpoints.ports import Worktrees

_ATTEMPTS = 5
"""How many times a restore stops running turns before it gives up."""

_Outcome: TypeAlias = Restored | NothingDone
_Plan: TypeAlias = "Callable[[Worktree, Settled], RestoreTask | _Outcome]"
"""Returns what is to be done, or what there is to answer if nothing is."""


def restore(
    wanted: str,
    worktrees: Worktrees,
    *,
    scope: RestoreScope = "both",
    session: str | None = None,
    index: bool = False,
    keep: Sequence[str] = (),
) -> Restored | NothingDone:
    """Bring back a checkpoint's files, its conversation, or both.

    Of this session only, if one is named. With `index`, what was staged is staged again. The files
    in `keep`, by their paths in the worktree, stay as they are.
    """

    def plan(worktree: Worktree, recovered: Settled) -> RestoreTask | _Outcome:
        target = belonging(wanted, worktree.checkpoints(wanted), session)
        if isinstance(target, NothingDone):
            finished = _just_finished(wanted, recovered)
            return finished or belonging_elsewhere(wanted, worktrees) or target

        task = plan_restore(target, scope, worktree, worktrees, recovered)
        if isinstance(task, NothingDone):
            return task

        return replace(task, index=index and task.files, keep=tuple(keep))

    try:
        done = _stop_and_run(plan, worktrees)
        if not _was_not_found(done) or not worktrees.adopt(wanted):
            return done
    except NoCheckpoints as error:
        if not worktrees.adopt(wanted):
            return belonging_elsewhere(wanted, worktrees) or refused_by(error)

    return _stop_and_run(plan, worktrees)


def _was_not_found(outcome: Restored | NothingDone) -> bool:
    """Return whether no checkpoint here is meant."""
    if isinstance(outcome, Restored):
        return False
    return all(each.refused.reason == "not_found" for each in outcome.refusals)


def undo_restore(worktrees: Worktrees, *, session: str | None = None) -> Restored | NothingDone:
    """Undo the last restore, files and transcript; a second call undoes the one before it."""

    def plan(worktree: Worktree, recovered: Settled) -> RestoreTask | _Outcome:
        for done in recovered.finished:
            if done.verb == "undo":
                return replace(done, recovered=recovered)

        undo_checkpoint = last_undo_checkpoint(of_session(session, worktree.checkpoints()))
        if undo_checkpoint is None:
            return refused("there is nothing to undo: no restore here is on record.", "not_found")

        return plan_undo(undo_checkpoint, worktree, worktrees, recovered)

    try:
        return _stop_and_run(plan, worktrees)
    except NoCheckpoints as error:
        return refused_by(error)


def redo_restore(checkpoint_id: str, worktrees: Worktrees) -> Restored | NothingDone:
    """Restore again what an undo took back: the checkpoint that the undo has taken first."""

    def plan(worktree: Worktree, recovered: Settled) -> RestoreTask | _Outcome:
        target = belonging(checkpoint_id, worktree.checkpoints(checkpoint_id))
        if isinstance(target, NothingDone):
            return _just_finished(checkpoint_id, recovered) or target
        draft = target.draft
        scope = scope_of(files=draft.files, conversation=draft.message is not None)
        return plan_restore(target, scope, worktree, worktrees, recovered)

    return _stop_and_run(plan, worktrees)


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
                if not isinstance(task, RestoreTask):
                    return replace(task, recovered=recovered)
                if not _is_in_use(task, worktrees):
                    left_behind = _end_left_processes(task, worktrees)
                    stopped = stopped.followed_by(left_behind)
                    done = run_restore(task, worktree, worktrees, recovered, stopped)
                    if isinstance(done, NothingDone):
                        return replace(done, recovered=recovered)
                    return done
                _refuse_waiting(task, worktrees)
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


def _is_in_use(task: RestoreTask, worktrees: Worktrees) -> bool:
    """Return whether a turn is running that this restore has to stop first.

    A restore of files alone does not need the store: without a store no turn can run.
    """
    try:
        with worktrees.running_turns() as turns:
            return bool(turns.at_work(_stop_scope(task)))
    except ConversationFailed:
        if task.conversation:
            raise
        return False


def _refuse_waiting(task: RestoreTask, worktrees: Worktrees) -> None:
    """Let no turn begin that waits for the end of one that is stopped now."""
    session = task.target.draft.session
    if session is not None:
        with suppress(ConversationFailed):
            worktrees.conversations.backend.refuse_waiting(session)


def _end_left_processes(task: RestoreTask, worktrees: Worktrees) -> TurnsStopped:
    """End the processes that write to the files, or remember the conversation, to be restored.

    A restore of files alone does not need the store.
    """
    try:
        with worktrees.running_turns() as turns:
            processes = turns.end_left_processes(_stop_scope(task))
    except ConversationFailed:
        if task.conversation:
            raise
        processes = ()

    return TurnsStopped((), processes)


def _stop_scope(task: RestoreTask) -> StopScope:
    return StopScope(task.target.draft.session, worktree=task.files)


def _sentence(task: RestoreTask) -> str:
    """Return the sentence with which a turn ends that the restore has stopped."""
    if task.verb == "restore":
        return f"Stopped: a restore of checkpoint {task.target.id} was asked for."
    target = task.target.draft.target
    return f"Stopped: an undo of the restore of checkpoint {target} was asked for."


def _just_finished(wanted: str, recovered: Settled) -> Restored | None:
    """Return the restore that is asked for again, if it is finished now and used up its target."""
    for done in recovered.finished:
        if done.verb != "restore":
            continue
        if done.checkpoint_id == wanted:
            return replace(done, recovered=recovered)
    return None
