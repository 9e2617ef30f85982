"""How a path differs between two git trees."""

from __future__ import annotations

from holdfast.vocab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """The entry of a path in a git tree."""

    mode: str
    oid: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A path that differs between two trees; None where a tree does not have the path."""

    path: str
    before: TreeEntry | None
    after: TreeEntry | None
