"""The port: one worktree with its checkpoints, while its lock is held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, WorktreeState
from holdfast.checkpoints.restore_plan import Blocked


class CheckpointFailed(Exception):  # noqa: N818 - the word for it
    """Git, the disk or a budget refused. The files are as they were; the message says what to do."""


class NoCheckpoints(CheckpointFailed):
    """There is no place for checkpoints yet, and none was to be made."""


@dataclass(frozen=True, slots=True)
class PreparedRestore:
    """A way that can be walked: the present with all that lies in the way captured, and the tree at its end.

    `writes` are the paths that will change, `arriving` those of them that are not there now.
    `kept` are paths that stay though the target has them not, or otherwise. `lost` are paths that the target had
    skipped and that are gone.
    """

    present: WorktreeState
    target: WorktreeState
    tree: str
    writes: tuple[str, ...]
    arriving: frozenset[str]
    kept: tuple[str, ...]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RestoreDone:
    """The files are the target's."""


@dataclass(frozen=True, slots=True)
class RestoreFailed:
    """The files are as they were before; or (`unsettled`) some are not, and the next command goes on."""

    message: str
    unsettled: bool = False


@dataclass(frozen=True, slots=True)
class UnfinishedRestore:
    """A restore or an undo that is under way, as the journal holds it.

    In the phase `files` the worktree may be a mix; in the phase `talk` it is done, and the transcript and the refs
    are owed, and `tree` is the one it was brought to.
    """

    undo_id: str
    undo_commit: str
    target_id: str
    target_commit: str
    verb: Literal["restore", "undo"]
    files: bool
    conversation: bool
    phase: Literal["files", "talk"]
    tree: str = ""
    orphans: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileDifference:
    """What became of a path between two trees; `added` and `removed` count lines, None for what is not text."""

    path: str
    status: Literal["added", "deleted", "modified", "retyped"]
    added: int | None
    removed: int | None


class Worktree(Protocol):
    """One worktree, locked. Every call may raise `CheckpointFailed`, and then has changed no file."""

    def capture(self) -> WorktreeState:
        """Read what has changed since the last time, and give the tree of all."""
        ...

    def record(self, draft: CheckpointDraft, present: WorktreeState) -> Checkpoint:
        """Make a checkpoint of it."""
        ...

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Give this worktree's checkpoints, the latest first."""
        ...

    def at(self, commit: str) -> Checkpoint | None:
        """Give the checkpoint of a shadow commit, even if its ref is gone; None if the commit is gone too."""
        ...

    def find_way(self, present: WorktreeState, target: WorktreeState) -> PreparedRestore | Blocked:
        """Compare, and capture what lies in the way."""
        ...

    def walk(self, way: PreparedRestore) -> RestoreDone | RestoreFailed:
        """Give the files their target's content."""
        ...

    def compare(self, before: str, after: str) -> tuple[FileDifference, ...]:
        """Say which paths two trees do not agree on."""
        ...

    def empty_tree(self) -> str:
        """Give a tree without files."""
        ...

    def diff(self, before: str, after: str) -> str:
        """Give the difference of two trees as a patch."""
        ...

    def commits_since(self, head: str | None) -> tuple[str, ...]:
        """Name the commits that HEAD has and this commit has not, the latest first."""
        ...

    def move_to_trash(self, ids: Sequence[str], undo_id: str) -> None:
        """Hide checkpoints under an undo point, all at once; those that are not there are no fault."""
        ...

    def bring_back(self, undo_id: str) -> None:
        """Bring the checkpoints back that were hidden under an undo point, all at once."""
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """Remove checkpoints for good."""
        ...

    def pruned(self) -> tuple[Checkpoint, ...]:
        """Give the checkpoints that `record` has removed, for they were too old."""
        ...

    def empty_trash(self) -> tuple[str, ...]:
        """Remove all that is hidden, for good; gives the ids that it was hidden under."""
        ...

    def settle(self) -> None:
        """Give back the room of what was removed, where nobody else would."""
        ...

    def unfinished(self) -> tuple[UnfinishedRestore, ...]:
        """Give what dead processes left, the oldest first."""
        ...

    def begin(self, unfinished: UnfinishedRestore) -> None:
        """Write it down, or the phase that it has reached, durably."""
        ...

    def finish(self, unfinished: UnfinishedRestore) -> None:
        """Forget it."""
        ...
