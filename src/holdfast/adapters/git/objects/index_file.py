"""Git's index file, read and written in this process.

To start git for it costs a third of a `git status`. Here is only what the private index needs:
versions 2 and 3, and of the extensions the cached trees. Git converts an index of another kind
(`PrivateIndex.load`).
"""

from __future__ import annotations

import stat
import struct
from bisect import bisect_left
from typing import TYPE_CHECKING

from holdfast.adapters.git.objects.object_id import digest
from holdfast.adapters.git.objects.tree_cache import (
    CachedTrees,
    encode_trees,
    parent_directories,
    parse_trees,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

_SIGNATURE = b"DIRC"
_PLAIN_VERSION = 2
_EXTENDED_VERSION = 3
_HEADER = struct.Struct(">4sII")
_EXTENSION = struct.Struct(">4sI")
# Both times in seconds and nanoseconds, device, inode, mode, owner, group, size.
_STAT = struct.Struct(">10I")
_MODE = slice(24, 28)
_TREES = b"TREE"
_WORD = 0xFFFFFFFF
# The bits of the flags.
_ASSUMED = 0x80
_EXTENDED = 0x40
_STAGES = 0x30
_LONGEST_NAME = 0xFFF
# How many entries are compared at once.
_GROUP = 64
# The bits of the extended flags.
_SKIPPED = 0x40
_INTENDED = 0x20

REGULAR = 0o100644
EXECUTABLE = 0o100755
LINK = 0o120000
GITLINK = 0o160000


class UnknownIndexError(Exception):
    """The index has a version or an extension that only git can read, or is damaged."""


class IndexFile:
    """The entries of an index in their order, and the trees that are known of it."""

    def __init__(
        self,
        data: bytes,
        starts: list[int],
        hash_size: int,
        trees: CachedTrees,
        *,
        is_extended: bool,
    ) -> None:
        """Use the bytes of an index; the last of `starts` is where its entries end.

        `is_extended`: entries may have the flags of version 3.
        """
        self.hash_size = hash_size
        self.trees = trees
        self._is_extended = is_extended
        self._data = data
        self._starts = starts
        self._flags = _STAT.size + hash_size
        self._paths: list[bytes] = []

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._starts) - 1

    def __getitem__(self, position: int) -> bytes:
        """Return the path of an entry."""
        return self.path_at(position)

    # -------------------------------------------------------------------------------------- read

    def path_at(self, position: int) -> bytes:
        """Return the path of an entry."""
        start = self._starts[position]
        begin = start + self._flags + 2
        if self._data[start + self._flags] & _EXTENDED:
            begin += 2
        return self._data[begin : self._data.index(b"\0", begin)]

    def mode_at(self, position: int) -> int:
        """Return the mode of an entry, as a tree has it."""
        start = self._starts[position]
        return int.from_bytes(self._data[start + _MODE.start : start + _MODE.stop], "big")

    def oid_at(self, position: int) -> bytes:
        """Return the object of an entry."""
        start = self._starts[position] + _STAT.size
        return self._data[start : start + self.hash_size]

    def is_intended(self, position: int) -> bool:
        """Return whether an entry is one of `git add -N`, which no tree has."""
        return bool(self._extended_flags(position) & _INTENDED)

    def intended(self) -> list[bytes]:
        """Return the paths of `git add -N`."""
        return [self.path_at(position) for position in self.flagged() if self.is_intended(position)]

    def paths(self) -> list[bytes]:
        """Return all paths, in their order."""
        if not self._paths:
            data, name_at = self._data, self._flags + 2
            # Without calls, but for the few entries with more flags.
            begins = [start + name_at for start in self._starts[:-1]]
            self._paths = [data[begin : data.index(b"\0", begin)] for begin in begins]
            for position in self.flagged():
                self._paths[position] = self.path_at(position)

        return self._paths

    def is_skipped(self, position: int) -> bool:
        """Return whether a sparse checkout keeps the file of an entry off the disk."""
        return bool(self._extended_flags(position) & _SKIPPED)

    def gitlinks(self) -> list[int]:
        """Return the positions of submodules."""
        # Of the four bytes of the mode the third has the kind of the entry.
        at, kind = _MODE.start + 2, GITLINK >> 8
        starts = enumerate(self._starts[:-1])
        return [position for position, start in starts if self._data[start + at] == kind]

    def is_merging(self) -> bool:
        """Return whether an entry is a stage of a merge."""
        return any(self._data[start + self._flags] & _STAGES for start in self._starts[:-1])

    def flagged(self) -> list[int]:
        """Return the positions of entries with flags that keep git from comparing the file."""
        at, bits = self._flags, _ASSUMED | _EXTENDED
        starts = enumerate(self._starts[:-1])
        return [position for position, start in starts if self._data[start + at] & bits]

    def is_same_in(self, data: bytes, first: int, last: int) -> bool:
        """Return whether these bytes of an index have the same entries from first to last."""
        begin, end = self._starts[first], self._starts[last]
        return self._data[begin:end] == data[begin:end]

    def _extended_flags(self, position: int) -> int:
        start = self._starts[position] + self._flags
        if self._data[start] & _EXTENDED:
            return self._data[start + 2]
        return 0

    def _find(self, path: bytes) -> int:
        """Return the position of the first entry that is not before a path."""
        return bisect_left(self._paths or self, path)

    # ------------------------------------------------------------------------------------ change

    def with_trees(self, trees: CachedTrees) -> IndexFile:
        """Return a copy with these trees."""
        return self._copy(self._data, self._starts, trees)

    def with_entries(self, changes: Mapping[bytes, bytes | None]) -> IndexFile:
        """Return a copy with these entries, as `encode_entry` returns them; None removes a path.

        A file replaces a directory, a directory a file, and each all stages of a merge.
        """
        data = self._with_replaced(changes)
        if data is not None:
            return self._copy(data, self._starts, self.trees.without_parents(changes))

        if len(changes) * _GROUP > len(self):
            self.paths()

        all_changes = {**self._removals_for(changes), **changes}
        pieces = _Pieces(self._data, self._starts)
        for path in sorted(all_changes):
            first = self._find(path)
            pieces.copy_until(first)
            pieces.skip_until(self._end_of(path, first))
            entry = all_changes[path]
            if entry is not None:
                pieces.add(entry)

        pieces.copy_until(len(self))
        trees = self.trees.without_parents(all_changes)
        return self._copy(pieces.data(), pieces.starts, trees)

    def _with_replaced(self, changes: Mapping[bytes, bytes | None]) -> bytes | None:
        """Return the data with other entries for files that are in it; None for other changes."""
        if len(changes) * _GROUP > len(self):
            return None

        data = bytearray(self._data)
        for path, entry in changes.items():
            position = self._find(path)
            if entry is None or not self._is_plain(position, path):
                return None
            start, end = self._starts[position], self._starts[position + 1]
            if end - start != len(entry):
                return None
            data[start:end] = entry

        return bytes(data)

    def _is_plain(self, position: int, path: bytes) -> bool:
        """Return whether an entry is the only one of a path: no stage of a merge."""
        if position == len(self) or self.path_at(position) != path:
            return False
        return not self._data[self._starts[position] + self._flags] & _STAGES

    def _removals_for(self, changes: Mapping[bytes, bytes | None]) -> dict[bytes, None]:
        """Return the entries that cannot stay beside new ones: their parents, and what is below."""
        removed: dict[bytes, None] = {}
        added = [path for path, entry in changes.items() if entry is not None]
        for directory in parent_directories(added):
            name = directory.removesuffix(b"/")
            if self._has(name):
                removed[name] = None

        for path in added:
            below = path + b"/"
            position = self._find(below)
            while position < len(self) and self.path_at(position).startswith(below):
                removed[self.path_at(position)] = None
                position += 1

        return removed

    def _has(self, path: bytes) -> bool:
        position = self._find(path)
        return position < len(self) and self.path_at(position) == path

    def _end_of(self, path: bytes, position: int) -> int:
        """Return the position after all entries of a path, beginning at its first one."""
        while position < len(self) and self.path_at(position) == path:
            position += 1
        return position

    def without_flags(self) -> IndexFile:
        """Return a copy without the flags that keep git from comparing files."""
        data = bytearray(self._data)
        for position in self.flagged():
            start = self._starts[position] + self._flags
            data[start] &= ~_ASSUMED
            if data[start] & _EXTENDED:
                data[start + 2] &= ~_SKIPPED

        return self._copy(bytes(data), self._starts, self.trees)

    def _copy(self, data: bytes, starts: list[int], trees: CachedTrees) -> IndexFile:
        return IndexFile(data, starts, self.hash_size, trees, is_extended=self._is_extended)

    # ------------------------------------------------------------------------------------- write

    def encode(self) -> bytes:
        """Return the bytes of the file."""
        version = _PLAIN_VERSION
        if self._is_extended:
            version = _EXTENDED_VERSION

        header = _HEADER.pack(_SIGNATURE, version, len(self))
        entries = self._data[self._starts[0] : self._starts[-1]]
        trees = encode_trees(self.trees)
        extension = b""
        if trees:
            extension = _EXTENSION.pack(_TREES, len(trees)) + trees

        body = b"".join((header, entries, extension))
        return body + digest(body, self.hash_size)


