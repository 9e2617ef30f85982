"""The ports of worktrees: the user's repository, and the worktree of one session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.usecases.worktrees.session_worktree import SessionWorktree


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
