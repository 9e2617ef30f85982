"""Objects of a private repository that this process reads and writes itself, without git."""

from __future__ import annotations

import hashlib
import os
import zlib
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.objects.object_id import object_id
from holdfast.adapters.git.objects.object_links import find_object_directories
from holdfast.adapters.git.objects.pack_file import (
    PackedObject,
    PackIndex,
    inflate,
    merge_packs,
    pack_object,
    write_pack,
)
from holdfast.checkpoints.limits import MEGABYTE
from holdfast.checkpoints.ports import CheckpointFailed

if TYPE_CHECKING:
    from pathlib import Path

# From this many objects on, one pack is several times faster to write than a file for each: most of
# these would need a new directory.
_MANY_OBJECTS = 4
# From this many packs of less than this size on, one pack is faster to read, for git too.
_MANY_PACKS = 10
_SMALL_PACK = 4 * MEGABYTE
# More than this is not kept in memory: what waits is written, and a large file goes to the disk
# piece by piece.
_WAITING_SIZE = 32 * MEGABYTE
LARGE_FILE = 8 * MEGABYTE
_PIECE = MEGABYTE
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC


class ObjectStore:
    """The objects of one repository."""

    def __init__(self, git_dir: Path, algorithm: str) -> None:
        """Use the objects of a git directory, and the hash that its repository has."""
        self.algorithm = algorithm
        self.hash_size = hashlib.new(algorithm).digest_size
        self._git_dir = git_dir
        self._objects = git_dir / "objects"
        self._prefix = f"{self._objects}/"
        self._packs: dict[Path, tuple[int, list[PackIndex]]] = {}

    def write(self, kind: str, body: bytes) -> str:
        """Write an object durably; return its id."""
        data = b"%s %d\0%s" % (kind.encode("ascii"), len(body), body)
        oid = hashlib.new(self.algorithm, data).hexdigest()
        file = self._file_of(oid)
        if not file.exists():
            file.parent.mkdir(0o700, exist_ok=True)
            atomic_write.put(file, zlib.compress(data, 1), sync=True)

        return oid

    def write_loose(self, oid: str, compressed: bytes) -> None:
        """Write a file for one object."""
        # No `Path`: a snapshot writes some three objects for each changed file.
        file = f"{self._prefix}{oid[:2]}/{oid[2:]}"
        draft = f"{file}.draft"
        try:
            handle = os.open(draft, _CREATE, 0o600)
        except FileNotFoundError:
            os.mkdir(f"{self._prefix}{oid[:2]}", 0o700)  # noqa: PTH102 - see above
            handle = os.open(draft, _CREATE, 0o600)

        try:
            rest = memoryview(compressed)
            while rest:
                rest = rest[os.write(handle, rest) :]
        finally:
            os.close(handle)

        os.replace(draft, file)  # noqa: PTH105 - see above

    def write_large(self, source: int) -> bytes:
        """Write the blob of an open file piece by piece; return its id."""
        draft = self._objects / "large.draft"
        size = os.fstat(source).st_size
        header = b"blob %d\0" % size
        hashed = hashlib.new(self.algorithm, header)
        compressor = zlib.compressobj(1)
        with draft.open("wb") as target:
            target.write(compressor.compress(header))
            while piece := os.read(source, min(_PIECE, size)):
                # No byte more than the header says, if the file grows meanwhile.
                size -= len(piece)
                hashed.update(piece)
                target.write(compressor.compress(piece))
            target.write(compressor.flush())

        if size:
            raise CheckpointFailed("a large file became shorter while it was read; try again.")

        self._rename(draft, hashed.hexdigest())
        return hashed.digest()

    def _rename(self, draft: Path, oid: str) -> None:
        file = self._file_of(oid)
        file.parent.mkdir(0o700, exist_ok=True)
        draft.replace(file)

    def read(self, oid: str, at_most: int = LARGE_FILE) -> bytes | None:
        """Return the body of a loose object; None if it is packed, damaged, missing or larger."""
        try:
            with open(f"{self._prefix}{oid[:2]}/{oid[2:]}", "rb") as file:  # noqa: PTH123 - see above
                data = inflate(file, at_most)
        except (OSError, zlib.error):
            return None

        if data is None:
            return None

        return data.partition(b"\0")[2]

    def batch(self) -> ObjectBatch:
        """Return a new batch of objects to write."""
        return ObjectBatch(self, find_object_directories(self._git_dir))

    def packs_in(self, directory: Path) -> list[PackIndex]:
        """Return the packs in a directory; they are opened once while the directory is the same."""
        try:
            changed_at = directory.stat().st_mtime_ns
        except FileNotFoundError:
            return []

        known = self._packs.get(directory)
        if known is None or known[0] != changed_at:
            packs = [PackIndex(file, self.hash_size) for file in directory.glob("*.idx")]
            known = self._packs[directory] = (changed_at, packs)

        return known[1]

    def write_packed(self, objects: list[PackedObject]) -> None:
        """Write a pack with these objects."""
        write_pack(self._objects / "pack", objects, self.hash_size)
        # The time of the directory may not have changed since it was read.
        self._packs.clear()

    def merge_packs(self) -> None:
        """Put the small packs of this store into one, if there are many."""
        directory = self._objects / "pack"
        small = [pack for pack in self.packs_in(directory) if pack.is_own(below=_SMALL_PACK)]
        if len(small) >= _MANY_PACKS:
            merge_packs(directory, small, self.hash_size)
            self._packs.clear()

    def _file_of(self, oid: str) -> Path:
        return self._objects / oid[:2] / oid[2:]