class _Pieces:
    """The entries of a new index, put together from parts of an old one."""

    def __init__(self, data: bytes, starts: list[int]) -> None:
        """Begin before the first entry of the old index."""
        self.starts = [_HEADER.size]
        self._data = data
        self._old = starts
        self._position = 0
        # Room for the header: entries are where they will be in the file.
        self._parts = [bytes(_HEADER.size)]

    def copy_until(self, position: int) -> None:
        """Copy the old entries up to a position."""
        if position <= self._position:
            return

        begin, end = self._old[self._position], self._old[position]
        shift = self.starts[-1] - begin
        self._parts.append(self._data[begin:end])
        self.starts += [start + shift for start in self._old[self._position + 1 : position + 1]]
        self._position = position

    def skip_until(self, position: int) -> None:
        """Leave the old entries up to a position out."""
        self._position = max(self._position, position)

    def add(self, entry: bytes) -> None:
        """Add an entry."""
        self._parts.append(entry)
        self.starts.append(self.starts[-1] + len(entry))

    def data(self) -> bytes:
        """Return the bytes of all entries."""
        return b"".join(self._parts)


def parse_index(data: bytes, hash_size: int) -> IndexFile:
    """Parse an index; raise `UnknownIndexError` for one that only git can read."""
    if len(data) < _HEADER.size + hash_size:
        raise UnknownIndexError("the file is too short")

    signature, version, count = _HEADER.unpack_from(data)
    if signature != _SIGNATURE or version not in {_PLAIN_VERSION, _EXTENDED_VERSION}:
        raise UnknownIndexError(f"the version is {version}")

    try:
        starts = _find_starts(data, count, _STAT.size + hash_size)
        trees = _read_extensions(data, starts[-1], hash_size)
    except (IndexError, ValueError, struct.error) as error:
        raise UnknownIndexError("the file is damaged") from error

    return IndexFile(data, starts, hash_size, trees, is_extended=version == _EXTENDED_VERSION)


