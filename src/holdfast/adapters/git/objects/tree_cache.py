"""The trees of an index: those that are known to be written, and the writing of all others.

The index has the id of the tree of each directory, until an entry below it changes. So only the
directories above changed files get new trees, and no tree is read.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_UNKNOWN = b"-1"


@dataclass(frozen=True, slots=True)
class CachedTree:
    """The tree of a directory, and how many entries of the index are below the directory."""

    count: int
    oid: bytes


@dataclass(frozen=True, slots=True)
class CachedTrees:
    """The known trees by their directories: each ends in a slash, and the root is empty."""

    by_directory: Mapping[bytes, CachedTree]

    @property
    def is_complete(self) -> bool:
        """Whether the trees of all directories are known."""
        return b"" in self.by_directory

    def root_id(self) -> str:
        """Return the id of the tree of all entries."""
        return self.by_directory[b""].oid.hex()

    def topmost(self) -> list[CachedTree]:
        """Return the trees that are in no other known tree; whoever has these has all."""
        known = self.by_directory
        return [known[path] for path in known if not path or _parent_of(path) not in known]

    def without_parents(self, paths: Iterable[bytes]) -> CachedTrees:
        """Return a copy without the trees of directories above these paths."""
        known = dict(self.by_directory)
        known.pop(b"", None)
        for directory in parent_directories(paths):
            known.pop(directory, None)
        return CachedTrees(known)


class Entries(Protocol):
    """The entries of an index in their order."""

    def __len__(self) -> int:
        """Return the number of entries."""

    def path_at(self, position: int) -> bytes:
        """Return the path of an entry."""

    def mode_at(self, position: int) -> int:
        """Return the mode of an entry."""

    def oid_at(self, position: int) -> bytes:
        """Return the object of an entry."""

    def is_intended(self, position: int) -> bool:
        """Return whether no tree has the entry."""


@dataclass(slots=True)
class _Directory:
    """A directory whose tree is being put together; `first` is the position of its first entry."""

    prefix: bytes
    first: int
    lines: list[bytes] = field(default_factory=list)

    def add_tree(self, prefix: bytes, oid: bytes) -> None:
        name = prefix[len(self.prefix) : -1]
        self.lines.append(b"40000 %s\0%s" % (name, oid))


def complete_trees(
    entries: Entries, known: CachedTrees, write_tree: Callable[[bytes], bytes]
) -> CachedTrees:
    """Return the trees of all directories; `write_tree` writes a tree that is not known.

    The order of an index is that of trees. Directories may be nested too deep for recursion.
    """
    trees = dict(known.by_directory)
    if known.is_complete:
        return known

    position = 0
    pending = [_Directory(b"", 0)]
    while pending:
        directory = pending[-1]
        path = b""
        if position < len(entries):
            path = entries.path_at(position)
        if not path or not path.startswith(directory.prefix):
            oid = write_tree(b"".join(directory.lines))
            trees[directory.prefix] = CachedTree(position - directory.first, oid)
            pending.pop()
            if pending:
                pending[-1].add_tree(directory.prefix, oid)
            continue
        name, slash, _ = path[len(directory.prefix) :].partition(b"/")
        if not slash:
            if not entries.is_intended(position):
                line = b"%o %s\0%s" % (entries.mode_at(position), name, entries.oid_at(position))
                directory.lines.append(line)
            position += 1
            continue
        child = directory.prefix + name + slash
        if child not in trees:
            pending.append(_Directory(child, position))
            continue
        directory.add_tree(child, trees[child].oid)
        position += trees[child].count

    return CachedTrees(trees)


def _parent_of(directory: bytes) -> bytes:
    return directory[: directory.rfind(b"/", 0, -1) + 1]


def parent_directories(paths: Iterable[bytes]) -> set[bytes]:
    """Return all directories above these paths, without the root, each with a slash at its end."""
    parents: set[bytes] = set()
    for path in paths:
        end = path.rfind(b"/")
        while end > 0 and path[: end + 1] not in parents:
            parents.add(path[: end + 1])
            end = path.rfind(b"/", 0, end)

    return parents


def parse_trees(data: bytes, hash_size: int) -> CachedTrees:
    """Parse the extension of the index; trees that are not known are left out."""
    known: dict[bytes, CachedTree] = {}
    # For each directory around the next one, how many directories in it are still to come.
    around: list[tuple[bytes, int]] = []
    position = 0
    while position < len(data):
        name_end = data.index(b"\0", position)
        line_end = data.index(b"\n", name_end)
        prefix = b""
        if around:
            prefix = around[-1][0] + data[position:name_end] + b"/"
            around[-1] = (around[-1][0], around[-1][1] - 1)
        count, _, inner = data[name_end + 1 : line_end].partition(b" ")
        position = line_end + 1
        if count != _UNKNOWN:
            known[prefix] = CachedTree(int(count), data[position : position + hash_size])
            position += hash_size
        around.append((prefix, int(inner)))
        while around and around[-1][1] == 0:
            around.pop()

    return CachedTrees(known)


def encode_trees(trees: CachedTrees) -> bytes:
    """Return the extension of the index; empty if the trees are not complete."""
    known = trees.by_directory
    if b"" not in known:
        return b""

    names_in: dict[bytes, list[bytes]] = defaultdict(list)
    for directory in known:
        if directory:
            parent = _parent_of(directory)
            names_in[parent].append(directory[len(parent) : -1])

    parts: list[bytes] = []
    pending = [(b"", b"")]
    while pending:
        directory, name = pending.pop()
        tree = known[directory]
        names = names_in.get(directory)
        if names is None:
            parts.append(b"%s\0%d 0\n%s" % (name, tree.count, tree.oid))
            continue
        parts.append(b"%s\0%d %d\n%s" % (name, tree.count, len(names), tree.oid))
        # Git sorts them so; the last one here is the next one there.
        names.sort(key=lambda each: (len(each), each), reverse=True)
        pending += [(b"%s%s/" % (directory, each), each) for each in names]

    return b"".join(parts)