class ObjectBatch:
    """Objects that are written together: a few as a file each, many as one pack.

    As git does by default, it makes only packs durable.
    """

    def __init__(self, store: ObjectStore, directories: tuple[Path, ...]) -> None:
        """Write only objects that none of these object directories has."""
        self._store = store
        self._prefixes = [f"{directory}/" for directory in directories]
        self._packs: list[PackIndex] = []
        for directory in directories:
            self._packs += store.packs_in(directory / "pack")

        self._waiting: dict[bytes, tuple[str, bytes]] = {}
        self._size = 0
        self._fanout: list[tuple[str, frozenset[str]]] = []

    def add(self, kind: str, body: bytes) -> bytes:
        """Add an object; return its id."""
        oid = object_id(kind, body, self._store.hash_size)
        if oid not in self._waiting and not self.exists(oid):
            self._waiting[oid] = (kind, body)
            self._size += len(body)

        if self._size > _WAITING_SIZE:
            self.flush()

        return oid

    def add_large(self, source: int) -> bytes:
        """Write the blob of a large file, which is open, at once; return its id."""
        return self._store.write_large(source)

    def flush(self) -> None:
        """Write the objects that were added."""
        waiting, self._waiting, self._size = self._waiting, {}, 0
        if len(waiting) >= _MANY_OBJECTS:
            packed = [pack_object(oid, kind, body) for oid, (kind, body) in waiting.items()]
            self._store.write_packed(packed)
            return

        for oid, (kind, body) in waiting.items():
            data = b"%s %d\0%s" % (kind.encode("ascii"), len(body), body)
            self._store.write_loose(oid.hex(), zlib.compress(data, 1))

    def read(self, oid: bytes, at_most: int = LARGE_FILE) -> bytes | None:
        """Return the body of an object.

        Return None if it is missing or larger than this, or if only git can read it.
        """
        for pack in self._packs:
            body = pack.read(oid, at_most)
            if body is not None:
                return body
        return self._store.read(oid.hex(), at_most)

    def exists(self, oid: bytes) -> bool:
        """Return whether the repository has an object already."""
        for pack in self._packs:
            if oid in pack:
                return True

        if not self._fanout:
            # Most objects are packed, so that few directories of loose ones exist.
            listed = [frozenset(os.listdir(prefix)) for prefix in self._prefixes]  # noqa: PTH208 - see above
            self._fanout = list(zip(self._prefixes, listed, strict=True))

        name = oid.hex()
        first = name[:2]
        for prefix, directories in self._fanout:
            if first in directories and os.path.exists(f"{prefix}{first}/{name[2:]}"):  # noqa: PTH110 - see above
                return True

        return False


def commit_body(tree: str, parents: tuple[str, ...], seconds: int, message: str) -> bytes:
    """Return the body of a commit by Holdfast."""
    person = f"Holdfast <holdfast@localhost> {seconds} +0000"
    lines = [f"tree {tree}"]
    lines += [f"parent {parent}" for parent in parents]
    lines += [f"author {person}", f"committer {person}", "", message]
    return os.fsencode("\n".join(lines))
