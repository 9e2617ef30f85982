"""Carry out a batch wholly or not at all, and finish or take back one that a dead process left.

The order is what makes a kill at any instant harmless. Until `Journal.commit` no file of the workspace has changed:
there are only siblings to remove. From then on the journal holds the old and the new bytes of every file, and what is
not yet new becomes new. A file that is neither old nor new is somebody else's: then nothing of the batch stays.
When every file is new, durably, the log of changes is told, and only then the journal forgets the batch: whoever dies
in between leaves a journal from which the next command tells the log again.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdfast.changes.change_log import LogUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.changes.swaps import Batch, Swap

SwapSide: TypeAlias = Literal["before", "after", "neither"]
"""Which of a swap's two contents the disk holds."""


class Tree(Protocol):
    """The workspace's files. A symlink in a path is never followed. Each call may raise OSError."""

    def side(self, swap: Swap) -> SwapSide:
        """Look what the file holds now."""
        ...

    def make(self, directory: str) -> None:
        """Make a directory, if it is not there."""
        ...

    def clear(self, directory: str) -> None:
        """Remove a directory, if it is there and empty."""
        ...

    def stage(self, swap: Swap, sibling: str) -> None:
        """Write the new content into the sibling, durably, with the mode that the file will have."""
        ...

    def put(self, swap: Swap, sibling: str) -> bool:
        """Let the staged content take the file's place; False, and nothing done, if the file is neither old nor new.

        A file that is new already stays, and its sibling goes.
        """
        ...

    def discard(self, swap: Swap, sibling: str) -> None:
        """Remove the sibling, if it is there."""
        ...

    def settle(self, batch: Batch) -> None:
        """Make the names of the batch durable: fsync every directory that it touches and that is there."""
        ...


@dataclass(frozen=True, slots=True)
class Pending:
    """The batch that a process left behind."""

    batch: Batch
    committed: bool


class Damaged(Exception):  # noqa: N818 - the word for it
    """A journal's file cannot be read: not written by this version, or changed since. `place` is the file."""

    def __init__(self, place: str) -> None:
        super().__init__(
            f"{place}: this journal is damaged; move it away, and look at the files it was about."
        )
        self.place = place


class Journal(Protocol):
    """What is under way on one root, durably; its holder has the root's lock. Each call may raise OSError."""

    def prepare(self, batch: Batch) -> None:
        """Record the batch before anything of it is done."""
        ...

    def commit(self) -> None:
        """Record that every sibling is in place and the files may be touched."""
        ...

    def finish(self, batch: Batch) -> None:
        """Forget the batch: it is done, and the log knows."""
        ...

    def drop(self) -> None:
        """Forget the batch: nothing of it is left."""
        ...

    def pending(self) -> Pending | None:
        """Give the batch that is under way."""
        ...

    def save(self, batch: Batch, swaps: Iterable[Swap]) -> str:
        """Keep the old and new texts of these swaps as plain files, and say in which directory."""
        ...


@dataclass(frozen=True, slots=True)
class Done:
    """Every file is new. `unrecorded` says why the log could not be told; the next command on this root tells it."""

    unrecorded: LogUnavailable | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """Files that were neither old nor new were left alone, and nothing of the batch stays.

    `saved` is the directory where their old and new texts are, if other files of the batch had been touched already.
    """

    paths: tuple[str, ...]
    saved: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The disk refused. Every file is old, or (`unsettled`) will be old or new after the next command."""

    error: OSError
    unsettled: bool = False


Carried: TypeAlias = Done | Moved | Failed


@dataclass(frozen=True, slots=True)
class Finished:
    """A batch that a process left half done is done now."""

    batch: Batch


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A batch that a process left before the first file had changed is gone."""

    batch: Batch


@dataclass(frozen=True, slots=True)
class Stopped:
    """A batch left half done could not be finished: `carried` says why."""

    batch: Batch
    carried: Moved | Failed


BatchRecovery: TypeAlias = Finished | TakenBack | Stopped
RecordBatch: TypeAlias = "Callable[[Batch], None]"
"""Tells the log that a batch is done. Told twice, it is as if told once. May raise `LogUnavailable`."""


def _tell_nobody(batch: Batch) -> None:
    """Record nothing: for a batch that is no change's."""


