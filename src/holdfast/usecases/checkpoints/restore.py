"""Go back to a checkpoint: files, transcript and the agent's own memory, together.

And take that back again. The order is what makes a kill at any instant harmless. Until the journal
is written no file has changed, and there is an undo point. From then on the journal names both, and
the next command finishes, or goes back if it cannot. What a finishing command finds on the disk is
captured first: somebody may have worked there in between.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.changes.plan import FileRefused
from holdfast.checkpoints.checkpoint import (
    AmbiguousCheckpoint,
    Checkpoint,
    CheckpointDraft,
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
from holdfast.usecases.checkpoints.conversation import ConversationFailed
from holdfast.usecases.checkpoints.restore_recovery import (
    Restored,
    RestoresFinished,
    follow_files,
    recover,
    restored_from,
)
from holdfast.usecases.events.checkpoint_events import checkpoints_removed, turns_cancelled
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.outcomes import Reason, Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.usecases.checkpoints.ports import Worktrees

RestoreScope: TypeAlias = Literal["both", "files", "conversation"]


@dataclass(frozen=True, slots=True)
class _RestoreTask:
    """What a restore or an undo is to do.

    `talks`: the transcript too, where `following` messages stand in its way.
    """

    verb: Literal["restore", "undo"]
    target: Checkpoint
    files: bool
    talks: bool = False
    following: int = 0
    orphans: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def restore(
    wanted: str, worktrees: Worktrees, *, scope: RestoreScope = "both", session: str | None = None
) -> Restored | NothingDone:
    """Bring back a checkpoint's files, its conversation, or both.

    Of this session only, if one is named.
    """
    try:
        with worktrees.hold(make=False) as worktree:
            recovered = recover(worktree, worktrees)
            target = belonging(wanted, worktree.checkpoints(), session)
            if isinstance(target, NothingDone):
                return _just_finished(wanted, recovered) or target
            task = _plan_restore(target, scope, worktree, worktrees, recovered)
            return (
                task
                if isinstance(task, NothingDone)
                else _run(task, worktree, worktrees, recovered)
            )
    except CheckpointFailed as error:
        return refused_by(error)


def undo_restore(worktrees: Worktrees, *, session: str | None = None) -> Restored | NothingDone:
    """Take the last restore back, files and transcript; once more takes back the one before it."""
    try:
        with worktrees.hold(make=False) as worktree:
            recovered = recover(worktree, worktrees)
            for done in recovered.finished:
                if done.verb == "undo":
                    return replace(done, recovered=recovered)
            point = last_undo_checkpoint(_of(session, worktree.checkpoints()))
            if point is None:
                return refused(
                    "there is nothing to undo: no restore here is on record.", "not_found"
                )
            task = _plan_undo(point, worktree, worktrees, recovered)
            return (
                task
                if isinstance(task, NothingDone)
                else _run(task, worktree, worktrees, recovered)
            )
    except CheckpointFailed as error:
        return refused_by(error)


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


def _of(session: str | None, checkpoints: Sequence[Checkpoint]) -> tuple[Checkpoint, ...]:
    return tuple(each for each in checkpoints if session is None or each.draft.session == session)


def _just_finished(wanted: str, recovered: RestoresFinished) -> Restored | None:
    """Return the restore that is asked for again, if it is finished now and used up its target."""
    for done in recovered.finished:
        if done.verb == "restore" and done.checkpoint_id == wanted:
            return replace(done, recovered=recovered)
    return None


def _plan_restore(
    target: Checkpoint,
    scope: RestoreScope,
    worktree: Worktree,
    worktrees: Worktrees,
    recovered: RestoresFinished,
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
        "restore", target, scope == "both", talks=True, following=following, orphans=orphans
    )


def _plan_undo(
    point: Checkpoint, worktree: Worktree, worktrees: Worktrees, recovered: RestoresFinished
) -> _RestoreTask | NothingDone:
    task = _RestoreTask("undo", point, point.draft.files)
    if point.draft.message is None:
        return task
    following = _following(point, worktrees, recovered)
    if isinstance(following, NothingDone):
        return following
    if following is None:
        # Its trash was emptied, or the restore was stopped before it came to the messages.
        return replace(
            task, notes=("the store keeps no messages for this restore, so none came back.",)
        )
    orphans = orphans_of(point, worktree.checkpoints())
    return replace(task, talks=True, following=following, orphans=orphans)


def _following(
    target: Checkpoint, worktrees: Worktrees, recovered: RestoresFinished
) -> int | NothingDone | None:
    """Look for the target's place in its conversation before anything is touched."""
    if recovered.owed:
        # One after the other: what the earlier one has to move is not yet where this one would look
        # for it.
        return refused(f"{recovered.notes[-1]} Until then {_files_alone(target)}.")
    try:
        return worktrees.conversations.transcript.following(target)
    except ConversationFailed as error:
        return refused(f"{error} Or {_files_alone(target)}.")


