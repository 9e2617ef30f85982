"""The ports of this package: files to plan with, and the tree and the journal of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.changes.swaps import Batch, Swap
    from holdfast.vocab.outcomes import Reason

# ------------------------------------------------------------------------------------------ files


class FileInUse(OSError):  # noqa: N818 - the word for it
    """A file cannot be written as long as something else is at work: `strerror` says what."""


@dataclass(frozen=True, slots=True)
class FileFound:
    """A regular file at the real path `at` below the root.

    `linked`: the path that was looked at is a symlink to the file.
    """

    at: str
    data: bytes
    mode: int
    linked: bool = False


@dataclass(frozen=True, slots=True)
class FileMissing:
    """No file, but one can be created at `at`, after the directories `parents`, outermost first."""

    at: str
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileUnfit:
    """A path at which no file can be edited or created."""

    reason: Reason
    message: str


FileLook: TypeAlias = FileFound | FileMissing | FileUnfit


class Files(Protocol):
    """The files below one root, as they are now."""

    def look(self, path: str) -> FileLook:
        """Return what is at a path that a model named."""

    def link(self, path: str) -> bytes | None:
        """Return the target of the symlink at a path, or None if there is no symlink."""

    def names(self, near: str) -> list[str]:
        """List files below the root, those in the directory of `near` first; there is a limit."""


# ------------------------------------------------------------------------------------------- tree

SwapSide: TypeAlias = Literal["before", "after", "neither"]
"""Which of a swap's two contents is on the disk."""


class Tree(Protocol):
    """The files of the workspace. No symlink in a path is followed. Each call may raise OSError."""

    def side(self, swap: Swap) -> SwapSide:
        """Return which of the two contents the file has now; a directory is no file."""

    def make(self, directory: str, mode: int | None = None) -> None:
        """Make a directory, if nothing is there; with `mode`, no others get more permissions."""

    def set_mode(self, directory: str, mode: int) -> None:
        """Set the permissions of a directory, if it is there."""

    def clear(self, directory: str) -> None:
        """Remove a directory, if it exists and is empty."""

    def stage(self, swap: Swap, sibling: str) -> None:
        """Write the new content to the file `sibling`, durably, with the mode that it will have."""

    def put(self, swap: Swap, sibling: str) -> bool:
        """Replace the file by the staged content.

        Return False, and do nothing, if the file is neither old nor new. If the file is new
        already, only remove the sibling.
        """

    def discard(self, sibling: str) -> None:
        """Remove the sibling, if it exists."""

    def settle(self, batch: Batch) -> None:
        """Make the names of the batch durable: fsync every existing directory that it touches."""


# ---------------------------------------------------------------------------------------- journal


@dataclass(frozen=True, slots=True)
class PendingBatch:
    """A batch that a process left behind. `committed`: its files may have been changed.

    Its paths are relative to `root`. `number` is its place in the order of the journal.
    """

    batch: Batch
    committed: bool
    root: str = ""
    number: int = 0
    begun_at: str = ""


class JournalDamaged(Exception):  # noqa: N818 - the word for it
    """A file of the journal (`place`) cannot be read: from another version, or changed since."""

    def __init__(self, place: str) -> None:
        super().__init__(
            f"{place}: this journal is damaged, or of another version of Holdfast; move it away, "
            "and look at the files it was about."
        )
        self.place = place


class Journal(Protocol):
    """One batch under way on one root, durably.

    Only the process with the worktree's lock uses the journal. Each call may raise OSError.
    """

    def prepare(self, batch: Batch) -> None:
        """Record the batch before any part of it is done."""

    def commit(self) -> None:
        """Record that every sibling is staged and the files may be changed."""

    def finish(self, batch: Batch) -> None:
        """Remove the batch: it is applied, and the log of changes has recorded it."""

    def drop(self) -> None:
        """Remove the batch: it is rolled back."""

    def save(self, batch: Batch, swaps: Iterable[Swap]) -> str:
        """Write the old and new texts of these swaps to plain files; return their directory."""
