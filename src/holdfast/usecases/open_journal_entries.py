"""The journal of a worktree, and what is open there for a command that only looks."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

from holdfast.changes.ports import Journal, JournalDamaged
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.changes.ports import PendingBatch
    from holdfast.checkpoints.ports import PendingRestore


class WorktreeJournal(Journal, Protocol):
    """All that is under way in one worktree; as a `Journal`, the batch of this command.

    Each call may raise `JournalDamaged` for an entry that cannot be read.
    """

    @property
    def nested(self) -> bool:
        """Whether a caller of this use case has the lock too: what is under way is its work."""

    def batches(self) -> tuple[PendingBatch, ...]:
        """Return the batches under way, in the order begun."""

    def restores(self) -> tuple[PendingRestore, ...]:
        """Return the restores under way, in the order begun."""

    def last_restore(self) -> int:
        """Return the number of the last restore that has changed files, 0 if there was none."""

    def at(self, pending: PendingBatch) -> Journal:
        """Return the journal of a batch that a dead process left."""


@dataclass(frozen=True, slots=True)
class OpenEntry:
    """Work that a dead process left half done; the next command that writes settles it.

    `id` is that of a change or of a checkpoint. A journal that cannot be read is `damaged`.
    """

    kind: Literal["batch", "restore", "damaged"]
    id: str
    begun_at: str
    message: str


def open_entries(journal: WorktreeJournal) -> tuple[OpenEntry, ...]:
    """Return what dead processes have left; write nothing."""
    try:
        return (*_open_batches(journal), *_open_restores(journal))
    except JournalDamaged as error:
        return (OpenEntry("damaged", "", "", str(error)),)


def _open_batches(journal: WorktreeJournal) -> Iterator[OpenEntry]:
    for pending in journal.batches():
        what = "an apply"
        if pending.batch.rewinds:
            what = "an undo"
        message = _interrupted(what, pending.begun_at)
        yield OpenEntry("batch", pending.batch.id, pending.begun_at, message)


def _open_restores(journal: WorktreeJournal) -> Iterator[OpenEntry]:
    for pending in journal.restores():
        left = pending.restore
        what = "an undo of a restore"
        if left.verb == "restore":
            what = f"a restore of {left.target_id}"
        message = _interrupted(what, pending.begun_at)
        yield OpenEntry("restore", left.target_id, pending.begun_at, message)


def _interrupted(what: str, begun_at: str) -> str:
    begun = datetime.fromisoformat(begun_at).astimezone()
    return (
        f"{what}, begun at {begun:%H:%M}, was interrupted; the next command that writes settles it."
    )