def carry_out(
    batch: Batch, tree: Tree, journal: Journal, record: RecordBatch = _tell_nobody
) -> Carried:
    """Swap all files of the batch, or none; `record` tells the log once they are new."""
    try:
        journal.prepare(batch)
    except OSError as error:
        return Failed(error)
    try:
        _stage(batch, tree)
        moved = tuple(swap.path for swap in batch.swaps if tree.side(swap) != "before")
        if moved:
            _clean_up(batch, tree, journal)
            return Moved(moved)
        journal.commit()
    except OSError as error:
        return _give_up(error, _clean_up, batch, tree, journal)
    return _swap(batch, tree, journal, record)


def recover(
    tree: Tree, journal: Journal, record: RecordBatch = _tell_nobody
) -> BatchRecovery | None:
    """Finish or take back what a process that died has left; None if it left nothing.

    Raises `LogUnavailable` if the log cannot be told: no other batch can begin before it is.
    """
    pending = journal.pending()
    if pending is None:
        return None
    batch = pending.batch
    try:
        if not pending.committed:
            _clean_up(batch, tree, journal)
            return TakenBack(batch)
        if any(tree.side(swap) == "neither" for swap in batch.swaps):
            return Stopped(batch, _unwind(batch, tree, journal))
        _stage(batch, tree)
    except OSError as error:
        return Stopped(batch, Failed(error, unsettled=True))
    carried = _swap(batch, tree, journal, record)
    if isinstance(carried, Done) and carried.unrecorded:
        raise carried.unrecorded
    return Finished(batch) if isinstance(carried, Done) else Stopped(batch, carried)


def _stage(batch: Batch, tree: Tree) -> None:
    for directory in batch.makes:
        tree.make(directory)
    for place, swap in enumerate(batch.swaps):
        if swap.after is not None and tree.side(swap) == "before":
            tree.stage(swap, batch.sibling(place))


def _swap(batch: Batch, tree: Tree, journal: Journal, record: RecordBatch) -> Carried:
    try:
        for place, swap in enumerate(batch.swaps):
            if not tree.put(swap, batch.sibling(place)):
                moved = _unwind(batch, tree, journal)
                return moved if moved.paths else Moved((swap.path,))
        tree.settle(batch)
        for directory in batch.clears:
            tree.clear(directory)
    except OSError as error:
        return _give_up(error, _unwind, batch, tree, journal)
    # Every file is new, and durably so. What cannot be brought up to date now, the next command will. Nothing is taken
    # back here: whether a log that failed has been told is not known.
    try:
        record(batch)
    except LogUnavailable as error:
        return Done(unrecorded=error)
    with suppress(OSError):
        journal.finish(batch)
    return Done()


def _unwind(batch: Batch, tree: Tree, journal: Journal) -> Moved:
    """Bring back the old bytes wherever the new ones stand. Done twice, it does the rest of the first time."""
    for directory in reversed(batch.clears):
        tree.make(directory)
    for place, swap in enumerate(batch.swaps):
        if tree.side(swap) == "after":
            back = swap.reversed()
            if back.after is not None:
                tree.stage(back, batch.sibling(place))
            tree.put(back, batch.sibling(place))
    foreign = [swap for swap in batch.swaps if tree.side(swap) == "neither"]
    saved = journal.save(batch, foreign) if foreign else None
    _clean_up(batch, tree, journal)
    return Moved(tuple(swap.path for swap in foreign), saved)


def _clean_up(batch: Batch, tree: Tree, journal: Journal) -> Moved:
    """Remove all that stands beside the files, which are old, and forget the batch."""
    for place, swap in enumerate(batch.swaps):
        tree.discard(swap, batch.sibling(place))
    for directory in reversed(batch.makes):
        tree.clear(directory)
    tree.settle(batch)
    journal.drop()
    return Moved(())


def _give_up(
    error: OSError,
    take_back: Callable[[Batch, Tree, Journal], Moved],
    batch: Batch,
    tree: Tree,
    journal: Journal,
) -> Moved | Failed:
    """Take everything back after the disk refused; if it refuses that too, the next command on this root will do it."""
    try:
        moved = take_back(batch, tree, journal)
    except OSError:
        return Failed(error, unsettled=True)
    return moved if moved.paths else Failed(error)
