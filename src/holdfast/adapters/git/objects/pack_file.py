"""Pack files: many objects in one file, which is several times faster than a file for each."""

from __future__ import annotations

import mmap
import struct
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.objects.object_id import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_INDEX_HEADER = b"\xfftOc\x00\x00\x00\x02"
_FANOUT = struct.Struct(">256I")
# The bit of an offset beyond two gigabytes, which is in another table.
_FAR = 1 << 31
_PIECE = 4096
_KINDS = {"commit": 1, "tree": 2, "blob": 3}
_HEADER = struct.Struct(">4sII")
# Git finds packs by their ending. The packs with another name are links to the user's.
_OWN_PREFIX = "pack-holdfast-"


class PackedObject:
    """An object as a pack has it: its kind and its size, and its compressed body."""

    __slots__ = ("data", "oid")

    def __init__(self, oid: bytes, data: bytes) -> None:
        """Use the data of an object in a pack."""
        self.oid = oid
        self.data = data


def pack_object(oid: bytes, kind: str, body: bytes) -> PackedObject:
    """Return an object as a pack has it."""
    return PackedObject(oid, _header(kind, len(body)) + zlib.compress(body, 1))


def write_pack(directory: Path, objects: Sequence[PackedObject], hash_size: int) -> Path:
    """Write a pack durably; return its index, which comes last: git finds a pack by its index."""
    header = _HEADER.pack(b"PACK", 2, len(objects))
    body = b"".join((header, *(each.data for each in objects)))
    checksum = digest(body, hash_size)
    index = _encode_index(objects, len(header), checksum)
    name = f"{_OWN_PREFIX}{checksum.hex()}"
    atomic_write.put(directory / f"{name}.pack", body + checksum, sync=True)
    file = directory / f"{name}.idx"
    atomic_write.put(file, index + digest(index, hash_size), sync=True)
    return file


def merge_packs(directory: Path, packs: Sequence[PackIndex], hash_size: int) -> None:
    """Write one pack with all objects of these packs, which `write_pack` wrote, and remove these.

    A process that was killed may have left packs that have the same objects; one of these may be
    the very pack that is written.
    """
    objects: dict[bytes, PackedObject] = {}
    for pack in packs:
        objects.update({each.oid: each for each in pack.objects()})

    merged = write_pack(directory, list(objects.values()), hash_size)
    for pack in packs:
        if pack.file != merged:
            pack.remove()


def _encode_index(objects: Sequence[PackedObject], position: int, checksum: bytes) -> bytes:
    """Return the index of a pack without its own checksum; the first object is at a position."""
    places: list[tuple[bytes, bytes, bytes]] = []
    for each in objects:
        crc = zlib.crc32(each.data).to_bytes(4, "big")
        places.append((each.oid, crc, position.to_bytes(4, "big")))
        position += len(each.data)

    places.sort()
    counts = [0] * 256
    for oid, _, _ in places:
        counts[oid[0]] += 1

    for number in range(1, 256):
        counts[number] += counts[number - 1]

    oids, crcs, offsets = zip(*places, strict=True)
    return b"".join((_INDEX_HEADER, _FANOUT.pack(*counts), *oids, *crcs, *offsets, checksum))


def _header(kind: str, size: int) -> bytes:
    """Return the kind and the size of an object: four bits, then seven in each byte."""
    byte = _KINDS[kind] << 4 | size & 0x0F
    size >>= 4
    encoded = bytearray()
    while size:
        encoded.append(byte | 0x80)
        byte = size & 0x7F
        size >>= 7

    encoded.append(byte)
    return bytes(encoded)


def inflate(file: BinaryIO, at_most: int) -> bytes | None:
    """Return what is compressed from here on; None if it is more than this, or cut off."""
    decompressor = zlib.decompressobj()
    pieces: list[bytes] = []
    size = 0
    while not decompressor.eof:
        compressed = file.read(_PIECE)
        pieces.append(decompressor.decompress(compressed))
        size += len(pieces[-1])
        if not compressed or size > at_most:
            return None

    return b"".join(pieces)


