"""The journal of a worktree, in its folder: what is under way there, in the order begun.

    journal/draft              an entry that is being written; ignored after a crash
    journal/000007.prepared    a batch, while its files are unchanged
    journal/000007.batch       the same file, renamed: from then on the batch is completed, and the
                               file stays until the log of changes has recorded the batch
    journal/000008.restore     a restore or an undo of one
    journal/000008.done        the same file, renamed: the last restore that has changed files
    saved/<id>/                texts of a batch that met a change of another program

An entry is one file, so that it needs one fsync however many files it swaps: a line of JSON, then
the bytes. All effects are calls of functions of `os` or of methods of `Path`: the test that kills a
process at every effect intercepts these.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.adapters.filesystem.atomic_write import sync_directory
from holdfast.adapters.filesystem.journal_format import (
    now,
    pack_batch,
    pack_restore,
    read_batch,
    read_restore,
)
from holdfast.adapters.filesystem.worktree_lock import UNLOCKED, WorktreeLock, is_at_work
from holdfast.changes.ports import JournalDamaged, PendingBatch
from holdfast.checkpoints.ports import PendingRestore, UnfinishedRestore
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from holdfast.adapters.filesystem.older_journals import OlderJournals
    from holdfast.adapters.running_commands import RunningCommands
    from holdfast.changes.swaps import Batch, Swap

_SAVED_LIMIT = 10
_ENTRY = lazy_pattern(r"(\d{6,})\.(prepared|batch|restore|done)\Z")

_Suffix: TypeAlias = Literal["prepared", "batch", "restore", "done"]


class DiskJournal:
    """The journal of one worktree (ports `Journal` and `WorktreeJournal`).

    Only the process with the worktree's lock writes; `batches` and `restores` may be read without.
    """

    def __init__(
        self,
        folder: Path,
        worktree: Path,
        root: Path,
        lock: WorktreeLock = UNLOCKED,
        number: int | None = None,
        *,
        running: RunningCommands | None = None,
    ) -> None:
        """Set the folder of a worktree, where that is, and the root of batches that are begun.

        `number` is the entry that `commit`, `finish` and `drop` are about, if not one of `prepare`.
        Nothing writes a file that must not be read by one of the commands that are `running`.
        """
        self.lock = lock
        self._folder = folder
        self._directory = folder / "journal"
        self._worktree = worktree
        self._root = root
        self._number = number
        self._running = running
        self._kept = ExitStack()

    def close(self) -> None:
        """Let commands start again, if a batch was left as it is."""
        self._kept.close()

    def kept_from_commands(self, paths: Iterable[str]) -> AbstractContextManager[None]:
        """Return a context in which no command starts; it raises `FileInUse`: see `kept_from`."""
        if self._running is None:
            return nullcontext()
        return self._running.kept_from(paths)

    @property
    def nested(self) -> bool:
        """Whether a caller of this use case has the lock too: what is under way is its work."""
        return self.lock.nested

    def is_at_work(self) -> bool:
        """Return whether a command has the lock now, so that what is open may be its work."""
        return is_at_work(self._folder)

    # ------------------------------------------------------------------------------------- a batch

    def prepare(self, batch: Batch) -> None:
        """Record the batch durably; raise `FileInUse` if a command must not read a file of it."""
        self._kept.close()
        root = os.path.realpath(self._root)
        paths = [f"{root}/{swap.path}" for swap in batch.swaps]
        self._kept.enter_context(self.kept_from_commands(paths))
        self._number = self._next_number()
        self._write(self._file("prepared"), pack_batch(batch, self._relative_root(), now()))

    def commit(self) -> None:
        """Record that the files may be changed."""
        self._file("prepared").replace(self._file("batch"))
        sync_directory(self._directory)

    def finish(self, batch: Batch) -> None:  # noqa: ARG002 - the journal knows which one it is
        """Remove the batch, which is applied."""
        self.drop()

    def drop(self) -> None:
        """Remove the batch."""
        self._kept.close()
        _remove(self._file("batch"))
        _remove(self._file("prepared"))
        # Otherwise, after a power cut, a rolled-back batch could reappear and be completed.
        sync_directory(self._directory)

    def save(self, batch: Batch, swaps: Iterable[Swap]) -> str:
        """Write the old and new texts of these swaps to plain files; return their directory."""
        saved = self._folder / "saved"
        _make(saved)
        _remove_oldest(saved)
        place = saved / batch.id
        _make(place)
        for number, swap in enumerate(swaps, 1):
            name = swap.path.rpartition("/")[2][:80]
            for side, content in (("old", swap.before), ("new", swap.after)):
                if content is not None:
                    file = place / f"{number}.{side}.{name}"
                    _remove(file)
                    _write(file, content.data)

        return str(place)

    # ------------------------------------------------------------------------------------ restores

    def write_restore(self, unfinished: UnfinishedRestore) -> None:
        """Write the entry of a restore, or the phase that it has reached, durably."""
        begun_at = now()
        number = None
        for known in self.restores():
            if known.restore.undo_id == unfinished.undo_id:
                number, begun_at = known.number, known.begun_at

        if number is None:
            number = self._next_number()

        self._write(self._path(number, "restore"), pack_restore(unfinished, begun_at))

    def remove_restore(self, unfinished: UnfinishedRestore) -> None:
        """Remove the entry of a restore; if its files are restored, remember that it was.

        What was begun before such a restore is not to be carried out after it.
        """
        for known in self.restores():
            if known.restore.undo_id != unfinished.undo_id:
                continue
            entry = self._path(known.number, "restore")
            if unfinished.files and unfinished.phase == "talk":
                entry.replace(self._path(known.number, "done"))
                self._remove_done_before(known.number)
            else:
                _remove(entry)
            sync_directory(self._directory)

    def _remove_done_before(self, last: int) -> None:
        for number, suffix in self._names():
            if suffix == "done" and number < last:
                _remove(self._path(number, "done"))

    # ---------------------------------------------------------------------------------------- read

    def batches(self) -> tuple[PendingBatch, ...]:
        """Return the batches under way, in the order begun; raise `JournalDamaged`."""
        found = []
        for number, suffix in self._names():
            if suffix in {"batch", "prepared"}:
                batch = read_batch(self._path(number, suffix))
                if batch is not None:
                    root = os.path.normpath(self._worktree / batch.root)
                    committed = suffix == "batch"
                    found.append(replace(batch, root=root, number=number, committed=committed))

        return tuple(found)

    def restores(self) -> tuple[PendingRestore, ...]:
        """Return the restores under way, in the order begun; raise `JournalDamaged`."""
        found = []
        for number, suffix in self._names():
            if suffix == "restore":
                restore = read_restore(self._path(number, suffix), number)
                if restore is not None:
                    found.append(restore)

        return tuple(found)

    def last_restore(self) -> int:
        """Return the number of the last restore that has changed files, 0 if there was none."""
        last = 0
        for number, suffix in self._names():
            if suffix == "done":
                last = max(last, number)

        for known in self.restores():
            if known.restore.files and known.restore.phase == "talk":
                last = max(last, known.number)

        return last

    def at(self, pending: PendingBatch) -> DiskJournal:
        """Return the journal for a batch that a dead process left."""
        return DiskJournal(self._folder, self._worktree, self._root, self.lock, pending.number)

    # --------------------------------------------------------------------------------------- older

    def open(self, older: OlderJournals) -> None:
        """Remove the draft of a dead process, and move the entries of an older layout here."""
        _remove(self._directory / "draft")
        for entry in older.entries():
            pending = entry.read()
            if isinstance(pending, PendingRestore):
                self._adopt_restore(pending)
            elif pending is not None:
                self._adopt_batch(pending, entry.written)
            entry.remove()

    def _adopt_restore(self, pending: PendingRestore) -> None:
        for known in self.restores():
            if known.restore.undo_id == pending.restore.undo_id:
                return
        data = pack_restore(pending.restore, pending.begun_at)
        self._write(self._path(self._next_number(), "restore"), data)

    def _adopt_batch(self, pending: PendingBatch, written: int) -> None:
        for known in self.batches():
            if known.batch.id == pending.batch.id:
                return

        suffix: _Suffix = "prepared"
        if pending.committed:
            suffix = "batch"

        data = pack_batch(pending.batch, self._relative_root(), pending.begun_at)
        self._write(self._path(self._number_of(written), suffix), data)

    def _number_of(self, written: int) -> int:
        """Return a free number for what was written then: before the last restore, or the next."""
        used = {number for number, _ in self._names()}
        for number, suffix in self._names():
            if suffix != "done":
                continue
            done = self._path(number, suffix).stat().st_mtime_ns
            if done > written:
                return max(set(range(number)) - used)

        return self._next_number()

    # --------------------------------------------------------------------------------------- files

    def _names(self) -> Iterator[tuple[int, _Suffix]]:
        """Return the number and the suffix of each entry, in order."""
        try:
            names = [file.name for file in self._directory.iterdir()]
        except FileNotFoundError:
            return iter(())

        found: list[tuple[int, _Suffix]] = []
        for name in names:
            match = _ENTRY.match(name)
            if match:
                found.append((int(match[1]), match[2]))  # type: ignore[arg-type]  # as in _ENTRY
            elif name[0].isdigit():
                raise JournalDamaged(str(self._directory / name))

        return iter(sorted(found))

    def _relative_root(self) -> str:
        """Return the root in the worktree: the worktree may be moved before it is settled."""
        return os.path.relpath(os.path.realpath(self._root), self._worktree)

    def _next_number(self) -> int:
        return max((number for number, _ in self._names()), default=0) + 1

    def _file(self, suffix: _Suffix) -> Path:
        return self._path(self._number or 0, suffix)

    def _path(self, number: int, suffix: _Suffix) -> Path:
        return self._directory / f"{number:06}.{suffix}"

    def _write(self, file: Path, data: bytes) -> None:
        """Write an entry as a whole or not at all, durably."""
        if not self._directory.is_dir():
            _make(self._directory)
            sync_directory(self._folder)

        draft = self._directory / "draft"
        try:
            _write(draft, data)
            draft.replace(file)
            sync_directory(self._directory)
        except OSError:
            _remove(draft)
            if file.suffix == ".prepared":
                _remove(file)
            raise


def _write(file: Path, data: bytes) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    except OSError as error:
        # The error of a descriptor names no file, and the user has to know which disk is full.
        error.filename = str(file)
        raise
    finally:
        os.close(handle)


def _remove_oldest(saved: Path) -> None:
    """Remove the oldest directories, so that there is room for one more."""
    entries = sorted(saved.iterdir(), key=lambda entry: entry.stat().st_mtime_ns)
    for entry in entries[: -(_SAVED_LIMIT - 1)]:
        for file in entry.iterdir():
            _remove(file)
        entry.rmdir()


def _make(directory: Path) -> None:
    directory.mkdir(0o700, exist_ok=True)


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