def _files_alone(target: Checkpoint) -> str:
    return f"`holdfast checkpoint restore {target.id} --files` brings the files alone back"


def _run(
    task: _RestoreTask, worktree: Worktree, worktrees: Worktrees, recovered: RestoresFinished
) -> Restored | NothingDone:
    backend_reset, notes = _evict(task, worktrees)
    present = worktree.capture()
    way = worktree.prepare_restore(present, task.target.present) if task.files else None
    if isinstance(way, Blocked):
        return refused(f"{way.message}; move it away, and try again.")
    done = _done_before(task, way, worktree, recovered)
    if done is not None:
        return replace(done, backend_reset=done.backend_reset or backend_reset, recovered=recovered)
    point = _take_point(task, way.present if way else present, worktree, worktrees)
    under_way = _written_down(task, way, point)
    worktree.begin(under_way)
    if way:
        walked = worktree.apply_restore(way)
        if isinstance(walked, RestoreFailed):
            return _stay(walked, under_way, point, worktree)
        under_way = replace(under_way, phase="talk", tree=way.tree)
        worktree.begin(under_way)
    try:
        followed = follow_files(under_way, task.target, point, worktree, worktrees, backend_reset)
    except CheckpointFailed as error:
        return replace(refused(f"the rest could not be done: {error}"), unsettled=True)
    worktree.finish(under_way)
    if not notes:
        problem = followed.problem or _forget_pruned(task, worktree, worktrees)
        notes = (problem,) if problem else ()
    commits = worktree.commits_since(task.target.present.head) if task.files else ()
    restored = restored_from(under_way, followed.exchanged, backend_reset=backend_reset)
    return replace(restored, commits=commits, notes=task.notes + notes, recovered=recovered)


def _evict(task: _RestoreTask, worktrees: Worktrees) -> tuple[bool, tuple[str, ...]]:
    """Reset the agent. If that cannot be written down, files alone are restored all the same."""
    session = task.target.draft.session
    if session is None:
        return False, ()
    try:
        backend = worktrees.conversations.backend
        return backend.evict(session, turns_cancelled(session)), ()
    except ConversationFailed as error:
        if task.talks:
            raise
        return False, (f"the agent of session {session} could not be reset: {error}",)


def _forget_pruned(task: _RestoreTask, worktree: Worktree, worktrees: Worktrees) -> str | None:
    """Remove the record of checkpoints that were too old; return why that could not be.

    For a restore of a conversation: one of files alone has removed it with the record of its undo
    point.
    """
    gone = [each.id for each in worktree.pruned()]
    if not task.talks or not gone:
        return None
    try:
        worktrees.conversations.transcript.forget(gone, (), checkpoints_removed)
    except ConversationFailed as error:
        return f"the store does not know of this: {error}"
    return None


def _written_down(
    task: _RestoreTask, way: PreparedRestore | None, point: Checkpoint
) -> UnfinishedRestore:
    return UnfinishedRestore(
        undo_id=point.id,
        undo_commit=point.commit,
        target_id=task.target.id,
        target_commit=task.target.commit,
        verb=task.verb,
        files=task.files,
        conversation=task.talks,
        phase="files" if way else "talk",
        orphans=task.orphans,
        kept=way.kept if way else (),
        lost=way.lost if way else (),
    )