def _read_object(pack: BinaryIO, at_most: int) -> bytes | None:
    """Read the object that begins here; return None for a difference to another one."""
    byte = pack.read(1)[0]
    kind = byte >> 4 & 0x07
    if kind not in _KINDS.values():
        return None

    while byte & 0x80:
        byte = pack.read(1)[0]

    return inflate(pack, at_most)


class PackIndex:
    """The ids of the objects in one pack."""

    def __init__(self, file: Path, hash_size: int) -> None:
        """Map the index of a pack; one of another version has no ids here."""
        self.file = file
        self._pack = file.with_suffix(".pack")
        self._hash_size = hash_size
        self._data: mmap.mmap | bytes = b""
        self._counts: tuple[int, ...] = ()
        with file.open("rb") as handle:
            if handle.read(len(_INDEX_HEADER)) == _INDEX_HEADER:
                self._data = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
                # How many ids start with this byte or a smaller one; before the first byte none.
                self._counts = (0, *_FANOUT.unpack_from(self._data, len(_INDEX_HEADER)))

    def __contains__(self, oid: bytes) -> bool:
        """Return whether the pack has an object."""
        return self._find(oid) is not None

    def read(self, oid: bytes, at_most: int) -> bytes | None:
        """Return the body of an object.

        Return None if it is not here, larger than this, or a difference to another one.
        """
        position = self._find(oid)
        if position is None:
            return None

        start = self._offsets_at() + 4 * position
        offset = int.from_bytes(self._data[start : start + 4], "big")
        if offset & _FAR:
            return None

        try:
            with self._pack.open("rb") as pack:
                pack.seek(offset)
                return _read_object(pack, at_most)
        except (OSError, IndexError, zlib.error):
            # It was merged with others meanwhile, or is damaged.
            return None

    def is_own(self, below: int) -> bool:
        """Return whether `write_pack` wrote this pack, and its size is below this one."""
        return self.file.name.startswith(_OWN_PREFIX) and self._pack.stat().st_size < below

    def objects(self) -> Iterator[PackedObject]:
        """Yield all objects of a pack that `write_pack` wrote."""
        count = self._counts[-1]
        data = self._pack.read_bytes()
        ids = len(_INDEX_HEADER) + _FANOUT.size
        offsets = struct.unpack_from(f">{count}I", self._data, self._offsets_at())
        order = sorted(range(count), key=offsets.__getitem__)
        ends = [*(offsets[position] for position in order), len(data) - self._hash_size]
        for position, (begin, end) in zip(order, pairwise(ends), strict=True):
            start = ids + position * self._hash_size
            yield PackedObject(self._data[start : start + self._hash_size], data[begin:end])

    def remove(self) -> None:
        """Remove the pack; its index first, so that git does not look for the pack any more."""
        atomic_write.drop(self.file)
        atomic_write.drop(self._pack)

    def _offsets_at(self) -> int:
        """Return where the offsets begin: after the ids and the checksums, four bytes each."""
        count = self._counts[-1]
        return len(_INDEX_HEADER) + _FANOUT.size + count * (self._hash_size + 4)

    def _find(self, oid: bytes) -> int | None:
        """Return the position of an object among all that are here."""
        if not self._data:
            return None

        first = oid[0]
        ids = len(_INDEX_HEADER) + _FANOUT.size
        start = ids + self._counts[first] * self._hash_size
        end = ids + self._counts[first + 1] * self._hash_size
        # Few ids start with this byte: a search in their bytes is faster than a bisection.
        found = self._data.find(oid, start, end)
        while found >= 0 and (found - ids) % self._hash_size:
            found = self._data.find(oid, found + 1, end)

        if found < 0:
            return None

        return (found - ids) // self._hash_size
