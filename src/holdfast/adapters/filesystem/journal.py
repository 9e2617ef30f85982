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

import hashlib
import json
import os
import re
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from holdfast.adapters.filesystem.worktree_lock import UNLOCKED, WorktreeLock, is_at_work
from holdfast.changes.ports import JournalDamaged, PendingBatch
from holdfast.changes.swaps import Batch, Content, Swap
from holdfast.checkpoints.ports import PendingRestore, UnfinishedRestore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_VERSION = 3
_BATCH_BEFORE = 2
"""The version of a batch that names no root: the layout of release 0.1."""
_RESTORE_BEFORE = 1
_SAVED_LIMIT = 10
_ENTRY = re.compile(r"(\d{6,})\.(prepared|batch|restore|done)\Z")
_TEXT_FIELDS = ("undo_id", "undo_commit", "target_id", "target_commit", "verb", "phase", "tree")
_LIST_FIELDS = ("orphans", "kept", "lost")

_Suffix: TypeAlias = Literal["prepared", "batch", "restore", "done"]
_Head: TypeAlias = dict[str, Any]


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
    ) -> None:
        """Set the folder of a worktree, where that is, and the root of batches that are begun.

        `number` is the entry that `commit`, `finish` and `drop` are about, if not one of `prepare`.
        """
        self.lock = lock
        self._folder = folder
        self._directory = folder / "journal"
        self._worktree = worktree
        self._root = root
        self._number = number

    @property
    def nested(self) -> bool:
        """Whether a caller of this use case has the lock too: what is under way is its work."""
        return self.lock.nested

    def is_at_work(self) -> bool:
        """Return whether a command has the lock now, so that what is open may be its work."""
        return is_at_work(self._folder)

    # ------------------------------------------------------------------------------------- a batch

    def prepare(self, batch: Batch) -> None:
        """Record the batch durably."""
        self._number = self._next_number()
        self._write(self._file("prepared"), _pack_batch(batch, self._relative_root(), _now()))

    def commit(self) -> None:
        """Record that the files may be changed."""
        self._file("prepared").replace(self._file("batch"))
        _sync(self._directory)

    def finish(self, batch: Batch) -> None:  # noqa: ARG002 - the journal knows which one it is
        """Remove the batch, which is applied."""
        self.drop()

    def drop(self) -> None:
        """Remove the batch."""
        _remove(self._file("batch"))
        _remove(self._file("prepared"))
        # Otherwise, after a power cut, a rolled-back batch could reappear and be completed.
        _sync(self._directory)

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
        begun_at = _now()
        number = None
        for known in self.restores():
            if known.restore.undo_id == unfinished.undo_id:
                number, begun_at = known.number, known.begun_at
        if number is None:
            number = self._next_number()
        self._write(self._path(number, "restore"), _pack_restore(unfinished, begun_at))

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
            _sync(self._directory)

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
                batch = _read_batch(self._path(number, suffix))
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
                restore = _read_restore(self._path(number, suffix), number)
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
        """Remove the draft of a dead process, and move the entries of an older layout here.

        They follow in the order in which they were written.
        """
        _remove(self._directory / "draft")
        files = list(older.files())
        if not files:
            return
        known = {each.batch.id for each in self.batches()}
        known.update(each.restore.undo_id for each in self.restores())
        done = [self._path(number, suffix) for number, suffix in self._names() if suffix == "done"]
        last = max((_changed(file) for file in done), default=0)
        for file in sorted(files, key=_changed):
            if file.suffix == ".json":
                self._adopt_restore(file, known)
            else:
                self._adopt_batch(file, known, is_old=_changed(file) < last)
            _remove(file)
            _sync(file.parent)

    def _adopt_restore(self, file: Path, known: set[str]) -> None:
        restore = _read_restore(file, 0, _RESTORE_BEFORE)
        if restore is not None and restore.restore.undo_id not in known:
            data = _pack_restore(restore.restore, restore.begun_at)
            self._write(self._path(self._next_number(), "restore"), data)

    def _adopt_batch(self, file: Path, known: set[str], *, is_old: bool) -> None:
        pending = _read_batch(file, _BATCH_BEFORE)
        if pending is None or pending.batch.id in known:
            return
        number = self._next_number()
        if is_old:
            # Before the last restore. No number is free there but this one: counting begins at 1.
            number = 0
        suffix: _Suffix = "prepared"
        if file.name == "committed":
            suffix = "batch"
        data = _pack_batch(pending.batch, self._relative_root(), pending.begun_at)
        self._write(self._path(number, suffix), data)

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
            _sync(self._folder)
        draft = self._directory / "draft"
        try:
            _write(draft, data)
            draft.replace(file)
            _sync(self._directory)
        except OSError:
            _remove(draft)
            if file.suffix == ".prepared":
                _remove(file)
            raise


