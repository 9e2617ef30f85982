"""Pack files: many objects in one file, which is several times faster than a file for each."""

from __future__ import annotations

import mmap
import struct
import zlib
from typing import TYPE_CHECKING, BinaryIO

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.objects.object_id import digest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_INDEX_HEADER = b"\xfftOc\x00\x00\x00\x02"
_FANOUT = struct.Struct(">256I")
# The bit of an offset beyond two gigabytes, which is in another table.
_FAR = 1 << 31
_PIECE = 4096
_KINDS = {"commit": 1, "tree": 2, "blob": 3}


class PackedObject:
    """An object as a pack has it."""

    __slots__ = ("data", "oid")

    def __init__(self, oid: bytes, kind: str, body: bytes) -> None:
        """Compress an object."""
        self.oid = oid
        self.data = _header(kind, len(body)) + zlib.compress(body, 1)


def write_pack(directory: Path, objects: Sequence[PackedObject], hash_size: int) -> None:
    """Write a pack durably. The index of a pack comes last: git finds a pack by its index."""
    header = struct.pack(">4sII", b"PACK", 2, len(objects))
    body = b"".join((header, *(each.data for each in objects)))
    checksum = digest(body, hash_size)
    index = _encode_index(objects, len(header), checksum)
    name = f"pack-{checksum.hex()}"
    atomic_write.put(directory / f"{name}.pack", body + checksum, sync=True)
    atomic_write.put(directory / f"{name}.idx", index + digest(index, hash_size), sync=True)


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


def _read_object(pack: BinaryIO) -> bytes | None:
    """Read the object that begins here; return None for a difference to another one."""
    byte = pack.read(1)[0]
    kind = byte >> 4 & 0x07
    if kind not in _KINDS.values():
        return None
    while byte & 0x80:
        byte = pack.read(1)[0]
    decompressor = zlib.decompressobj()
    pieces: list[bytes] = []
    while not decompressor.eof:
        pieces.append(decompressor.decompress(pack.read(_PIECE)))
    return b"".join(pieces)


class PackIndex:
    """The ids of the objects in one pack."""

    def __init__(self, file: Path, hash_size: int) -> None:
        """Map the index of a pack; one of another version has no ids here."""
        self._pack = file.with_suffix(".pack")
        self._hash_size = hash_size
        self._data: mmap.mmap | bytes = b""
        with file.open("rb") as handle:
            if handle.read(len(_INDEX_HEADER)) == _INDEX_HEADER:
                self._data = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)

    def __contains__(self, oid: bytes) -> bool:
        """Return whether the pack has an object."""
        return self._find(oid) is not None

    def read(self, oid: bytes) -> bytes | None:
        """Return the body of an object; None if it is not here, or a difference to another one."""
        position = self._find(oid)
        if position is None:
            return None
        # After the ids come the checksums of all objects, four bytes each, then their offsets.
        count = self._count_until(255)
        offsets = len(_INDEX_HEADER) + _FANOUT.size + count * (self._hash_size + 4)
        start = offsets + 4 * position
        offset = int.from_bytes(self._data[start : start + 4], "big")
        if offset & _FAR:
            return None
        with self._pack.open("rb") as pack:
            pack.seek(offset)
            return _read_object(pack)

    def _find(self, oid: bytes) -> int | None:
        """Return the position of an object among all that are here."""
        if not self._data:
            return None
        first = oid[0]
        begin = 0
        if first:
            begin = self._count_until(first - 1)
        ids = len(_INDEX_HEADER) + _FANOUT.size
        start = ids + begin * self._hash_size
        end = ids + self._count_until(first) * self._hash_size
        # Few ids start with this byte: a search in their bytes is faster than a bisection.
        found = self._data.find(oid, start, end)
        while found >= 0 and (found - ids) % self._hash_size:
            found = self._data.find(oid, found + 1, end)
        if found < 0:
            return None
        return (found - ids) // self._hash_size

    def _count_until(self, first_byte: int) -> int:
        start = len(_INDEX_HEADER) + 4 * first_byte
        return int.from_bytes(self._data[start : start + 4], "big")
