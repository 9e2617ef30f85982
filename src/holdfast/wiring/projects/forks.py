"""Fork a session: a new session with a worktree of its own, from a checkpoint of the other one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.git.gone_checkpoints import GoneCheckpoint
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.checkpoints.find_checkpoint import belonging
from holdfast.usecases.checkpoints.restore import restore
from holdfast.usecases.sessions.session import SessionRefused, show_session
from holdfast.usecases.workspace import NothingDone
from holdfast.usecases.worktrees.session_worktree import WorktreeRefused, WorktreesUnavailable
from holdfast.wiring.projects.new_sessions import SessionMade
from holdfast.wiring.session_worktrees import make_session_worktree

if TYPE_CHECKING:
    from holdfast.config.settings import Settings
    from holdfast.usecases.sessions.session_records import SessionSummary
    from holdfast.usecases.worktrees.make import WorktreeMade
    from holdfast.wiring.projects.open_project import OpenProject


def fork_session(
    project: OpenProject, session: str, checkpoint_id: str, settings: Settings, *, title: str = ""
) -> SessionMade | SessionRefused:
    """Make a session with the files and the messages that another one had at a checkpoint.

    It works in a worktree of its own. The other session and its files stay as they are.
    """
    shown = show_session(session, project.sessions)
    if isinstance(shown, SessionRefused):
        return shown

    source = _find_source(project, session, checkpoint_id)
    if isinstance(source, SessionRefused):
        return source

    made = _make_worktree(project, source, shown, settings, title or f"fork of {shown.title}")
    if isinstance(made, SessionRefused):
        return made

    new = made.worktree.session
    project.sessions.choose(new, model=shown.chosen_model, mode=shown.mode)
    project.sessions.copy_transcript(session, source.checkpoint.id, new)
    forked = show_session(new, project.sessions)
    if isinstance(forked, SessionRefused):
        return forked

    return SessionMade(forked, made.notes)


def _make_worktree(
    project: OpenProject,
    source: GoneCheckpoint,
    forked: SessionSummary,
    settings: Settings,
    title: str,
) -> WorktreeMade | SessionRefused:
    """Make the worktree of the new session, with the files of the checkpoint."""
    try:
        made = make_session_worktree(
            project.root,
            None,
            settings,
            begins_at=source.checkpoint.present.head,
            title=title,
            agent=forked.agent,
        )
        if isinstance(made, WorktreeRefused):
            problems = " ".join(made.problems)
            return SessionRefused(f"no worktree was made: {problems}", "conflict")
        notes = _restore(project, Path(made.worktree.path), source)
    except WorktreesUnavailable as error:
        return SessionRefused(f"the worktree cannot be recorded: {error}", "conflict")
    except CheckpointFailed as error:
        return SessionRefused(str(error), "conflict")

    return replace(made, notes=(*made.notes, *notes))


def _find_source(
    project: OpenProject, session: str, checkpoint_id: str
) -> GoneCheckpoint | SessionRefused:
    root = project.root_of(session)
    if isinstance(root, SessionRefused):
        return root

    try:
        with project.checkpoints_at(root).look() as worktree:
            found = belonging(checkpoint_id, worktree.checkpoints(checkpoint_id), session)
            if isinstance(found, NothingDone):
                return SessionRefused(found.refusals[0].refused.message)
            return GoneCheckpoint(found, worktree.objects)
    except CheckpointFailed as error:
        return SessionRefused(str(error))


def _restore(project: OpenProject, root: Path, source: GoneCheckpoint) -> tuple[str, ...]:
    """Write the files of a checkpoint to a new worktree; return why that could not be done."""
    copied = project.checkpoints_at(root).copy(source)
    restored = restore(copied, project.checkpoints_at(root), scope="files")
    if isinstance(restored, NothingDone):
        why = " ".join(each.refused.message for each in restored.refusals)
        return (f"the files of checkpoint {source.checkpoint.id} were not restored: {why}",)
    return restored.notes