class OlderJournals:
    """Where release 0.1 wrote its journals: one for each root, and one in each git directory."""

    def __init__(self, state: Path, root: Path, worktree: Path) -> None:
        """Set the state directory, the root that is used, and the worktree around it."""
        named = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
        whole = hashlib.sha256(os.fsencode(worktree)).hexdigest()[:32]
        self._batches = state / "roots" / named
        self._restores = (
            state / "private" / f"{whole}.git" / "holdfast" / "restores",
            _git_directory(worktree) / "holdfast" / "restores",
        )

    def is_there(self) -> bool:
        """Return whether release 0.1 has written below the root."""
        return self._batches.is_dir()

    def files(self) -> Iterator[Path]:
        """Return the entries of journals that are there."""
        for name in ("committed", "prepared"):
            if (self._batches / name).exists():
                yield self._batches / name
        for directory in self._restores:
            if directory.is_dir():
                yield from (file for file in directory.iterdir() if file.suffix == ".json")


def _git_directory(worktree: Path) -> Path:
    """Return the git directory of a worktree, which need not exist."""
    marker = worktree / ".git"
    try:
        named = marker.read_bytes()
    except OSError:
        return marker
    return worktree / os.fsdecode(named.removeprefix(b"gitdir: ").rstrip(b"\n"))


def _changed(file: Path) -> int:
    return file.stat().st_mtime_ns


# ------------------------------------------------------------------------------------- the contents


def _pack_batch(batch: Batch, root: str, begun_at: str) -> bytes:
    blobs: list[bytes] = []

    def pack_content(content: Content | None) -> _Head | None:
        if content is None:
            return None
        blobs.append(content.data)
        return {"size": len(content.data), "mode": content.mode}

    swaps: list[_Head] = []
    for swap in batch.swaps:
        before, after = pack_content(swap.before), pack_content(swap.after)
        swaps.append({"path": swap.path, "before": before, "after": after, "modes": swap.modes})
    head = {
        "root": root,
        "begun_at": begun_at,
        "id": batch.id,
        "rewinds": batch.rewinds,
        "makes": batch.makes,
        "clears": batch.clears,
        "swaps": swaps,
    }
    return _pack(head, b"".join(blobs))


def _read_batch(file: Path, version: int = _VERSION) -> PendingBatch | None:
    """Return the batch in a file, or None if there is no such file any more."""
    found = _read(file, version)
    if found is None:
        return None
    read, body = found
    at = 0

    def unpack_content(entry: _Head | None) -> Content | None:
        nonlocal at
        if entry is None:
            return None
        start = at
        at += entry["size"]
        return Content(body[start:at], entry["mode"])

    swaps: list[Swap] = []
    for entry in read["swaps"]:
        before, after = unpack_content(entry["before"]), unpack_content(entry["after"])
        swaps.append(Swap(entry["path"], before, after, entry["modes"]))
    makes, clears = tuple(read["makes"]), tuple(read["clears"])
    batch = Batch(read["id"], tuple(swaps), makes, clears, read["rewinds"])
    begun_at = read.get("begun_at") or _written(file)
    return PendingBatch(batch, committed=False, root=read.get("root", ""), begun_at=begun_at)


def _pack_restore(unfinished: UnfinishedRestore, begun_at: str) -> bytes:
    return _pack(asdict(unfinished) | {"begun_at": begun_at}, b"")


def _read_restore(file: Path, number: int, version: int = _VERSION) -> PendingRestore | None:
    """Return the restore in a file, or None if there is no such file any more."""
    found = _read(file, version)
    if found is None:
        return None
    fields, _ = found
    begun_at = fields.pop("begun_at", None) or _written(file)
    for name in ("version", "sha256"):
        fields.pop(name, None)
    try:
        for name in _LIST_FIELDS:
            fields[name] = tuple(fields[name])
        if not _has_valid_types(fields):
            raise JournalDamaged(str(file))
        return PendingRestore(number, begun_at, UnfinishedRestore(**fields))
    except (KeyError, TypeError) as error:
        raise JournalDamaged(str(file)) from error


def _has_valid_types(fields: _Head) -> bool:
    texts = [fields[name] for name in _TEXT_FIELDS]
    for name in _LIST_FIELDS:
        texts.extend(fields[name])
    return all(isinstance(text, str) for text in texts)


def _pack(head: _Head, body: bytes) -> bytes:
    """Return a line of JSON, then the bytes."""
    checked = {"version": _VERSION, "sha256": hashlib.sha256(body).hexdigest()}
    return json.dumps(checked | head).encode("ascii") + b"\n" + body


def _read(file: Path, version: int) -> tuple[_Head, bytes] | None:
    """Return the line of JSON and the bytes, or None if there is no such file any more."""
    try:
        line, _, body = file.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    try:
        head: Any = json.loads(line)
    except ValueError as error:
        raise JournalDamaged(str(file)) from error
    if not isinstance(head, dict) or head.get("version") != version:
        raise JournalDamaged(str(file))
    # An entry of release 0.1 for a restore has no bytes, and no hash of them.
    if head.get("sha256", _NOTHING) != hashlib.sha256(body).hexdigest():
        raise JournalDamaged(str(file))
    return head, body


_NOTHING = hashlib.sha256(b"").hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _written(file: Path) -> str:
    """Return when a file was written; now, if it is gone."""
    try:
        seconds = file.stat().st_mtime
    except FileNotFoundError:
        return _now()
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


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


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
