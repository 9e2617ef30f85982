"""Compare two trees in this process: only the trees of directories that differ are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from holdfast.adapters.git.git_command import to_text
from holdfast.checkpoints.difference import Difference, TreeEntry

if TYPE_CHECKING:
    from collections.abc import Callable

_DIRECTORY = b"40000"
_Entry: TypeAlias = "tuple[bytes, bytes]"
"""The mode and the object of an entry."""
_Entries: TypeAlias = "dict[bytes, _Entry]"


class UnreadableTreeError(Exception):
    """A tree is missing, or only git can read it."""


class TreeComparison:
    """Compares trees of one repository."""

    def __init__(self, read: Callable[[bytes], bytes | None], hash_size: int) -> None:
        """Read the bodies of trees with `read`, which returns None for one that it cannot read."""
        self._read = read
        self._hash_size = hash_size

    def compare(self, before: str, after: str) -> tuple[Difference, ...]:
        """Return the files that differ; raise `UnreadableTreeError` if a tree cannot be read."""
        differences: dict[bytes, Difference] = {}
        # Directories may be nested too deep for recursion.
        pending: list[tuple[bytes, bytes | None, bytes | None]] = [
            (b"", bytes.fromhex(before), bytes.fromhex(after))
        ]
        while pending:
            prefix, old_tree, new_tree = pending.pop()
            old, new = self._entries(old_tree), self._entries(new_tree)
            for name in old.keys() | new.keys():
                if old.get(name) == new.get(name):
                    continue
                path = prefix + name
                old_file, old_inner = _split(old.get(name))
                new_file, new_inner = _split(new.get(name))
                if old_file != new_file:
                    differences[path] = Difference(to_text(path), old_file, new_file)
                if old_inner != new_inner:
                    pending.append((path + b"/", old_inner, new_inner))

        return tuple(differences[path] for path in sorted(differences))

    def _entries(self, tree: bytes | None) -> _Entries:
        """Return the entries of a tree by their names; none without a tree."""
        if tree is None:
            return {}

        body = self._read(tree)
        if body is None:
            raise UnreadableTreeError(tree.hex())

        entries: _Entries = {}
        position = 0
        while position < len(body):
            space = body.index(b" ", position)
            end = body.index(b"\0", space)
            following = end + 1 + self._hash_size
            entries[body[space + 1 : end]] = (body[position:space], body[end + 1 : following])
            position = following

        return entries


def _split(entry: _Entry | None) -> tuple[TreeEntry | None, bytes | None]:
    """Return the file of an entry, or its tree if it is a directory."""
    if entry is None:
        return None, None
    mode, oid = entry
    if mode == _DIRECTORY:
        return None, oid
    return TreeEntry(mode.decode("ascii"), oid.hex()), None
