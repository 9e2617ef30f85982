"""The ports of checkpoints: a locked worktree with its checkpoints, and its files on the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, WorktreeState
    from holdfast.checkpoints.difference import Difference

FileShape: TypeAlias = Literal["absent", "file", "link", "directory", "other"]


class CheckpointFailed(Exception):  # noqa: N818 - the word for it
    """Git, the disk or a limit refused. No file has changed; the message names the next step."""


class NoCheckpoints(CheckpointFailed):
    """The root has no repository for checkpoints, and the caller asked not to create one."""


class CheckpointsLost(NoCheckpoints):
    """The root had a repository for checkpoints, and somebody has removed that."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """What is at a path; a symlink at the end of the path is not followed.

    `changed_at` is when content or permissions changed last, in nanoseconds.
    """

    shape: FileShape
    size: int = 0
    mode: int = 0
    readable: bool = True
    changed_at: int = 0

    @property
    def file_mode(self) -> int | None:
        """The permissions of a regular file, else None."""
        if self.shape != "file":
            return None
        return self.mode


class Disk(Protocol):
    """The files of the working tree, as a snapshot reads them."""

    def inspect(self, path: str) -> FileInfo:
        """Return what is at a path, without following a symlink at its end."""

    def is_beyond_link(self, path: str) -> bool:
        """Return whether a parent of the path is a symlink, or anything but a directory."""


class WorktreeView(Protocol):
    """The files of the working tree, as a restore plan reads them."""

    def inspect(self, path: str) -> FileInfo:
        """Return what is at a path, without following a symlink at its end."""

    def below(self, directory: str) -> Iterable[str]:
        """Yield the files below a directory, and the `.git` of every repository there."""

    def in_nested_repository(self, path: str) -> bool:
        """Return whether a parent of the path is a repository of its own."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """A path that no snapshot can capture is in the way of a restore; nothing was changed."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class PreparedRestore:
    """A restore that can be applied.

    `present` is the working tree now, with every file captured that the restore overwrites. `tree`
    is the tree that the restore writes: the target's, with the entries that stay.
    `changes` are the differences that will be written. `kept` has the paths that stay although they
    differ from the target, with the reasons. `lost` has the paths that the target skipped and that
    no longer exist. `special` are pipes, sockets and devices that the restore replaces.
    `changes_attributes`: permissions or empty directories differ.
    """

    present: WorktreeState
    target: WorktreeState
    tree: str
    changes: tuple[Difference, ...]
    kept: Mapping[str, str]
    lost: Mapping[str, str]
    special: tuple[str, ...] = ()
    changes_attributes: bool = False

    @property
    def writes(self) -> tuple[str, ...]:
        """The paths that will change."""
        return tuple(each.path for each in self.changes)


@dataclass(frozen=True, slots=True)
class RestoreDone:
    """The working tree has the target's files."""


@dataclass(frozen=True, slots=True)
class RestoreFailed:
    """A restore that was not applied.

    The files are as before the restore. If `unsettled`, some are not, and the next command
    finishes the restore.
    """

    message: str
    unsettled: bool = False


@dataclass(frozen=True, slots=True)
class UnfinishedRestore:
    """The journal entry of a restore or an undo under way.

    In the phase `files` the working tree may be a mix of both states. In the phase `talk` its files
    are restored to `tree`, and the conversation and the refs are pending.
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
class PendingRestore:
    """A restore that a process left; `number` is its place in the order of the journal."""

    number: int
    begun_at: str
    restore: UnfinishedRestore


@dataclass(frozen=True, slots=True)
class FileDifference:
    """How a path differs between two trees.

    `added` and `removed` are counts of lines, None for a binary file.
    """

    path: str
    status: Literal["added", "deleted", "modified", "retyped"]
    added: int | None
    removed: int | None


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file as a snapshot has it.

    `data` is the bytes of a file or the target of a symlink; None if they are more than was asked
    for. `mode` is the permissions, 0 for a symlink.
    """

    shape: Literal["file", "link", "other"]
    mode: int
    size: int
    data: bytes | None


@dataclass(frozen=True, slots=True)
class FileVersions:
    """Both versions of a file that differs between two snapshots; None is no file.

    `changed_at` is when the file changed on the disk (its ctime in nanoseconds), 0 without a file.
    """

    path: str
    before: FileVersion | None
    after: FileVersion | None
    changed_at: int


