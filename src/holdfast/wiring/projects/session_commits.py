"""The commits that were made in a session, and the difference of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.changes.hunks import ChangeHunk
from holdfast.checkpoints.ports import CheckpointFailed, NoCheckpoints
from holdfast.usecases.checkpoints.file_history import FilesCompared
from holdfast.usecases.sessions.session import SessionRefused
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.adapters.git.worktree import GitWorktree
    from holdfast.wiring.projects.open_project import OpenProject

_FILE = lazy_pattern(r"^diff --git ", re.MULTILINE)
_HUNK = lazy_pattern(r"^@@ ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SessionCommit:
    """A commit of a session; `at` is its time in ISO format."""

    id: str
    at: str
    title: str


def commits_of_session(project: OpenProject, session: str) -> tuple[SessionCommit, ...]:
    """Return the commits that were made in a session since it began, the latest first."""
    root = project.root_of(session)
    if isinstance(root, SessionRefused):
        return ()

    try:
        with project.checkpoints_at(root).look() as worktree:
            found = worktree.describe_commits(_made_since(project, session, worktree))
    except CheckpointFailed:
        return ()

    return tuple(SessionCommit(*each) for each in found)


def compare_commit(
    project: OpenProject, session: str, commit: str
) -> FilesCompared | SessionRefused:
    """Return what a commit of a session has changed."""
    root = project.root_of(session)
    if isinstance(root, SessionRefused):
        return root

    try:
        with project.checkpoints_at(root).look() as worktree:
            if commit not in _made_since(project, session, worktree):
                return SessionRefused(f"{commit}: there is no such commit of this session.")
            files = worktree.compare(f"{commit}^", commit)
            patch = worktree.diff(f"{commit}^", commit)
    except NoCheckpoints:
        return SessionRefused("nothing was done in this session yet.")
    except CheckpointFailed as error:
        return SessionRefused(str(error), "conflict")

    paths = [each.path for each in files]
    return FilesCompared(files, tuple(_hunks(patch, paths)))


def _made_since(project: OpenProject, session: str, worktree: GitWorktree) -> tuple[str, ...]:
    for each in project.session_worktrees.records.list():
        if each.session == session:
            return worktree.commits_since(each.base)

    for checkpoint in worktree.checkpoints():
        if checkpoint.draft.session == session and checkpoint.draft.kind == "turn":
            return worktree.commits_since(checkpoint.present.head)

    return ()


def _hunks(patch: str, paths: list[str]) -> Iterator[ChangeHunk]:
    """Yield the hunks of a patch whose files are in the order of `paths`."""
    number = 0
    starts = [each.start() for each in _FILE.finditer(patch)]
    for path, start, end in zip(paths, starts, [*starts[1:], len(patch)], strict=False):
        text = patch[start:end]
        cuts = [each.start() for each in _HUNK.finditer(text)] or [0]
        head = text[: cuts[0]]
        for first, last in zip(cuts, [*cuts[1:], len(text)], strict=True):
            number += 1
            yield ChangeHunk(number, path, head + text[first:last])
