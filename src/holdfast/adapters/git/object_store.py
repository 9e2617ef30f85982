"""Objects of a private repository that this process reads and writes itself, without git."""

from __future__ import annotations

import hashlib
import os
import zlib
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem import atomic_write

if TYPE_CHECKING:
    from pathlib import Path


class ObjectStore:
    """The loose objects of one repository."""

    def __init__(self, objects: Path, algorithm: str) -> None:
        """Use an `objects` directory, and the hash that its repository has."""
        self._objects = objects
        self._algorithm = algorithm

    def write(self, kind: str, body: bytes) -> str:
        """Write an object durably; return its id."""
        data = b"%s %d\0%s" % (kind.encode("ascii"), len(body), body)
        oid = hashlib.new(self._algorithm, data).hexdigest()
        file = self._file_of(oid)
        if not file.exists():
            file.parent.mkdir(0o700, exist_ok=True)
            atomic_write.put(file, zlib.compress(data, 1), sync=True)
        return oid

    def read(self, oid: str) -> bytes | None:
        """Return the body of a loose object; None if it is packed, damaged or missing."""
        try:
            data = zlib.decompress(self._file_of(oid).read_bytes())
        except (OSError, zlib.error):
            return None
        return data.partition(b"\0")[2]

    def _file_of(self, oid: str) -> Path:
        return self._objects / oid[:2] / oid[2:]


def blob_id(data: bytes, algorithm: str) -> str:
    """Return the id of a blob with this content."""
    return hashlib.new(algorithm, b"blob %d\0%s" % (len(data), data)).hexdigest()


def algorithm_of(oid: str) -> str:
    """Return the hash that makes ids of this length."""
    if len(oid) == 40:
        return "sha1"
    return "sha256"


def commit_body(tree: str, parents: tuple[str, ...], seconds: int, message: str) -> bytes:
    """Return the body of a commit by Holdfast."""
    person = f"Holdfast <holdfast@localhost> {seconds} +0000"
    lines = [f"tree {tree}"]
    lines += [f"parent {parent}" for parent in parents]
    lines += [f"author {person}", f"committer {person}", "", message]
    return os.fsencode("\n".join(lines))