@dataclass(frozen=True, slots=True)
class Leftovers:
    """The names of refs that nothing leads to, and how many bytes only they need."""

    refs: tuple[str, ...] = ()
    size: int = 0


class Worktree(Protocol):
    """One worktree, locked.

    Every method may raise `CheckpointFailed`, and then has changed no file.
    """

    def capture(self) -> WorktreeState:
        """Read the files that changed since the last snapshot; return the state of all files."""

    def record(self, draft: CheckpointDraft, present: WorktreeState) -> Checkpoint:
        """Record a checkpoint of a captured state."""

    def checkpoints(self, beginning: str = "") -> tuple[Checkpoint, ...]:
        """Return the checkpoints whose ids start with `beginning`, the latest first."""

    def at(self, commit: str) -> Checkpoint | None:
        """Return the checkpoint of a shadow commit, also without a ref; None without a commit."""

    def prepare_restore(
        self,
        present: WorktreeState,
        target: WorktreeState,
        *,
        exact: bool,
        keep: Collection[str] = (),
    ) -> PreparedRestore | Blocked:
        """Plan a restore, and capture the files that it would overwrite.

        With `exact`, the ignore rules of the target keep no file that is newer: for an undo. Paths
        in `keep`, and those below them, stay as they are.
        """

    def apply_restore(self, prepared: PreparedRestore) -> RestoreDone | RestoreFailed:
        """Write the files of a prepared restore."""

    def restore_index(self, present: WorktreeState, target: WorktreeState) -> str | None:
        """Restore what was staged in the user's index; return why that could not be done."""

    def index_lock(self) -> str | None:
        """Return the lock of the user's index, if another program has it; else None."""

    def differs_from_index(self, present: WorktreeState, target: WorktreeState) -> bool:
        """Return whether something else is staged now than in the target."""

    def compare(self, before: str, after: str) -> tuple[FileDifference, ...]:
        """Return the paths that differ between two trees."""

    def versions(
        self, before: WorktreeState, after: WorktreeState, largest: int
    ) -> tuple[FileVersions, ...]:
        """Return both versions of each file that differs between two snapshots.

        `after` is the present state. A file that git has begun to ignore is not among them. Files
        of more than `largest` bytes have no data.
        """

    def file_at(self, tree: str, path: str, largest: int) -> FileVersion | None:
        """Return the file at a path of a tree or a commit; None if there is none.

        A file of more than `largest` bytes has no data. A path outside of the tree is none.
        """

    def empty_tree(self) -> str:
        """Return the id of a tree without files."""

    def diff(self, before: str, after: str) -> str:
        """Return the difference of two trees as a patch."""

    def commits_since(self, head: str | None) -> tuple[str, ...]:
        """Return the commits that HEAD has and this commit has not, the latest first."""

    def move_to_trash(self, ids: Sequence[str], undo_id: str) -> None:
        """Move checkpoints to the trash of an undo checkpoint, all at once.

        Ids without a checkpoint are ignored.
        """

    def restore_from_trash(self, undo_id: str) -> None:
        """Move the checkpoints in the trash of an undo checkpoint back, all at once."""

    def remove(self, ids: Sequence[str]) -> None:
        """Remove checkpoints for good."""

    def pruned(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints that `record` has removed because there were too many."""

    def notes(self) -> tuple[str, ...]:
        """Return what a reader of any outcome should know: the user's repository is gone."""

    def empty_trash(self) -> tuple[str, ...]:
        """Remove all checkpoints in the trash; return the ids of their undo checkpoints."""

    def leftovers(self, sessions: Collection[str]) -> Leftovers:
        """Return the refs that nothing leads to.

        Those of these sessions, and those in the trash of an undo checkpoint that is gone.
        """

    def remove_leftovers(self, leftovers: Leftovers) -> None:
        """Remove these refs, and free their disk space where git would not do so later."""

    def reclaim_space(self) -> None:
        """Free the disk space of what was removed, where git would not do so later."""

    def begin(self, unfinished: UnfinishedRestore) -> None:
        """Write a journal entry, or the phase that it has reached, durably."""

    def finish(self, unfinished: UnfinishedRestore) -> None:
        """Remove a journal entry; one whose files are restored stays as the last restore."""
