"""Make the worktree of a session."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.worktrees.session_worktree import (
    SessionWorktree,
    WorktreeRefused,
    WorktreesUnavailable,
    branch_of,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.owned_event import OwnedEvent
from holdfast.vocab.worktree_events import WorktreeAction, WorktreeChanged

if TYPE_CHECKING:
    from holdfast.usecases.worktrees.ports import (
        CopiedFiles,
        FollowedCommit,
        ProjectRepository,
        SetupCommand,
        SetupOutcome,
        WorktreeDependencies,
    )
    from holdfast.usecases.worktrees.session_worktree import WorktreeRecords

_INSIDE = "a repository of its own, which is not in the worktree."


@dataclass(frozen=True, slots=True)
class NewWorktree:
    """The worktree to make, for this session; `begins_at` is a ref, None means HEAD.

    `title` and `agent` are for a session that is not on record yet. `patterns` are those of ignored
    files to copy, besides `.worktreeinclude`.
    """

    session: str
    with_changes: bool = False
    begins_at: str | None = None
    patterns: tuple[str, ...] = ()
    title: str = ""
    agent: str = "holdfast"


@dataclass(frozen=True, slots=True)
class WorktreeMade:
    """The worktree is there. `copied` are ignored files, `notes` what a user should know.

    `checkpoint_id` is the checkpoint that its files were restored from, if it was made anew.
    """

    worktree: SessionWorktree
    copied: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    setup: SetupOutcome | None = None
    seq: int | None = None
    checkpoint_id: str | None = None


def make_worktree(
    wanted: NewWorktree, needs: WorktreeDependencies, setup: SetupCommand | None = None
) -> WorktreeMade | WorktreeRefused:
    """Make the worktree of a session, and the session if there is none; or change nothing."""
    repository, makers = needs.repository, needs.makers
    try:
        base = _find_base(wanted, repository)
        if isinstance(base, WorktreeRefused):
            return base
        makers.take(wanted.session)
        try:
            made = _make(wanted, base, repository, needs.records)
        except (CheckpointFailed, WorktreesUnavailable, OSError):
            with suppress(CheckpointFailed, OSError):
                repository.discard(wanted.session)
            raise
        finally:
            makers.drop(wanted.session)
    except (CheckpointFailed, WorktreesUnavailable) as error:
        return WorktreeRefused.because(str(error))
    except OSError as error:
        return WorktreeRefused.because(f"{error.filename}: {error.strerror}; nothing was made.")

    if setup is None:
        return made

    return replace(made, setup=setup.run(made.worktree))


def _find_base(
    wanted: NewWorktree, repository: ProjectRepository
) -> FollowedCommit | WorktreeRefused:
    unfit = repository.why_unfit()
    if unfit is not None:
        return WorktreeRefused.because(unfit)

    base = repository.find_commit(wanted.begins_at)
    if base is None:
        return WorktreeRefused.because(f"{wanted.begins_at}: there is no such commit or branch.")

    if wanted.with_changes and wanted.begins_at is not None:
        head = repository.find_commit(None)
        if head is None or head.commit != base.commit:
            return WorktreeRefused.because(
                f"{wanted.begins_at}: uncommitted work belongs to HEAD, which is another commit; "
                "leave out --from or --with-changes."
            )

    clash = repository.clashes(base.commit)
    if clash is not None:
        return WorktreeRefused.because(
            f"{clash[0]} and {clash[1]} differ only in case, and are one file on this file system; "
            "rename one of them and commit that."
        )

    return base


def _make(
    wanted: NewWorktree,
    base: FollowedCommit,
    repository: ProjectRepository,
    records: WorktreeRecords,
) -> WorktreeMade:
    session, commit, tree = wanted.session, base.commit, None
    notes: list[str] = []
    if wanted.with_changes:
        captured = repository.capture()
        tree = captured.tree
        # Also if nothing is uncommitted: then the base is a commit with the same files.
        commit = repository.add_base(session, tree, base.commit)
        notes += [f"{inside}: {_INSIDE}" for inside in captured.inside]

    repository.make(session, base.commit, tree)
    copied: CopiedFiles = repository.copy_ignored(session, wanted.patterns)
    notes += [*copied.left, *repository.notes(session)]
    worktree = SessionWorktree(
        session,
        repository.path_of(session),
        repository.root,
        branch_of(session),
        commit,
        base.follows,
        wanted.with_changes,
        is_there=True,
        title=wanted.title,
    )
    seq = records.add(worktree, [worktree_event("made", worktree)], agent=wanted.agent)
    for recorded in records.list():
        if recorded.session == session:
            worktree = replace(worktree, created_at=recorded.created_at)
    return WorktreeMade(worktree, copied.paths, tuple(notes), None, seq)


def worktree_event(
    action: WorktreeAction,
    worktree: SessionWorktree,
    *,
    checkpoint: str | None = None,
    change: str | None = None,
) -> OwnedEvent:
    """Return the event of something that was done with a session's worktree."""
    event = WorktreeChanged(
        action,
        worktree.session,
        worktree.path,
        worktree.branch,
        worktree.base,
        checkpoint,
        change,
    )
    return OwnedEvent(event, worktree.session)
