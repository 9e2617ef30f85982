"""Files with swaps on top, and the one batch that is the sum of several ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.ports import FileFound, FileLook, FileMissing, Files, FileUnfit
from holdfast.changes.swaps import Batch, Content, Swap, in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NEW_FILE_MODE = 0o644


class SwappedFiles:
    """The files below a root as they would be after some swaps (port `Files`)."""

    def __init__(self, files: Files) -> None:
        """Begin with the files as they are."""
        self._files = files
        self._swaps: dict[str, Swap] = {}

    def swap(self, swaps: Iterable[Swap]) -> None:
        """Lay swaps on top. Each fits the file as it is with those before."""
        for swap in swaps:
            earlier = self._swaps.get(swap.path, swap)
            modes = earlier.modes or swap.modes
            self._swaps[swap.path] = Swap(swap.path, earlier.before, swap.after, modes)

    def sum(self) -> tuple[Swap, ...]:
        """Return one swap for each path that is not as it was, in the order of a batch."""
        changed = []
        for swap in self._swaps.values():
            if not swap.matches(swap.before, swap.after):
                changed.append(swap)  # noqa: PERF401 - one decision, one line
        return in_order(changed)

    def look(self, path: str) -> FileLook:
        """Return what would be at a path."""
        below = self._files.look(path)
        if isinstance(below, FileUnfit):
            return below

        swap = self._swaps.get(below.at)
        if swap is None:
            return below
        if swap.after is None:
            return FileMissing(below.at)

        mode = _mode(swap, swap.after, below)
        if isinstance(below, FileFound):
            return FileFound(below.at, swap.after.data, mode, below.linked)

        return FileFound(below.at, swap.after.data, mode)

    def link(self, path: str) -> bytes | None:
        """Return the target of the symlink that would be at a path, or None."""
        swap = self._swaps.get(path)
        if swap is None:
            return self._files.link(path)

        target = swap.after
        if target is None:
            return None
        if not target.is_link:
            return None

        return target.data

    def names(self, near: str) -> list[str]:
        """List the files as they are on the disk."""
        return self._files.names(near)


def _mode(swap: Swap, after: Content, below: FileFound | FileMissing) -> int:
    """Return the mode that the file would have: an existing file keeps its own."""
    if isinstance(below, FileFound) and not swap.modes:
        return below.mode
    if after.mode is None:
        return _NEW_FILE_MODE
    return after.mode


def sum_of(batches: Sequence[Batch], swaps: tuple[Swap, ...]) -> Batch:
    """Return the batch that does all of these at once, with these swaps."""
    makes: dict[str, None] = {}
    clears: dict[str, None] = {}
    modes: dict[str, int] = {}
    for batch in batches:
        makes.update(dict.fromkeys(batch.makes))
        clears.update(dict.fromkeys(batch.clears))
        modes.update(batch.modes)

    first, *others = [batch.id for batch in batches]
    return Batch(
        first,
        swaps,
        tuple(makes),
        tuple(sorted(clears, reverse=True)),
        batches[0].rewinds,
        tuple(others),
        tuple(modes.items()),
    )
