"""The ports of worktrees: the user's repository, and the worktree of one session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from holdfast.checkpoints.ports import FileDifference
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.worktrees.session_worktree import SessionWorktree, WorktreeRecords


@dataclass(frozen=True, slots=True)
class FollowedCommit:
    """A commit, and the ref that led to it; "" if a bare commit was named."""

    commit: str
    follows: str = ""


@dataclass(frozen=True, slots=True)
class CapturedFiles:
    """The files of a worktree as a tree; `inside` are repositories in it that the tree has not."""

    tree: str
    inside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CopiedFiles:
    """The ignored files that were copied, and the reason of each that was not."""

    paths: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


FileSide: TypeAlias = tuple[bytes, int]
"""The bytes of a file and its mode; of a symlink its target and the mode `LINK`."""


@dataclass(frozen=True, slots=True)
class TreeDifference:
    """Both sides of every file that differs, by path; a side without the file has no entry.

    It has no files if there are `submodules` or `large` files among those that differ.
    """

    before: Mapping[str, FileSide]
    after: Mapping[str, FileSide]
    submodules: tuple[str, ...] = ()
    large: tuple[str, ...] = ()


class SessionFiles(Protocol):
    """The files of a session's worktree at one moment, as a tree, on the commit `head`.

    Every method may raise `CheckpointFailed`.
    """

    @property
    def tree(self) -> str:
        """The tree of all files that are tracked or not ignored."""

    @property
    def head(self) -> str:
        """The commit that is checked out."""

    def tree_of(self, commit: str) -> str:
        """Return the tree of a commit."""

    def patch(self, base: str) -> str:
        """Return the difference from a commit as a patch."""

    def compare(self, base: str) -> tuple[FileDifference, ...]:
        """Return the paths that differ from a commit, with the numbers of their lines."""

    def difference(self, base: str) -> TreeDifference:
        """Return both sides of every file that differs from a commit, as they are on the disk."""


@dataclass(frozen=True, slots=True)
class MergedCommits:
    """The result of an update: the commit `theirs` was merged.

    `commit` is the new commit of the branch, `files` the tree of the files. `base` is the commit
    that was merged or, for a worktree with changes, the tree of the base.
    """

    theirs: str
    commit: str
    files: str
    base: str


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """The commit `theirs` and the other side changed the same lines of these files."""

    paths: tuple[str, ...]
    theirs: str


class ProjectRepository(Protocol):
    """The repository of a project, seen from one of its worktrees, which is only read.

    Every method may raise `CheckpointFailed`: git or the disk refused, and the message says why.
    """

    @property
    def root(self) -> str:
        """The worktree of the user."""

    def why_unfit(self) -> str | None:
        """Return why no worktree can be made here, or None."""

    def find_commit(self, ref: str | None) -> FollowedCommit | None:
        """Return the commit of a ref, by default of HEAD; None if there is no such commit."""

    def capture(self) -> CapturedFiles:
        """Return the user's files as a tree, without a change of the index."""

    def clashes(self, commit: str) -> tuple[str, str] | None:
        """Return two files that are one on this file system, or None."""

    def add_base(self, session: str, tree: str, parent: str) -> str:
        """Make a commit of a tree, kept by a ref of the session; return it."""

    def path_of(self, session: str) -> str:
        """Return the path of a session's worktree."""

    def make(self, session: str, commit: str, tree: str | None) -> None:
        """Make the worktree of a session on a new branch at `commit`.

        With `tree`, its files are those of that tree, uncommitted.
        """

    def copy_ignored(self, session: str, patterns: Sequence[str]) -> CopiedFiles:
        """Copy ignored files that match into a session's worktree, never over another file."""

    def notes(self, session: str) -> tuple[str, ...]:
        """Return what of the repository is not in the session's worktree: submodules, LFS files."""

    def look(self, session: str) -> AbstractContextManager[SessionFiles]:
        """Capture the files of a session's worktree; nothing is written to the repository."""

    def commit_files(self, worktree: SessionWorktree, message: str) -> str:
        """Commit all files of a worktree on its branch, and return its last commit.

        There is no new commit if nothing is uncommitted.
        """

    def why_elsewhere(self, worktree: SessionWorktree) -> str | None:
        """Return why a worktree is not on its branch, or None."""

    def merge(self, worktree: SessionWorktree, commit: str) -> MergedCommits | MergeConflict | None:
        """Merge a commit in memory with the branch, the files and the base of a worktree.

        Return None if the branch and the base have the commit already. No ref and no file is
        changed.
        """

    def write_merge(self, worktree: SessionWorktree, merged: MergedCommits) -> str:
        """Write the merged files to a worktree, and move its branch; return the new base."""

    def lost_commits(self, worktree: SessionWorktree) -> str | None:
        """Return the commit that is checked out and that no branch or tag leads to, or None."""

    def remove(self, worktree: SessionWorktree) -> str | None:
        """Remove a worktree, and its branch if that has no commit of its own.

        Return the branch if it stays.
        """

    def make_again(self, worktree: SessionWorktree) -> None:
        """Make a worktree that is gone again, on its branch, with the files of the last commit."""

    def write_base(self, worktree: SessionWorktree) -> None:
        """Write the files of the base to a worktree that has those of its last commit."""

    def sessions(self) -> tuple[str, ...]:
        """Return the sessions that something is named after: a folder, a branch, a base."""

    def why_kept(self, session: str, *, strictly: bool, branch: bool = True) -> str | None:
        """Return why the folder and the branch of a session must not be discarded, or None.

        They have work in them. Unless `strictly`, a checkout that was not finished is none. Without
        `branch`, only the folder counts.
        """

    def discard(self, session: str) -> None:
        """Remove the worktree of a session, its base, and its branch without a look at them."""


class WorktreeMakers(Protocol):
    """Which worktrees are being made: the lock of each is free when its process has died."""

    def take(self, turn: str) -> None:
        """Lock a name until `drop`, or until this process ends; raise OSError if that fails."""

    def drop(self, turn: str) -> None:
        """Unlock a name."""

    def is_locked(self, turn: str) -> bool:
        """Return whether a process has locked the name."""


class SetupCommand(Protocol):
    """The command that a project runs once in a new worktree."""

    def run(self, worktree: SessionWorktree) -> SetupOutcome:
        """Judge the command, ask for approval if needed, and run it in the worktree."""


@dataclass(frozen=True, slots=True)
class SetupOutcome:
    """What became of the setup command. `exit_code` is None if it did not run; `why` says why."""

    command: str
    exit_code: int | None
    output: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class WorktreeDependencies:
    """What the use cases of worktrees need.

    `checkpoints_at` returns the checkpoints of the worktree at a path. `adopt` makes the state that
    is stored about the folder with this id that of the folder at a path.
    """

    repository: ProjectRepository
    records: WorktreeRecords
    makers: WorktreeMakers
    checkpoints_at: Callable[[str], Worktrees]
    adopt: Callable[[str, str], None]
