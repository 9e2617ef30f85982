"""The journal of one root, in the state directory: what is under way there.

    lock              held (flock) by the one process that writes below the root
    draft             a batch that is being written down; worth nothing
    prepared          the batch under way, while its files are untouched
    committed         the same file, renamed: from then on the batch goes forward, until the log of changes knows
    saved/<id>/       texts of a batch that met somebody else's change

A batch is one file, so that it takes one fsync however many files it swaps: a line of JSON, then the bytes. All
effects are calls of functions of `os`, of Path's methods or by their name: the test that kills a process at every
effect finds them there.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.changes.ports import JournalDamaged, PendingBatch
from holdfast.changes.swaps import Batch, Content, Swap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_VERSION = 2
_SAVED_KEPT = 10


class DiskJournal:
    """The journal of one root (port `Journal`); made by `lock_journal`."""

    def __init__(self, directory: Path) -> None:
        """Take a directory that is there and whose lock is held."""
        self._directory = directory

    def prepare(self, batch: Batch) -> None:
        """Record the batch, durably."""
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
        """Record that the files may be touched."""
        (self._directory / "prepared").replace(self._directory / "committed")
        _sync(self._directory)

    def finish(self, batch: Batch) -> None:  # noqa: ARG002 - there is only one under way
        """Forget the batch, which is done."""
        self.drop()

    def drop(self) -> None:
        """Forget the batch that is under way."""
        _remove(self._directory / "committed")
        _remove(self._directory / "prepared")
        # Else, after a power cut, a batch that was taken back could be there again and go forward.
        _sync(self._directory)

    def pending(self) -> PendingBatch | None:
        """Give the batch that is under way; raises `JournalDamaged` if it cannot be read."""
        _remove(self._directory / "draft")
        for name, committed in (("committed", True), ("prepared", False)):
            batch = _unpack(self._directory / name)
            if batch is not None:
                return PendingBatch(batch, committed=committed)
        return None

    def save(self, batch: Batch, swaps: Iterable[Swap]) -> str:
        """Keep the old and new texts of these swaps as plain files, and say in which directory."""
        saved = self._directory / "saved"
        _make(saved)
        kept = sorted(saved.iterdir(), key=lambda entry: entry.stat().st_mtime_ns)
        for entry in kept[: -(_SAVED_KEPT - 1)]:
            for file in entry.iterdir():
                _remove(file)
            entry.rmdir()
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
    """Wait for the root's lock and give its journal; no other process writes below the root until the end."""
    directory = place_of(state, root)
    directory.mkdir(0o700, parents=True, exist_ok=True)
    lock = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield DiskJournal(directory)
    finally:
        os.close(lock)


def place_of(state: Path, root: Path) -> Path:
    """Say where the journal of a root is: one directory for each real path."""
    return state / "roots" / hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]


def _pack(batch: Batch) -> bytes:
    blobs: list[bytes] = []

    def put_by(content: Content | None) -> dict[str, Any] | None:
        if content is None:
            return None
        blobs.append(content.data)
        return {"size": len(content.data), "mode": content.mode}

    swaps = [
        {"path": s.path, "before": put_by(s.before), "after": put_by(s.after), "modes": s.modes}
        for s in batch.swaps
    ]
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
    """Read a batch; None if there is no such file."""
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

    def take(entry: dict[str, Any] | None) -> Content | None:
        nonlocal at
        if entry is None:
            return None
        at += entry["size"]
        return Content(body[at - entry["size"] : at], entry["mode"])

    swaps = tuple(
        Swap(each["path"], take(each["before"]), take(each["after"]), each["modes"])
        for each in read["swaps"]
    )
    return Batch(read["id"], swaps, tuple(read["makes"]), tuple(read["clears"]), read["rewinds"])


def _write(file: Path, data: bytes) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    except OSError as error:
        # To write to a handle names no file, and on which disk there is no room is what one has to know.
        error.filename = str(file)
        raise
    finally:
        os.close(handle)


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
