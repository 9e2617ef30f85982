"""Swaps of file contents, and the batch: swaps that are applied together or not at all."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable


LINK = 0o120000
"""The mode of a symlink."""


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a file, or with the mode `LINK` the target of a symlink.

    `mode` is for a file that is created (None: by the umask); an existing file keeps its mode.
    """

    data: bytes
    mode: int | None = None

    @property
    def is_link(self) -> bool:
        """Whether this is a symlink."""
        return self.mode == LINK


@dataclass(frozen=True, slots=True)
class Swap:
    """At `path` (real, below the root) `before` becomes `after`; None is no file.

    With `modes`, the mode of an existing file is part of its content: it is compared and set.
    """

    path: str
    before: Content | None
    after: Content | None
    modes: bool = False

    @property
    def has_link(self) -> bool:
        """Whether a symlink is made, changed or removed."""
        for content in (self.before, self.after):
            if content is None:
                continue
            if content.is_link:
                return True
        return False

    @property
    def edit(self) -> tuple[bytes, bytes] | None:
        """The old and the new bytes of a file that stays a file; None for any other swap."""
        if self.before is None:
            return None
        if self.after is None:
            return None
        if self.has_link:
            return None

        return self.before.data, self.after.data

    def reversed(self) -> Swap:
        """Return the inverse swap."""
        return Swap(self.path, self.after, self.before, self.modes)

    def matches(self, content: Content | None, present: Content | None) -> bool:
        """Return whether the present content of the file is `content`.

        The modes are compared only if the swap has `modes`; a symlink is never a file.
        """
        if content is None:
            return present is None
        if present is None:
            return False
        if self.modes:
            return content == present
        if content.is_link != present.is_link:
            return False

        return content.data == present.data


def digest_of(content: Content | None) -> str:
    """Return a digest of what is at a path, "" for nothing; a symlink has another than a file."""
    if content is None:
        return ""
    digest = hashlib.sha256(content.data).hexdigest()
    if content.is_link:
        return f"link {digest}"
    return digest


def in_order(swaps: Iterable[Swap]) -> tuple[Swap, ...]:
    """Return the swaps sorted: created files, then edited files, then deleted files.

    Deleted files come first where a directory takes the place of a file, or the reverse: they make
    the room. The reversed inverse of a batch is in such an order too. When the new contents are
    staged, only a new name can still need room on the disk. If there is no room, only created files
    have to be reverted, and to remove those needs none; an old text would have to be written again.
    """
    unsorted = tuple(swaps)
    reshaped = reshaped_paths(unsorted)
    making_room = []
    others = []
    for swap in unsorted:
        if swap.after is None and is_at_or_below(swap.path, reshaped):
            making_room.append(swap)
        else:
            others.append(swap)

    return (*making_room, *sorted(others, key=_rank))


def _rank(swap: Swap) -> int:
    """Return -1 for a created file, 0 for an edited file, 1 for a deleted file."""
    is_created = swap.before is None
    is_deleted = swap.after is None
    return is_deleted - is_created


def reshaped_paths(swaps: Iterable[Swap]) -> frozenset[str]:
    """Return the paths where a file takes the place of a directory, or the reverse."""
    paths = {swap.path for swap in swaps}
    reshaped: set[str] = set()
    for path in paths:
        reshaped.update(paths.intersection(directories_above(path)))
    return frozenset(reshaped)


def is_at_or_below(path: str, places: frozenset[str]) -> bool:
    """Return whether a path is one of these places, or below one."""
    return path in places or not places.isdisjoint(directories_above(path))


def directories_above(path: str) -> list[str]:
    """Return the directories above a path, outermost first.

    >>> directories_above("src/app/a.py")
    ['src', 'src/app']
    """
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


@dataclass(frozen=True, slots=True)
class Batch:
    """Swaps that are applied together (sorted by `in_order`), each of a different path.

    `makes` are the directories to make first, outermost first. `clears` are the directories to
    remove at the end if they are empty, innermost first. `id` is the id of the change that the
    batch applies or, with `rewinds`, reverts; `others` are those of further changes that it applies
    or reverts together with it. `modes` are the permissions of directories that it makes, and of
    those that it makes again if it is rolled back; any other gets the usual ones.
    """

    id: str
    swaps: tuple[Swap, ...]
    makes: tuple[str, ...] = ()
    clears: tuple[str, ...] = ()
    rewinds: bool = False
    others: tuple[str, ...] = ()
    modes: tuple[tuple[str, int], ...] = ()

    @property
    def change_ids(self) -> tuple[str, ...]:
        """The ids of all changes that the batch applies or reverts."""
        return (self.id, *self.others)

    @property
    def reshaped(self) -> frozenset[str]:
        """The paths where a file takes the place of a directory, or the reverse."""
        return reshaped_paths(self.swaps)

    def with_siblings(self) -> list[tuple[Swap, str]]:
        """Return each swap with the path of the file in which its new text is staged.

        That file is beside the old one; where a directory still has to take the place of a file, it
        is beside that. Its name does not contain the name of the file: a name derived from a long
        one could be longer than the file system allows.
        """
        reshaped = self.reshaped
        pairs = []
        for place, swap in enumerate(self.swaps):
            beside = swap.path
            for above in directories_above(swap.path):
                if above in reshaped:
                    beside = above
                    break
            directory = beside.rpartition("/")[0]
            name = f".holdfast-{self.id}-{place}.tmp"
            pairs.append((swap, f"{directory}/{name}" if directory else name))

        return pairs
