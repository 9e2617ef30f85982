"""The contents of a journal entry: a line of JSON, then the bytes of the files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.changes.ports import JournalDamaged, PendingBatch
from holdfast.changes.swaps import Batch, Content, Swap
from holdfast.checkpoints.ports import PendingRestore, UnfinishedRestore

if TYPE_CHECKING:
    from pathlib import Path

_VERSION = 3
_TEXT_FIELDS = ("undo_id", "undo_commit", "target_id", "target_commit", "verb", "phase", "tree")
_LIST_FIELDS = ("orphans", "kept", "lost")

_Head: TypeAlias = dict[str, Any]


def pack_batch(batch: Batch, root: str, begun_at: str) -> bytes:
    """Return the contents of the entry of a batch, whose root is relative to the worktree."""
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
        "others": batch.others,
        "modes": dict(batch.modes),
        "swaps": swaps,
    }
    return _pack(head, b"".join(blobs))


def read_batch(file: Path, version: int = _VERSION) -> PendingBatch | None:
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
    others = tuple(read.get("others", ()))
    modes = tuple(read.get("modes", {}).items())
    batch = Batch(read["id"], tuple(swaps), makes, clears, read["rewinds"], others, modes)
    begun_at = read.get("begun_at") or _written(file)
    return PendingBatch(batch, committed=False, root=read.get("root", ""), begun_at=begun_at)


def pack_restore(unfinished: UnfinishedRestore, begun_at: str) -> bytes:
    """Return the contents of the entry of a restore."""
    return _pack(asdict(unfinished) | {"begun_at": begun_at}, b"")


def read_restore(file: Path, number: int, version: int = _VERSION) -> PendingRestore | None:
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


def now() -> str:
    """Return the time as ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _written(file: Path) -> str:
    """Return when a file was written; now, if it is gone."""
    try:
        seconds = file.stat().st_mtime
    except FileNotFoundError:
        return now()
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
