"""The difference of a session's files from its base, a checkpoint or a turn; and one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.checkpoints.ports import CheckpointFailed, FileVersion, NoCheckpoints
from holdfast.usecases.checkpoints.file_history import (
    LARGEST,
    FilesCompared,
    compare_files,
    file_at,
)
from holdfast.usecases.sessions.session import SessionRefused
from holdfast.usecases.workspace import NothingDone
from holdfast.usecases.worktrees.compare import compare_worktree
from holdfast.usecases.worktrees.session_worktree import WorktreeRefused

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.usecases.worktrees.session_worktree import SessionWorktree
    from holdfast.wiring.projects.open_project import OpenProject

BASE = "base"


def compare_session(
    project: OpenProject, session: str, against: str = BASE
) -> FilesCompared | SessionRefused:
    """Return how the files of a session are now, compared to `base`, `checkpoint:ID` or `turn:ID`.

    The base of a session in place is the checkpoint before its first turn; `turn:ID` is the
    checkpoint before that turn.
    """
    root = project.root_of(session)
    if isinstance(root, SessionRefused):
        return root
    if against == BASE and _worktree_of(project, session) is not None:
        compared = compare_worktree(session, project.session_worktrees)
        if isinstance(compared, WorktreeRefused):
            return SessionRefused(" ".join(compared.problems), "conflict")
        return FilesCompared(compared.files, compared.hunks)

    wanted = _checkpoint_of(project, session, against)
    if isinstance(wanted, SessionRefused):
        return wanted

    found = compare_files(wanted, project.checkpoints_at(root), session=session)
    if isinstance(found, NothingDone):
        return _refusal(found)

    return found


def session_file(
    project: OpenProject, session: str, path: str, at: str = BASE
) -> FileVersion | SessionRefused:
    """Return a file of a session at `base`, `checkpoint:ID` or `turn:ID`.

    As it is now is read from the workspace (`project.workspace_at(root).files.look(path)`).
    """
    root = project.root_of(session)
    if isinstance(root, SessionRefused):
        return root

    worktree = _worktree_of(project, session)
    if at == BASE and worktree is not None:
        return _file_of_commit(project, root, worktree.base, path)

    wanted = _checkpoint_of(project, session, at)
    if isinstance(wanted, SessionRefused):
        return wanted

    found = file_at(wanted, path, project.checkpoints_at(root), session=session)
    if isinstance(found, NothingDone):
        return _refusal(found)

    return found


def _file_of_commit(
    project: OpenProject, root: Path, commit: str, path: str
) -> FileVersion | SessionRefused:
    try:
        with project.checkpoints_at(root).look() as worktree:
            found = worktree.file_at(commit, path, LARGEST)
    except NoCheckpoints:
        return SessionRefused(f"{path}: nothing was done in this session yet.")
    except CheckpointFailed as error:
        return SessionRefused(str(error), "conflict")

    if found is None:
        return SessionRefused(f"{path}: the base has no such file.")

    return found


def _worktree_of(project: OpenProject, session: str) -> SessionWorktree | None:
    for each in project.session_worktrees.records.list():
        if each.session == session:
            return each
    return None


def _checkpoint_of(project: OpenProject, session: str, against: str) -> str | SessionRefused:
    """Return the id of the checkpoint that is meant."""
    kind, _, wanted = against.partition(":")
    if kind == "checkpoint" and wanted:
        return wanted

    taken = project.messages.checkpoints(session)
    if kind == BASE and taken:
        return taken[0][1]

    for turn, checkpoint in taken:
        if kind == "turn" and wanted == turn:
            return checkpoint

    if kind == "turn":
        return SessionRefused(f"turn {wanted}: it has no checkpoint in this session.")
    if kind == BASE:
        return SessionRefused(f"session {session} has no checkpoint yet: nothing was done in it.")

    return SessionRefused(f"{against}: compare with base, checkpoint:ID or turn:ID.", "malformed")


def _refusal(nothing: NothingDone) -> SessionRefused:
    first = nothing.refusals[0].refused
    reason = "not_found" if first.reason == "not_found" else "conflict"
    return SessionRefused(first.message, reason)
