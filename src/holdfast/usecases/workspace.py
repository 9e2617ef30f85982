"""The root that a use case works on, and what became of it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from holdfast.changes.plan import FileRefused
from holdfast.changes.ports import FileInUse
from holdfast.changes.transaction import BatchConflict, Failed
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Settled
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from holdfast.changes.change_log import ChangeLog
    from holdfast.changes.ports import Files, Tree
    from holdfast.checkpoints.ports import PendingRestore
    from holdfast.usecases.open_journal_entries import WorktreeJournal
    from holdfast.usecases.settle_worktree import BatchRoots


class Workspace(Protocol):
    """One root: its files, and the lock under which they change."""

    @property
    def files(self) -> Files:
        """The files as they are."""

    @property
    def tree(self) -> Tree:
        """The files as they are swapped."""

    @property
    def log(self) -> ChangeLog:
        """The record of the project's changes; raises `LogUnavailable` if there can be none."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Words that must not be in an event."""

    def hold(self) -> AbstractContextManager[WorktreeJournal]:
        """Wait for the worktree's lock; raises OSError if the state directory cannot be written."""

    def hold_signals(self) -> AbstractContextManager[None]:
        """Deliver the signals that end a command only after the block."""

    @property
    def batch_roots(self) -> BatchRoots:
        """The roots of batches that dead processes left in this worktree."""

    def recover_restore(self, pending: PendingRestore, *, outdated: bool) -> Settled:
        """Finish a restore that a dead process left in this worktree, or go back."""

    def has_journal(self) -> bool:
        """Whether anything was ever written below this root."""

    def new_id(self) -> str:
        """Return a name that no other batch has."""


@dataclass(frozen=True, slots=True)
class NothingDone:
    """The command was refused and has changed no file.

    Or (`unsettled`) the disk refused halfway, and the next command will finish or undo what is
    begun. `recovered` is what was done first, about a command that had died. `seq` is the number
    of the last event that was published before the refusal, None if none was.
    """

    refusals: tuple[FileRefused, ...]
    recovered: Settled = NOTHING_LEFT
    unsettled: bool = False
    seq: int | None = None


def nothing_done(carried: BatchConflict | Failed, recovered: Settled) -> NothingDone:
    """Return why a batch was not carried out."""
    if isinstance(carried, Failed):
        error = carried.error
        if isinstance(error, FileInUse):
            refused = Refused("conflict", f"{error.filename}: {error.strerror}.")
            return NothingDone((FileRefused("", refused),), recovered, carried.unsettled)
        where = ""
        if error.filename:
            where = f" ({error.filename})"
        cure = "make room, or fix what is wrong there, and run this again"
        refused = Refused("conflict", f"the disk refused: {error.strerror}{where}; {cure}.")
        return NothingDone((FileRefused("", refused),), recovered, carried.unsettled)

    saved = ""
    if carried.saved:
        saved = f" Its old and new text are kept in {carried.saved}."

    return NothingDone(changed_meanwhile(carried.paths, saved), recovered)


def changed_meanwhile(paths: Sequence[str], saved: str = "") -> tuple[FileRefused, ...]:
    """Return a refusal for each file that has changed since an edit of it was planned."""
    refusals = []
    for path in paths:
        message = f"{path}: this changed meanwhile, and was left as it is.{saved}"
        refusals.append(FileRefused(path, Refused("conflict", message)))
    return tuple(refusals)
