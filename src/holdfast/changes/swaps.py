"""What is to become of which files: the unit that happens wholly or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds. `mode` is for a file that is made (None: as the umask says); one that is there keeps its."""

    data: bytes
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class Swap:
    """At `path` (real, below the root) `before` becomes `after`; None is no file.

    `modes` says that the mode of a file that is there is a part of it: it is compared, and it is set.
    """

    path: str
    before: Content | None
    after: Content | None
    modes: bool = False

    def reversed(self) -> Swap:
        """Give the swap that takes this one back."""
        return Swap(self.path, self.after, self.before, self.modes)


def in_order(swaps: Iterable[Swap]) -> tuple[Swap, ...]:
    """Sort: new files, then changed ones, then those that go. Reversed, a batch is in this order again.

    Only a new name can need room on the disk by then. If there is none, all that has to be taken back are new files,
    and to remove them needs no room; old text would have to be written again.
    """
    return tuple(sorted(swaps, key=lambda swap: (swap.after is None) - (swap.before is None)))


@dataclass(frozen=True, slots=True)
class Batch:
    """Swaps that happen together (see `in_order`), each of another path.

    `makes` are the directories that are made first, outermost first; `clears` those that go at the end if nothing is
    left in them, innermost first. `id` is that of the change that the batch applies or (`rewinds`) takes back.
    """

    id: str
    swaps: tuple[Swap, ...]
    makes: tuple[str, ...] = ()
    clears: tuple[str, ...] = ()
    rewinds: bool = False

    def reversed(self) -> Batch:
        """Give the batch that takes this one back, where the directories of its files are still there."""
        swaps = tuple(swap.reversed() for swap in reversed(self.swaps))
        return Batch(self.id, swaps, clears=tuple(reversed(self.makes)), rewinds=True)

    def sibling(self, place: int) -> str:
        """Name the file in which the new text of swap number `place` waits beside the old one.

        Short, whatever the file is called: a name derived from a long one could be longer than the disk allows.
        """
        return f".holdfast-{self.id}-{place}.tmp"
