"""The journal of one root, in the state directory: the batch under way there.

    lock              locked (flock) by the one process that writes below the root
    draft             a batch that is being written; ignored after a crash
    prepared          the batch under way, while its files are unchanged
    committed         the same file, renamed: from then on the batch is completed, and the file
                      stays until the log of changes has recorded the batch
    saved/<id>/       texts of a batch that met a change of another program

A batch is one file, so that it needs one fsync however many files it swaps: a line of JSON, then
the bytes. All effects are calls of functions of `os` or of methods of `Path`: the test that kills a
process at every effect intercepts these.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.changes.ports import JournalDamaged, PendingBatch
from holdfast.changes.swaps import Batch, Content, Swap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_VERSION = 2
_SAVED_LIMIT = 10


class DiskJournal:
    """The journal of one root (port `Journal`); made by `lock_journal`."""

    def __init__(self, directory: Path) -> None:
        """Set the directory, which exists and is locked by this process."""
        self._directory = directory

    def prepare(self, batch: Batch) -> None:
        """Record the batch durably."""
        draft = self._directory / "draft"
        try:
            _write(draft, _pack(batch))
            draft.replace(self._directory / "prepared")
            _sync(self._directory)
        except OSError:
            _remove(draft)
            _remove(self._directory / "prepared")
            raise

    def commit(self) -> None:
        """Record that the files may be changed."""
        (self._directory / "prepared").replace(self._directory / "committed")
        _sync(self._directory)

    def finish(self, batch: Batch) -> None:  # noqa: ARG002 - there is only one under way
        """Remove the batch, which is applied."""
        self.drop()

    def drop(self) -> None:
        """Remove the batch that is under way."""
        _remove(self._directory / "committed")
        _remove(self._directory / "prepared")
        # Otherwise, after a power cut, a rolled-back batch could reappear and be completed.
        _sync(self._directory)

    def pending(self) -> PendingBatch | None:
        """Return the batch under way, or None; raise `JournalDamaged` if it cannot be read."""
        _remove(self._directory / "draft")
        for name, committed in (("committed", True), ("prepared", False)):
            batch = _unpack(self._directory / name)
            if batch is not None:
                return PendingBatch(batch, committed=committed)
        return None

    def save(self, batch: Batch, swaps: Iterable[Swap]) -> str:
        """Write the old and new texts of these swaps to plain files; return their directory."""
        saved = self._directory / "saved"
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


@contextmanager
def lock_journal(state: Path, root: Path) -> Iterator[DiskJournal]:
    """Wait for the root's lock and yield its journal; no other process writes below the root."""
    directory = place_of(state, root)
    directory.mkdir(0o700, parents=True, exist_ok=True)
    lock = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield DiskJournal(directory)
    finally:
        os.close(lock)


def place_of(state: Path, root: Path) -> Path:
    """Return the directory of a root's journal: one for each real path."""
    real = os.fsencode(os.path.realpath(root))
    return state / "roots" / hashlib.sha256(real).hexdigest()[:32]


def _pack(batch: Batch) -> bytes:
    blobs: list[bytes] = []

    def pack_content(content: Content | None) -> dict[str, Any] | None:
        if content is None:
            return None
        blobs.append(content.data)
        return {"size": len(content.data), "mode": content.mode}

    swaps: list[dict[str, Any]] = []
    for swap in batch.swaps:
        before, after = pack_content(swap.before), pack_content(swap.after)
        swaps.append({"path": swap.path, "before": before, "after": after, "modes": swap.modes})
    body = b"".join(blobs)
    head = {
        "version": _VERSION,
        "id": batch.id,
        "rewinds": batch.rewinds,
        "makes": batch.makes,
        "clears": batch.clears,
        "swaps": swaps,
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    return json.dumps(head).encode("ascii") + b"\n" + body


def _unpack(file: Path) -> Batch | None:
    """Return the batch in a file, or None if there is no such file."""
    try:
        head, _, body = file.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    try:
        read: dict[str, Any] = json.loads(head)
    except ValueError as error:
        raise JournalDamaged(str(file)) from error
    if read.get("version") != _VERSION or read.get("sha256") != hashlib.sha256(body).hexdigest():
        raise JournalDamaged(str(file))
    at = 0

    def unpack_content(entry: dict[str, Any] | None) -> Content | None:
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
    return Batch(read["id"], tuple(swaps), makes, clears, read["rewinds"])


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