def is_whole(data: bytes, hash_size: int) -> bool:
    """Return whether the bytes of an index end in their own checksum, so that none is damaged."""
    if len(data) < _HEADER.size + hash_size:
        return False
    # With `index.skipHash` the checksum is zero.
    return data[-hash_size:] in {digest(data[:-hash_size], hash_size), bytes(hash_size)}


def empty_index(hash_size: int) -> IndexFile:
    """Return an index without entries."""
    return IndexFile(
        bytes(_HEADER.size), [_HEADER.size], hash_size, CachedTrees({}), is_extended=False
    )


def encode_entry(path: bytes, status: os.stat_result, mode: int, oid: bytes) -> bytes:
    """Return an entry for a file with this status and content."""
    fields = (
        status.st_ctime_ns // 1_000_000_000,
        status.st_ctime_ns % 1_000_000_000,
        status.st_mtime_ns // 1_000_000_000,
        status.st_mtime_ns % 1_000_000_000,
        status.st_dev,
        status.st_ino,
        mode,
        status.st_uid,
        status.st_gid,
        status.st_size,
    )
    words = [field & _WORD for field in fields]
    flags = min(len(path), _LONGEST_NAME)
    entry = b"".join((_STAT.pack(*words), oid, flags.to_bytes(2, "big"), path))
    # One to eight bytes, so that every entry has a multiple of eight.
    return entry + bytes(8 - len(entry) % 8)


def mode_of(status: os.stat_result) -> int | None:
    """Return the mode that a tree has for a file or a symlink; None for anything else."""
    if stat.S_ISLNK(status.st_mode):
        return LINK
    if not stat.S_ISREG(status.st_mode):
        return None
    if status.st_mode & stat.S_IXUSR:
        return EXECUTABLE

    return REGULAR


def changed_entries(before: bytes, after: IndexFile) -> list[bytes]:
    """Return the paths of entries that git has written anew in an index with the same paths."""
    changed: list[bytes] = []
    for first in range(0, len(after), _GROUP):
        last = min(first + _GROUP, len(after))
        if not after.is_same_in(before, first, last):
            group = range(first, last)
            changed += [
                after.path_at(at) for at in group if not after.is_same_in(before, at, at + 1)
            ]

    return changed


def _find_starts(data: bytes, count: int, flags_at: int) -> list[int]:
    """Return where each entry starts, and where the last one ends."""
    starts = [_HEADER.size]
    position = _HEADER.size
    low_flags, name_at = flags_at + 1, flags_at + 2
    for _ in range(count):
        # A plain loop without calls: a large index has a hundred thousand entries.
        high = data[position + flags_at]
        size = name_at + ((high & 0x0F) << 8) + data[position + low_flags]
        if high & _EXTENDED:
            size += 2
        if size >= name_at + _LONGEST_NAME:
            size = data.index(b"\0", position + size) - position
        position += (size + 8) & ~7
        starts.append(position)

    return starts


def _read_extensions(data: bytes, position: int, hash_size: int) -> CachedTrees:
    """Return the cached trees; raise for an extension that may not be ignored."""
    end = len(data) - hash_size
    trees = CachedTrees({})
    while position < end:
        name, size = _EXTENSION.unpack_from(data, position)
        position += _EXTENSION.size
        if name == _TREES:
            trees = parse_trees(data[position : position + size], hash_size)
        elif name[:1].islower():
            raise UnknownIndexError(f"it has the extension {name!r}")
        position += size

    return trees