def _take_point(
    task: _RestoreTask, present: WorktreeState, worktree: Worktree, worktrees: Worktrees
) -> Checkpoint:
    """Take the checkpoint that an undo of this leads back to."""
    of = task.target.draft
    draft = CheckpointDraft(
        worktrees.new_id(),
        "undo" if task.verb == "restore" else "undone",
        worktrees.now(),
        f"before {task.verb} of {of.id}",
        session=of.session,
        chat=of.chat,
        target=of.id,
        files=task.files,
    )
    if task.talks:
        draft = replace(draft, message=of.message, state_sequence=task.target.state_sequence)
    return worktree.record(draft, present)


def _done_before(
    task: _RestoreTask, way: PreparedRestore | None, worktree: Worktree, recovered: RestoresFinished
) -> Restored | None:
    """Return the outcome of the same restore, if it was done and nothing has changed since.

    Then its undo point stays. A restore that died just before it could print its outcome is run
    again; its undo must lead to where it began, not here.
    """
    if not _may_be_done(task, way):
        return None
    for done in recovered.finished:
        if _is_same(done, task, way):
            return done
    point = last_undo_checkpoint(worktree.checkpoints())
    if point is None or not _left(point, task):
        return None
    if way and _has_moved_on(way, point, worktree):
        return None
    again = Restored(
        "restore",
        task.target.id,
        point.id,
        messages_deleted=0,
        messages_brought_back=0,
        worktree_reset=task.files,
        backend_reset=False,
    )
    if way is None:
        return again
    commits = worktree.commits_since(task.target.present.head)
    return replace(again, kept=way.kept, lost=way.lost, commits=commits, tree=way.tree)


def _may_be_done(task: _RestoreTask, way: PreparedRestore | None) -> bool:
    """Return whether a restore has nothing to do: no message follows, no file differs."""
    if task.verb != "restore" or task.following:
        return False
    return way is None or way.present.tree == way.tree


def _is_same(done: Restored, task: _RestoreTask, way: PreparedRestore | None) -> bool:
    """Whether a restore that has just been finished for a dead process is the one asked for."""
    if done.verb != "restore" or done.checkpoint_id != task.target.id:
        return False
    if done.worktree_reset != task.files:
        return False
    return way is None or done.tree == way.tree


def _left(point: Checkpoint, task: _RestoreTask) -> bool:
    """Whether the restore that left this undo point was of the same target and scope."""
    if point.draft.target != task.target.id or {*task.orphans} - {point.id}:
        return False
    return point.draft.files == task.files and (point.draft.message is not None) == task.talks


def _has_moved_on(way: PreparedRestore, point: Checkpoint, worktree: Worktree) -> bool:
    """Whether something was done since the restore that left the point.

    Permissions are beside the tree; and what stays, for the target knew nothing of it, must be what
    stayed then.
    """
    if any(way.present.modes.get(path) != mode for path, mode in way.target.modes.items()):
        return True
    if way.tree == way.target.tree:
        return False
    stays = {each.path for each in worktree.compare(way.target.tree, way.present.tree)}
    return any(
        each.path in stays for each in worktree.compare(point.present.tree, way.present.tree)
    )


def _stay(
    stayed: RestoreFailed, under_way: UnfinishedRestore, point: Checkpoint, worktree: Worktree
) -> NothingDone:
    """Leave all as it was; if git stopped halfway, go back first."""
    if stayed.unsettled and not _went_back(point, worktree):
        return replace(refused(stayed.message), unsettled=True)
    worktree.finish(under_way)
    worktree.remove([point.id])
    return refused(stayed.message)


def _went_back(point: Checkpoint, worktree: Worktree) -> bool:
    try:
        back = worktree.prepare_restore(worktree.capture(), point.present)
        return not isinstance(back, Blocked) and not isinstance(
            worktree.apply_restore(back), RestoreFailed
        )
    except CheckpointFailed:
        # What stopped it halfway may well stop the way back: a full disk.
        return False
