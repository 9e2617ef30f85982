"""What a snapshot contains: which changed and new paths are captured, removed or skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.checkpoints.checkpoint import Skipped, SkipReason
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.checkpoints.ports import Disk, FileInfo, FileShape

_SKIPPED_SHAPES: dict[FileShape, SkipReason] = {
    # Git lists the files of a directory one by one, and only a repository as one path.
    "directory": "nested repository",
    "other": "not a file",
}


@dataclass(frozen=True, slots=True)
class Listing:
    """The paths that git lists: changed or gone since the last snapshot, and new ones.

    A new path that ends in a slash is a nested repository, an ignored one is a directory.
    """

    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """What to do with each listed path.

    Paths in `drop` are removed from the snapshot. Paths in `take` are read from the disk, or
    removed from the snapshot if they are gone by then. `size` is the bytes of `take`.
    """

    drop: tuple[str, ...]
    take: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    size: int


def select(listing: Listing, disk: Disk, limit: int, exempt: Iterable[str] = ()) -> Selection:
    """Return what to do with every listed path; the size limit does not apply to `exempt`."""
    unlimited = frozenset(exempt)
    new = frozenset(listing.new)
    drop: list[str] = []
    take: list[str] = []
    skipped: list[Skipped] = []
    size = 0
    for path in listing.gone:
        if _is_replaced(path, disk):
            drop.append(path)
        else:
            take.append(path)

    for path in listing.changed + listing.new:
        if path.endswith("/"):
            skipped.append(Skipped(path.rstrip("/"), "nested repository"))
            continue
        info = disk.inspect(path)
        reason = skip_reason(path, info, None if path in unlimited else limit)
        if reason is None:
            take.append(path)
            size += info.size
            continue
        skipped.append(Skipped(path, reason))
        drop.append(path)

    dropped = tuple(path for path in drop if path not in new)
    return Selection(dropped, tuple(take), tuple(skipped), size)


def skip_reason(path: str, info: FileInfo, limit: int | None) -> SkipReason | None:
    """Return why a path cannot be captured; None if it can be, or is gone."""
    parts = path.lower().split("/")
    if ".git" in parts:
        # Git refuses to store the name in another case too.
        return "not a name for git"
    if info.shape == "link" and ".gitmodules" in parts:
        # Git refuses to check out a symlink of this name.
        return "not a name for git"
    if info.shape != "file":
        return _SKIPPED_SHAPES.get(info.shape)
    if not info.readable:
        return "unreadable"
    if limit is not None and info.size > limit:
        return "too large"

    return None


def _is_replaced(path: str, disk: Disk) -> bool:
    """Return whether something else took the place of a path that is gone, or of its parent.

    Beyond a symlink `update-index --remove` refuses the path; and a symlink is never followed.
    """
    return disk.is_beyond_link(path) or disk.inspect(path).shape != "absent"
