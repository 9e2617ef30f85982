"""What a restore would do, before anything is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from holdfast.changes.change_log import LogUnavailable
from holdfast.checkpoints.ports import Blocked, CheckpointFailed
from holdfast.usecases.checkpoints.find_checkpoint import belonging, refused, refused_by
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed
from holdfast.usecases.checkpoints.restore_task import plan_restore
from holdfast.usecases.events.ports import EventsUnavailable
from holdfast.usecases.sessions.ports import StopScope
from holdfast.usecases.settle_outcome import NOTHING_LEFT
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.changes.swaps import Swap
    from holdfast.checkpoints.checkpoint import Checkpoint
    from holdfast.checkpoints.difference import Difference
    from holdfast.checkpoints.ports import Worktree
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.checkpoints.restore_ports import RestoreScope
    from holdfast.usecases.checkpoints.restore_task import RestoreTask
    from holdfast.usecases.events.ports import EventReader
    from holdfast.usecases.workspace import Workspace


@dataclass(frozen=True, slots=True)
class PreviewedFile:
    """A file that a restore would change; `status` is what would be done with it.

    `by` is `session` if the file is as a change of the session left it, else `other`: somebody else
    has changed it since.
    """

    path: str
    status: Literal["added", "deleted", "modified"]
    by: Literal["session", "other"]


@dataclass(frozen=True, slots=True)
class RestorePreview:
    """What a restore would do: change these files, remove so many messages, stop a turn.

    `kept` are files that differ and would stay, with the reasons.
    """

    files: tuple[PreviewedFile, ...]
    messages: int
    will_stop_turn: bool
    kept: tuple[tuple[str, str], ...] = ()


def preview_restore(
    wanted: str,
    worktrees: Worktrees,
    workspace: Workspace,
    events: EventReader,
    *,
    scope: RestoreScope = "both",
    session: str | None = None,
) -> RestorePreview | NothingDone:
    """Return what the restore of a checkpoint would do, of this session if one is named.

    `workspace` is that of the same root: its log knows what the session has changed, and `events`
    who wrote what no tool of Holdfast did.
    """
    try:
        with worktrees.hold(make=False) as worktree:
            target = belonging(wanted, worktree.checkpoints(wanted), session)
            if isinstance(target, NothingDone):
                return target
            task = plan_restore(target, scope, worktree, worktrees, NOTHING_LEFT)
            if isinstance(task, NothingDone):
                return task
            left = _left_by_session(target, workspace, events)
            return _preview(task, worktree, worktrees, workspace, left)
    except CheckpointFailed as error:
        return refused_by(error)
    except (LogUnavailable, EventsUnavailable) as error:
        return refused(str(error))


def _preview(
    task: RestoreTask,
    worktree: Worktree,
    worktrees: Worktrees,
    workspace: Workspace,
    left: dict[str, Swap],
) -> RestorePreview | NothingDone:
    files: tuple[PreviewedFile, ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    if task.files:
        plan = worktree.prepare_restore(worktree.capture(), task.target.present, exact=False)
        if isinstance(plan, Blocked):
            return refused(f"{plan.message}; move it away, and try again.")
        prefix = worktrees.prefix
        files = tuple(_file(each, left, prefix, workspace) for each in plan.changes)
        kept = tuple(plan.kept.items())

    return RestorePreview(files, task.following, _will_stop(task, worktrees), kept)


def _left_by_session(
    target: Checkpoint, workspace: Workspace, events: EventReader
) -> dict[str, Swap]:
    """Return the last swap of each file that the session of a checkpoint has changed since then."""
    session = target.draft.session
    if session is None:
        return {}

    by_others = set()
    for event in events.after(target.draft.logged or 0, session=session):
        if event.kind == "edit_observed" and event.body.get("by") == "outside":
            by_others.add(event.body.get("change_id"))

    left: dict[str, Swap] = {}
    for change in reversed(workspace.log.list(session=session)):
        if change.state == "applied" and change.id not in by_others:
            left.update({swap.path: swap for swap in change.plan.swaps})

    return left


def _file(
    difference: Difference,
    left: dict[str, Swap],
    prefix: str,
    workspace: Workspace,
) -> PreviewedFile:
    path = difference.path
    status: Literal["added", "deleted", "modified"] = "modified"
    if difference.before is None:
        status = "added"
    elif difference.after is None:
        status = "deleted"

    own = path.removeprefix(prefix)
    by: Literal["session", "other"] = "other"
    if path.startswith(prefix) and own in left and workspace.tree.side(left[own]) == "after":
        by = "session"

    return PreviewedFile(path, status, by)


def _will_stop(task: RestoreTask, worktrees: Worktrees) -> bool:
    scope = StopScope(task.target.draft.session, worktree=task.files)
    try:
        with worktrees.running_turns() as turns:
            return bool(turns.at_work(scope))
    except ConversationFailed:
        return False
